package import LedgerAPI
import LedgerSystem

extension Ledger {
    /// Does something after each `period` until the task is cancelled or the ledger is closed. What fails is told, and
    /// tried again after the next: a full disk has room some day.
    /// - Parameter when: waits until there may be something to do; the period begins then.
    package nonisolated func tend(
        every period: Duration, report: @Sendable (Problem) -> Void, when: () async -> Void = {},
        _ body: () async throws(LedgerError) -> Void
    ) async {
        while true {
            await when()
            do { try await world.clock.sleep(until: world.clock.uptime() + period) } catch { return }
            do throws(LedgerError) {
                try await body()
            } catch {
                if case .closed = error { return }
                report(Problem(error))
            }
        }
    }
}
