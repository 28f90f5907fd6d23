import LedgerAPI
import LedgerEngine
import LedgerSystem

/// How `run --take-over` gets a ledger that another process holds: it asks each holder it meets to leave, once, and
/// waits for that no longer than a holder may take.
struct HandOver {
    /// How long a holder that agreed to leave is waited for, in seconds: twice as long as leaving in order may take.
    static let secondsMax: Int64 = 10

    private let session: LedgerSession
    private var asked: (processID: Int32, until: Duration)?

    /// Nobody was asked yet.
    init(_ session: LedgerSession) { self.session = session }

    /// Asks a holder to leave, unless it was asked before.
    /// - Throws: a ``Problem``: it agreed, and is there still after ``secondsMax``; or it refuses.
    mutating func ask(_ holder: HolderStatus, _ remote: RemoteClient) async throws(Problem) {
        let now = session.context.world.clock.uptime()
        if let asked, asked.processID == holder.processID {
            guard now < asked.until else { throw Self.stays(holder) }
            return
        }
        try await remote.leave()
        asked = (holder.processID, now + .seconds(Self.secondsMax))
        session.console.note(
            "process \(holder.processID) (version \(holder.programVersion)) was asked to leave; taking over")
    }

    private static func stays(_ holder: HolderStatus) -> Problem {
        Problem(
            .held, "process \(holder.processID) agreed to leave and still holds the ledger",
            cause: "it was waited for \(secondsMax) seconds",
            next: "look at what it does; 'kill -9 \(holder.processID)' ends it and loses nothing that was recorded",
            exitCode: .heldElsewhere)
    }
}
