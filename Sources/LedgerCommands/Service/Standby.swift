import LedgerAPI

/// A `run` beside another process that holds the ledger: it waits for its turn, or asks for it.
struct Standby {
    private let session: LedgerSession
    private let untilIdle: Bool
    private var handOver: HandOver?
    private var hasSaid = false

    /// Nobody was met yet.
    init(_ session: LedgerSession, untilIdle: Bool, takesOver: Bool) {
        self.session = session
        self.untilIdle = untilIdle
        handOver = takesOver ? HandOver(session) : nil
    }

    /// Says once that it waits, or asks the holder to leave.
    /// - Returns: false when nothing is left to wait for.
    mutating func isWorthIt(beside remote: RemoteClient, _ manager: ServiceManager) async throws(Problem) -> Bool {
        do throws(Problem) {
            let holder = try await remote.status()
            try await ask(holder, remote)
            let words = "process \(holder.processID) holds the ledger; taking over when it leaves"
            if !hasSaid {
                if handOver == nil { session.console.note(words) }
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

    private mutating func ask(_ holder: HolderStatus, _ remote: RemoteClient) async throws(Problem) {
        do throws(Problem) { try await handOver?.ask(holder, remote) } catch {
            guard error.code == .refused else { throw error }
            // It leaves in its own time, and so it is waited for.
            handOver = nil
            session.console.note(error.message)
        }
    }

    private func isBusy(_ remote: RemoteClient) async throws(Problem) -> Bool {
        var waiting = ListQuery()
        waiting.filter.states = [.queued, .running, .waiting]
        waiting.limit = 1
        return try await !remote.list(waiting).isEmpty
    }
}
