import LedgerAPI
import LedgerEngine
import LedgerHolder
import LedgerModel
import LedgerSystem
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
        let interruption = Interruption(session.context) { await access.withLock { $0 }?.stop() }
        defer { interruption.end() }
        let clock = session.context.world.clock
        var (isFirst, isDoneHere) = (true, true)
        var refused = 0
        // A holder that hangs up on us again and again, and shows us nothing, is not joined for ever.
        var (looks, deadline) = (0, clock.uptime() + session.context.patience)
        while !interruption.isRequested {
            do throws(Problem) {
                let opened = try await session.open(configuration) { interruption.isRequested }
                access.withLock { $0 = opened }
                isDoneHere = if case .here = opened { true } else { false }
                let result = await attempt(opened, reporter, interruption, isFirst: isFirst)
                access.withLock { $0 = nil }
                await opened.close()
                isFirst = false
                refused = try result.get()
                break
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
        let isOver = total.downloads > 0 && total.ended == total.downloads
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
        return refused == 0 && isOver && total.completed == total.downloads && unchecked == 0
    }

    private func attempt(
        _ access: Access, _ reporter: ProgressReporter, _ interruption: Interruption, isFirst: Bool
    ) async -> Result<Int, Problem> {
        // A signal that came while the ledger was opened found nothing to drain.
        guard !interruption.isRequested else { return .success(0) }
        do throws(Problem) {
            return .success(try await work(access, reporter, interruption, isFirst: isFirst))
        } catch { return .failure(error) }
    }

    /// Enqueues, and stays until all has ended.
    /// - Returns: how many requests were refused.
    private func work(
        _ access: Access, _ reporter: ProgressReporter, _ interruption: Interruption, isFirst: Bool
    ) async throws(Problem) -> Int {
        let client = access.client
        var rows: [DownloadRow] = []
        var refused = 0
        let answers = try await client.enqueue(requests)
        if isFirst {
            JoinedNotes.warnings(requests, answers, configured: session.configured).forEach(session.console.warn)
        }
        for (request, answer) in zip(requests, answers) {
            switch answer {
            case .accepted(let row, _): rows.append(row)
            case .refused(let problem):
                refused += 1
                if isFirst { session.report(problem, of: request, among: requests.count) }
            }
        }
        // Whoever asks for a file wants it now, though someone paused it before.
        let paused = rows.filter { $0.state == .paused }.map(\.id)
        if !paused.isEmpty {
            _ = try await client.act(.resume, on: .ids(paused), command: session.context.newCommand())
        }
        if isFirst { await reporter.expect(rows) }
        let query = WatchQuery(ids: Array(Set(rows.map(\.id))).sorted(), untilEnd: true)
        guard !query.ids.isEmpty else { return refused }
        switch access {
        case .here(let service): try await watch(query, on: service, reporter, interruption)
        case .there(let remote):
            if isFirst { try await sayWhoWorks(remote) }
            try await remote.watch(query) { rows in
                await reporter.take(rows)
                return !interruption.isRequested
            }
        }
        return refused
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
