import LedgerAPI
import LedgerEngine
import LedgerSystem

/// How `run` gets a ledger from a `get` that holds it, and with `--take-over` from another `run`: it asks the holder it
/// meets to leave, and waits for that no longer than a holder may take. A holder stays where this process could not
/// serve in its place.
struct HandOver {
    /// How long a holder that agreed to leave is waited for, in seconds: twice as long as leaving in order may take.
    static let secondsMax: Int64 = 10

    private let session: LedgerSession
    private let takesOver: Bool
    private let server: ServerPlan?
    /// Whom was asked, and how long it is waited for; no such bound for one that leaves in its own time.
    private var asked: (processID: Int32, until: Duration?)?

    /// Whether the holder agreed to leave at once.
    var isAgreed: Bool { asked?.until != nil }

    /// Whether the holder is looked at often: it is about to leave, or should.
    var isUrgent: Bool { takesOver || isAgreed }

    /// Nobody was asked yet.
    /// - Parameters:
    ///   - takesOver: whether a holder that does not give way by itself is asked, too.
    ///   - server: the API that is to be served; nil for none.
    init(_ session: LedgerSession, takesOver: Bool, serving server: ServerPlan?) {
        self.session = session
        self.takesOver = takesOver
        self.server = server
    }

    /// Asks a holder to leave that gives way, or whose place is to be taken, unless it was asked before. One that
    /// refuses does so in its own time, or once it gives way.
    /// - Throws: a ``Problem``: this process could not serve in its place, and it was not asked; or its place is to be
    ///   taken, it agreed, and is there still after ``secondsMax``.
    mutating func ask(_ holder: HolderStatus, _ remote: RemoteClient) async throws(Problem) {
        let now = session.context.world.clock.uptime()
        if asked?.processID != holder.processID { asked = nil }
        guard takesOver || holder.givesWay ?? false else { return }
        if let asked {
            if let until = asked.until {
                if now < until { return }
                // Who only gives way is asked once more: there is time.
                if takesOver { throw Self.stays(holder) }
            }
            // One that refused may have come so far meanwhile that nothing begins anew.
            guard holder.givesWay ?? false else { return }
        }
        try await server?.requireAddress(besides: holder)
        do throws(Problem) { try await remote.leave() } catch {
            guard error.code == .refused else { throw error }
            asked = (holder.processID, nil)
            return session.console.note(error.message)
        }
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
