import LedgerAPI
import LedgerEngine
import LedgerHTTP
import LedgerModel
import Synchronization

extension LedgerService {
    /// Tells every hook that is configured, until the task is cancelled; or of everything up to an event.
    func tellHooks(through end: SequenceNumber? = nil) async {
        guard !configuration.hooks.isEmpty else { return }
        let webhook: WebhookPost
        do throws(Failure) { webhook = try WebhookPost(configuration.transfer) } catch {
            for hook in configuration.hooks { hookWork.noteFailing(hook.name, true) }
            pool.reconsider()
            return configuration.notice(
                Problem(
                    .refused, "no hook is told of anything: \(error.message)", next: "they are told at the next run"))
        }
        await withTaskGroup(of: Void.self) { group in
            // One that was given twice is one.
            for target in Set(configuration.hooks) {
                let runner = runner(for: target, webhook)
                group.addTask { await runner.run(through: end) }
            }
        }
        await webhook.shutdown()
    }

    /// Tells every hook of what is not told yet, each of it once, unless the process is to end.
    func tellHooksOfTheRest() async {
        let end = ledger.lastSequence
        let telling = Task { await tellHooks(through: end) }
        lastTelling.withLock { $0 = telling }
        if isDraining.load(ordering: .relaxed) { telling.cancel() }
        await telling.value
    }

    /// Whether every hook has been told of all there is, or fails.
    var areHooksTold: Bool { hookWork.isDone(configuration.hooks.map(\.name), through: ledger.lastSequence) }

    private func runner(for target: HookTarget, _ webhook: WebhookPost) -> HookRunner {
        HookRunner(
            ledger: ledger, target: target, work: hookWork, moved: { self.pool.reconsider() },
            rows: { id throws(Problem) in try await self.rows(of: [id])[id] },
            send: { message in
                switch target.place {
                case .program(let path): return await HookProgram.tell(path, message, by: self.ledger.world.clock)
                case .web(let address):
                    let failure = await webhook.post(message.json, to: address, key: message.key)
                    return failure.map { HookFailure(message: $0) }
                }
            }, notice: configuration.notice)
    }
}
