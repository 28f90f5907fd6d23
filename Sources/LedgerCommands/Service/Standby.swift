import LedgerAPI

/// A `run` beside another process that holds the ledger: it waits for its turn, or asks for it.
struct Standby {
    private let session: LedgerSession
    private let untilIdle: Bool
    private var handOver: HandOver
    private var hasSaid = false

    /// Nobody was met yet.
    init(_ session: LedgerSession, untilIdle: Bool, _ handOver: HandOver) {
        self.session = session
        self.untilIdle = untilIdle
        self.handOver = handOver
    }

    /// Whether the holder is looked at often.
    var isUrgent: Bool { handOver.isUrgent }

    /// Says once that it waits, or asks the holder to leave.
    /// - Returns: false when nothing is left to wait for.
    /// - Throws: a ``Problem`` of the holder's, or of ``HandOver/ask(_:_:)``.
    mutating func isWorthIt(beside remote: RemoteClient, _ manager: ServiceManager) async throws(Problem) -> Bool {
        do throws(Problem) {
            let holder = try await remote.status()
            try await handOver.ask(holder, remote)
            let words = "process \(holder.processID) holds the ledger; taking over when it leaves"
            if !hasSaid {
                if !handOver.isAgreed { session.console.note(words) }
                hasSaid = true
                // Who stands by is as ready as it can be.
                await manager.ready { words }
            }
            guard untilIdle else { return true }
            return try await isBusy(remote)
        } catch {
            guard error.code == .holderLeft else { throw error }
            return true
        }
    }

    private func isBusy(_ remote: RemoteClient) async throws(Problem) -> Bool {
        var waiting = ListQuery()
        waiting.filter.states = [.queued, .running, .waiting]
        waiting.limit = 1
        return try await !remote.list(waiting).isEmpty
    }
}
