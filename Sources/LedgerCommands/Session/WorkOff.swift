import LedgerAPI
import LedgerEngine
import LedgerHolder
import LedgerServer
import LedgerSystem
import Synchronization
import SystemPackage

/// What `run` does: takes the ledger, as soon as it can, and works its queue off.
struct WorkOff: Sendable {
    /// The ledger, and where to say what happens.
    let session: LedgerSession
    /// How the ledger is held.
    let configuration: ServiceConfiguration
    /// Whether to leave when nothing is left to do.
    let untilIdle: Bool
    /// When checkpoints are written; nil for never.
    var checkpoints: CheckpointSchedule?
    /// How the API is served; nil for not at all.
    var server: ServerPlan?

    /// How long between two looks at a ledger that another process holds.
    static let pause = Duration.milliseconds(200)

    /// Runs until it is idle (if that is asked for) or interrupted.
    /// - Returns: whether no download failed meanwhile; always true after an interruption.
    func run() async throws(Problem) -> Bool {
        let access = Mutex<Access?>(nil)
        let interruption = Interruption(session.context) { await access.withLock { $0 }?.stop() }
        defer { interruption.end() }
        var hasSaid = false
        var heir: (any FileLock)?
        defer { heir?.unlock() }
        while !interruption.isRequested {
            if heir == nil { heir = try await session.becomeHeir() }
            let opened = try await open(interruption, isHeir: heir != nil)
            access.withLock { $0 = opened }
            switch opened {
            case nil: return true
            case .here(let service):
                heir?.unlock()
                let isFine = try await work(service, interruption)
                return isFine || interruption.isRequested
            case .there(let remote):
                defer { remote.close() }
                do throws(Problem) {
                    let holder = try await remote.status().processID
                    if !hasSaid {
                        session.console.note("process \(holder) holds the ledger; taking over when it leaves")
                    }
                    hasSaid = true
                    var waiting = ListQuery()
                    waiting.filter.states = [.queued, .running, .waiting]
                    waiting.limit = 1
                    if untilIdle, try await remote.list(waiting).isEmpty { return true }
                } catch {
                    guard error.code == .holderLeft else { throw error }
                }
                try await session.wait(Self.pause)
            }
        }
        return true
    }

    /// The way to the ledger; nil when the command is interrupted before there is one.
    private func open(_ interruption: Interruption, isHeir: Bool) async throws(Problem) -> Access? {
        do throws(Problem) {
            return try await session.open(configuration, isHeir: isHeir) { interruption.isRequested }
        } catch {
            guard interruption.isRequested else { throw error }
            return nil
        }
    }

    private func work(_ service: LedgerService, _ interruption: Interruption) async throws(Problem) -> Bool {
        let keeping = try await keepCheckpoints(of: service)
        let server = try await serve(service, interruption)
        let reporter = ProgressReporter(session)
        let (firstLook, looking) = AsyncStream.makeStream(of: Void.self)
        let watching = Task {
            defer { looking.finish() }
            do throws(Problem) {
                try await service.watch(WatchQuery(untilEnd: false)) { rows in
                    await reporter.take(rows)
                    looking.finish()
                    return true
                }
            } catch {
                // The ledger closed itself; whoever runs the workers says why.
                session.console.detail(error.message)
            }
        }
        // Work begins once everything there is was seen: what ends at once is counted too.
        for await _ in firstLook {}
        var failure: LedgerError?
        // A signal that came while the ledger was opened found nothing to drain.
        if !interruption.isRequested {
            do throws(LedgerError) { try await service.run(untilIdle: untilIdle) } catch { failure = error }
        }
        await server?.stop()
        watching.cancel()
        await watching.value
        await keeping?.end()
        await service.close()
        let total = await reporter.total
        await reporter.finish(saying: untilIdle && total.downloads > 0 && !interruption.isRequested)
        if interruption.isRequested { session.console.note("stopped; what was received is recorded") }
        if let failure { throw Problem(failure) }
        try await reporter.requireOutput()
        return total.failed == 0
    }

    /// Begins to serve the API. What asks for the end of the program over it is answered first.
    private func serve(
        _ service: LedgerService, _ interruption: Interruption
    ) async throws(Problem) -> LedgerServer? {
        guard var plan = server else { return nil }
        plan.configuration.shutdown = { interruption.request() }
        do throws(Problem) { return try await plan.start(service, session.console) } catch {
            await service.close()
            throw error
        }
    }

    /// Writes the first checkpoint, and goes on beside the work. A directory that takes none is told before anything is
    /// begun.
    private func keepCheckpoints(of service: LedgerService) async throws(Problem) -> CheckpointKeeping? {
        guard let checkpoints else { return nil }
        let keeper = CheckpointKeeper(ledger: service.ledger, directory: FilePath(checkpoints.directory))
        do throws(LedgerError) { try await keeper.write() } catch {
            await service.close()
            throw Problem(error)
        }
        return CheckpointKeeping(keeper, every: checkpoints.period) { session.report($0) }
    }
}
