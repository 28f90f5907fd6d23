import LedgerAPI
import LedgerEngine
import LedgerHTTP
import LedgerModel
import Synchronization

extension LedgerService {
    /// Tells every hook that is configured, until the task is cancelled; or of everything up to an event.
    func tellHooks(through end: SequenceNumber? = nil) async {
        await withTaskGroup(of: Void.self) { group in
            for target in configuration.hooks {
                let runner = runner(for: target)
                group.addTask { await runner.run(through: end) }
            }
        }
    }

    private func runner(for target: HookTarget) -> HookRunner {
        HookRunner(
            ledger: ledger, target: target,
            rows: { id throws(Problem) in try await self.rows(of: [id])[id] },
            send: { message in
                switch target.place {
                case .program(let path): return await HookProgram.tell(path, message)
                case .web(let url):
                    let failure = await WebhookPost.post(message.json, to: url, key: message.key)
                    return failure.map { HookFailure(message: $0) }
                }
            }, notice: configuration.notice, isStopped: { self.isDraining.load(ordering: .relaxed) })
    }
}
