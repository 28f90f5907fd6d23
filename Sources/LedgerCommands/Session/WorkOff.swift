import LedgerAPI
import LedgerEngine
import LedgerHolder
import LedgerModel
import LedgerServer
import LedgerSystem
import LedgerViews
import Synchronization
import SystemPackage

/// What `run` does: takes the ledger, as soon as it can, and works its queue off.
struct WorkOff: Sendable {
    /// The ledger, and where to say what happens.
    let session: LedgerSession
    /// How the ledger is held.
    let tuning: Tuning
    /// Whether to leave when nothing is left to do.
    let untilIdle: Bool
    /// Whether another process that holds the ledger is asked to leave.
    var takesOver = false
    /// When checkpoints are written; nil for never.
    var checkpoints: CheckpointSchedule?
    /// How the API is served; nil for not at all.
    var server: ServerPlan?
    /// The file of the log; nil for none.
    var logFile: AppendedFile?

    /// How long between two looks at a ledger that another process holds.
    static let pause = Duration.milliseconds(200)

    /// Runs until it is idle (if that is asked for) or interrupted.
    /// - Returns: whether no download failed meanwhile, and every hook took what it was told; always true after an
    ///   interruption.
    func run() async throws(Problem) -> Bool {
        let manager = ServiceManager(
            session.context.environment, session.context.world.clock, session.console)
        defer { manager.end() }
        let access = Mutex<Access?>(nil)
        let interruption = Interruption(session.context, [.interrupt, .terminate]) {
            manager.stopping()
            await access.withLock { $0 }?.stop()
        }
        defer { interruption.end() }
        let reloading = reload(manager, interruption)
        defer { reloading.cancel() }
        var standby = Standby(
            session, untilIdle: untilIdle, HandOver(session, takesOver: takesOver, serving: server))
        var heir: (any FileLock)?
        defer { heir?.unlock() }
        while !interruption.isRequested {
            if heir == nil { heir = try await session.becomeHeir() }
            let configuration = configuration(interruption)
            let opened = try await open(configuration, interruption, isHeir: heir != nil)
            access.withLock { $0 = opened }
            switch opened {
            case nil: return true
            case .here(let service):
                heir?.unlock()
                await tuning.attach(service, openedWith: configuration, session.report)
                let isFine = try await work(service, interruption, manager)
                return isFine || interruption.isRequested
            case .there(let remote):
                defer { remote.close() }
                if try await !standby.isWorthIt(beside: remote, manager) { return true }
                try await session.wait(standby.isUrgent ? LedgerSession.pause : Self.pause)
            }
        }
        return true
    }

    /// Begins to heed SIGHUP.
    private func reload(_ manager: ServiceManager, _ interruption: Interruption) -> Task<Void, Never> {
        let reload = Reload(session, tuning, manager, logFile, server?.configuration.certificate)
        let hangUps = session.context.signals([.hangUp])
        return Task {
            for await _ in hangUps {
                if reload.isFarewell { interruption.request() } else { await reload.run() }
            }
        }
    }

    /// How the ledger is held, by a process that leaves when another asks for it.
    private func configuration(_ interruption: Interruption) -> ServiceConfiguration {
        var configuration = tuning.configuration
        configuration.leave = { [console = session.console] in
            console.note("another process takes the ledger over; leaving it")
            interruption.request()
        }
        return configuration
    }

    /// The way to the ledger; nil when the command is interrupted before there is one.
    private func open(
        _ configuration: ServiceConfiguration, _ interruption: Interruption, isHeir: Bool
    ) async throws(Problem) -> Access? {
        do throws(Problem) {
            return try await session.open(configuration, isHeir: isHeir) { interruption.isRequested }
        } catch {
            guard interruption.isRequested else { throw error }
            return nil
        }
    }

    private func work(
        _ service: LedgerService, _ interruption: Interruption, _ manager: ServiceManager
    ) async throws(Problem) -> Bool {
        let keeping = try await keepCheckpoints(of: service)
        let server = try await serve(service, interruption)
        let reporter = ProgressReporter(session)
        let (firstLook, looking) = AsyncStream.makeStream(of: Void.self)
        let watching = Task {
            defer { looking.finish() }
            do throws(Problem) {
                try await service.watchHere { rows, unbegun in
                    await reporter.take(rows, unbegun)
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
        await manager.ready { await Self.look(at: service) }
        var failure: LedgerError?
        // A signal that came while the ledger was opened found nothing to drain.
        if !interruption.isRequested {
            do throws(LedgerError) { try await service.run(untilIdle: untilIdle) } catch { failure = error }
        }
        manager.stopping()
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
        return total.failed == 0 && !service.isHookBehind
    }

    /// What a service manager is told of a ledger that is held; nil when it answers no read.
    private static func look(at service: LedgerService) async -> String? {
        do throws(Problem) { _ = try await service.read { $0.sequence } } catch { return nil }
        return "\(Figures.counted(service.running.count, "download")) running, \(Figures.rate(service.bytesPerSecond))"
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
