import LedgerAPI
import LedgerCoding
import LedgerEngine
import LedgerHolder
import LedgerModel
import LedgerSystem
import LedgerViews
import Synchronization

/// What `get` does: enqueues everything in one batch and stays until all of it has ended, whoever does the work.
struct Fetch: Sendable {
    /// The ledger, and where to say what happens.
    let session: LedgerSession
    /// What is wanted. Their names stay, so that asking again after a holder left changes nothing.
    let requests: [EnqueueRequest]
    /// How the ledger is held when it is held here.
    let configuration: ServiceConfiguration
    /// Whether the command line says how much is done at once, which only the holder can heed.
    let asksForPool: Bool

    /// Runs until every download has ended, or until it is interrupted.
    /// - Returns: whether every file is there.
    func run() async throws(Problem) -> Bool {
        let isChecking = requests.contains(where: \.ifModified)
        let reporter = ProgressReporter(session, isChecking: isChecking)
        let access = Mutex<Access?>(nil)
        let stop: @Sendable () async -> Void = { await access.withLock { $0 }?.stop() }
        let interruption = Interruption(session.context, onFirst: stop)
        defer { interruption.end() }
        let isAsked = Atomic(false)
        let stopIfAsked: @Sendable () async -> Void = { if isAsked.load(ordering: .relaxed) { await stop() } }
        var configuration = configuration
        // A `run` that comes serves the API and tells hooks: it gets the ledger, and this one watches. But what was
        // said here about how much is done at once would not hold there.
        if !asksForPool {
            configuration.givesWay = true
            configuration.leave = {
                isAsked.store(true, ordering: .relaxed)
                Task { await stopIfAsked() }
            }
        }
        let clock = session.context.world.clock
        var (isFirst, isDoneHere) = (true, true)
        var missed = 0
        // A holder that hangs up on us again and again, and shows us nothing, is not joined for ever.
        var (looks, deadline) = (0, clock.uptime() + session.context.patience)
        while !interruption.isRequested {
            do throws(Problem) {
                isAsked.store(false, ordering: .relaxed)
                let opened = try await session.open(configuration) { interruption.isRequested }
                access.withLock { $0 = opened }
                isDoneHere = if case .here = opened { true } else { false }
                // Who asked while the ledger was opened, or a signal that came then, found nothing to drain.
                let isWanted = !interruption.isRequested && !isAsked.load(ordering: .relaxed)
                let result = isWanted ? await attempt(opened, reporter, interruption, &isFirst) : .success(missed)
                access.withLock { $0 = nil }
                await opened.close()
                missed = try result.get()
                guard isAsked.load(ordering: .relaxed), await !reporter.total.isOver else { break }
                session.console.note("a 'ledger run' takes the ledger over and goes on with this; watching it")
                deadline = clock.uptime() + session.context.patience
            } catch {
                // Whoever did the work is gone, or refuses us, unless it was us who left.
                if !interruption.isRequested { isDoneHere = true }
                let seen = await reporter.looks
                if seen > looks { (looks, deadline) = (seen, clock.uptime() + session.context.patience) }
                let mayStay = error.code == .holderLeft && clock.uptime() < deadline
                guard mayStay || interruption.isRequested else {
                    await reporter.finish(saying: false)
                    throw error.code == .holderLeft ? .unreachable(session.home) : error
                }
                try await session.wait()
            }
        }
        let total = await reporter.total
        let isOver = total.isOver
        await reporter.finish(saying: !interruption.isRequested)
        if interruption.isRequested, !isOver {
            session.console.note(
                isDoneHere
                    ? "stopped; what was received is recorded. 'ledger run' or the same command carries on"
                    : "watched no longer; the process that holds the ledger goes on with it: 'ledger pause ID' or "
                        + "'ledger cancel ID' stops it")
        }
        try await reporter.requireOutput()
        let unchecked = isChecking ? total.unchecked : 0
        return missed == 0 && isOver && total.completed == total.downloads && unchecked == 0
    }

    private func attempt(
        _ access: Access, _ reporter: ProgressReporter, _ interruption: Interruption, _ asks: inout Bool
    ) async -> Result<Int, Problem> {
        do throws(Problem) {
            return .success(try await work(access, reporter, interruption, &asks))
        } catch { return .failure(error) }
    }

