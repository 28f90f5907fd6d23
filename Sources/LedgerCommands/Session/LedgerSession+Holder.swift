import LedgerAPI
import LedgerEngine
import LedgerSystem

extension LedgerSession {
    /// Whoever holds the ledger, once it has said so; nil when nobody serves its socket, or hangs up at once.
    /// - Throws: ``Problem/Code/held`` when it says nothing until the deadline, or until `isStopped`.
    func holder(until deadline: Duration, _ isStopped: () -> Bool) async throws(Problem) -> RemoteClient? {
        let clock = context.world.clock
        return try await ifItStays { () throws(Problem) in
            guard let remote = try await RemoteClient.connect(home, world: context.world) else { return nil }
            let patience = min(context.answerPatience, deadline - clock.uptime())
            if try await remote.greets(within: patience, isStopped: isStopped) { return remote }
            if !isStopped() {
                console.note("the process that holds the ledger does not answer; waiting for it")
                if try await remote.greets(within: deadline - clock.uptime(), isStopped: isStopped) { return remote }
            }
            remote.close()
            throw .unreachable(home)
        }
    }

    /// Whoever holds the ledger, if it says so soon; else nil. `onSilence` runs when it is there and does not answer.
    func holder(
        isStopped: () -> Bool = { false }, onSilence: () -> Void
    ) async throws(Problem) -> RemoteClient? {
        try await ifItStays { () throws(Problem) in
            guard let remote = try await RemoteClient.connect(home, world: context.world) else { return nil }
            if try await remote.greets(within: context.answerPatience, isStopped: isStopped) { return remote }
            remote.close()
            if !isStopped() { onSilence() }
            return nil
        }
    }

    /// What a holder answers; nil when it leaves instead.
    func ifItStays<Answer>(
        _ body: () async throws(Problem) -> Answer?
    ) async throws(Problem) -> Answer? {
        do throws(Problem) { return try await body() } catch {
            guard error.code == .holderLeft else { throw error }
            return nil
        }
    }
}
