package import LedgerModel
import LedgerSystem

extension Ledger {
    /// Waits until there is an event after `sequence`, or `pause` has passed, or the task is cancelled.
    package nonisolated func waitForEvents(after sequence: SequenceNumber, atMost pause: Duration) async {
        let (hub, clock) = (hub, world.clock)
        await withTaskGroup { group in
            group.addTask { await hub.wait(after: sequence) }
            group.addTask {
                do { try await clock.sleep(until: clock.uptime() + pause) } catch { return }
            }
            await group.next()
            group.cancelAll()
        }
    }
}
