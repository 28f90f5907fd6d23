package import LedgerModel
import LedgerSystem

extension Ledger {
    /// Waits until there is an event after `sequence`, or `pause` has passed (nil: however long it takes), or `other`
    /// has come, or the task is cancelled.
    package nonisolated func waitForEvents(
        after sequence: SequenceNumber, atMost pause: Duration?, or other: (@Sendable () async -> Void)? = nil
    ) async {
        let hub = hub
        // Nothing is started to wait for what is there already.
        guard hub.last <= sequence else { return }
        let event: @Sendable () async -> Void = { await hub.wait(after: sequence) }
        await waitForFirst(atMost: pause, of: [event] + (other.map { [$0] } ?? []))
    }

    /// Waits until the first of these has come, or `pause` has passed (nil: however long it takes), or the task is
    /// cancelled. The others are cancelled then.
    package nonisolated func waitForFirst(
        atMost pause: Duration?, of waits: [@Sendable () async -> Void]
    ) async {
        let clock = world.clock
        await withTaskGroup { group in
            for wait in waits { group.addTask { await wait() } }
            if let pause {
                group.addTask {
                    do { try await clock.sleep(until: clock.uptime() + pause) } catch { return }
                }
            }
            await group.next()
            group.cancelAll()
        }
    }
}