    /// Enqueues, and stays until all has ended.
    /// - Parameter asks: whether nobody has done yet what these requests ask for; false once somebody has.
    /// - Returns: how many requests were refused, or have no file any longer.
    private func work(
        _ access: Access, _ reporter: ProgressReporter, _ interruption: Interruption, _ asks: inout Bool
    ) async throws(Problem) -> Int {
        let client = access.client
        var rows: [DownloadRow] = []
        var refusals: [JSONValue] = []
        let answers = try await client.enqueue(requests)
        let isFirst = asks
        if isFirst {
            JoinedNotes.warnings(requests, answers, configured: session.configured).forEach(session.console.warn)
        }
        for (request, answer) in zip(requests, answers) {
            switch answer {
            case .accepted(let row, _): rows.append(row)
            case .refused(let problem):
                refusals.append(problem.json(of: request))
                if isFirst { session.report(problem, of: request, among: requests.count) }
            }
        }
        // Whoever asks for a file wants it now, though someone paused it before; who pauses it since means it.
        let paused = isFirst ? rows.filter { $0.state == .paused }.map(\.id) : []
        if !paused.isEmpty {
            _ = try await client.act(.resume, on: .ids(paused), command: session.context.newCommand())
        }
        if isFirst {
            await reporter.refuse(refusals)
            await reporter.expect(rows)
        }
        asks = false
        let query = WatchQuery(ids: Array(Set(rows.map(\.id))).sorted(), untilEnd: true)
        guard !query.ids.isEmpty else { return refusals.count }
        switch access {
        case .here(let service): try await watch(query, on: service, reporter, interruption)
        case .there(let remote):
            if isFirst { try await sayWhoWorks(remote) }
            try await remote.watch(query) { rows in
                await reporter.take(rows)
                return !interruption.isRequested
            }
        }
        guard !interruption.isRequested, await reporter.total.isOver else { return refusals.count }
        // Only a group may hold less than was asked for.
        return try await refusals.count + sayGone(rows.filter { $0.group != nil }.map(\.id), client)
    }

    /// Says which of these had their file and have it no longer: their group holds no more. Another holder than this
    /// process may let them go a moment later; that is not waited for.
    /// - Returns: how many.
    private func sayGone(_ ids: [DownloadID], _ client: any LedgerClient) async throws(Problem) -> Int {
        guard !ids.isEmpty else { return 0 }
        var query = ListQuery()
        query.ids = ids
        let gone = try await client.list(query).filter { $0.state == .deleted && $0.completedAt != nil }
        for row in gone {
            session.console.warn(
                "'\(TextWidth.printable(row.path))' is gone again: group '\(row.group ?? "")' holds no more, or "
                    + "someone deleted it; 'ledger pin' keeps a file, 'ledger keep' says what groups hold")
        }
        return gone.count
    }

    private func watch(
        _ query: WatchQuery, on service: LedgerService, _ reporter: ProgressReporter, _ interruption: Interruption
    ) async throws(Problem) {
        let watching = Task { () -> Problem? in
            do throws(Problem) {
                try await service.watch(query) { rows in
                    await reporter.take(rows)
                    return !interruption.isRequested
                }
                return nil
            } catch { return error }
        }
        let pool = Task {
            let problem = await Self.run(service)
            watching.cancel()
            return problem
        }
        let problem = await watching.value
        await service.drain()
        // When the disk failed, the workers know why, and the watcher only that the ledger closed itself.
        if let problem = await pool.value ?? problem { throw problem }
    }

    private static func run(_ service: LedgerService) async -> Problem? {
        do throws(LedgerError) {
            try await service.run(untilIdle: false)
            return nil
        } catch { return Problem(error) }
    }

    private func sayWhoWorks(_ remote: RemoteClient) async throws(Problem) {
        let status = try await remote.status()
        session.console.detail("process \(status.processID) holds the ledger and does the work")
        if asksForPool {
            session.console.warn(
                "how much is done at once, how long the queue is and how retries wait is left to process "
                    + "\(status.processID), which holds the ledger; 'ledger limit' changes some of it"
            )
        }
    }
}
