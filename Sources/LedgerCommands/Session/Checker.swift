import LedgerAPI
import LedgerCoding
import LedgerEngine
import LedgerHolder
import LedgerModel
import LedgerViews

/// What `replay --check` does: folds everything and compares it with whoever has a state.
struct Checker: Sendable {
    /// The ledger, and where to say what was found.
    let session: LedgerSession

    /// Folds, compares and says so.
    /// - Throws: ``Exit`` with ``ExitCode/tampering`` when a state diverges from the log whose checksums all hold, and
    ///   as `verify` does when the snapshot that stands for what was taken out can not be read. Any other that can not
    ///   be read is told, and is no damage: it is a cache.
    func run() async throws {
        let (home, world) = (session.home, session.context.world)
        let holder = try await holder()
        let end = try await session.blocking { () throws(LedgerError) in
            try LedgerReading(home: home, world: world).end()
        }
        let progress = ReadingProgress(session, after: .zero, through: end)
        defer { progress.finish() }
        let report = try await session.blocking { () throws(LedgerError) in
            try StateCheck(home: home, world: world, holder: holder).run { progress.take($0, bytes: $1) }
        }
        progress.finish()
        let view = CheckView(report)
        try session.console.printLast(session.isJSON ? [view.json.description] : view.lines)
        if view.exitCode != .done { throw Exit(code: view.exitCode) }
    }

    /// What whoever holds the ledger has in memory; nil when nobody does, or does not say.
    private func holder() async throws(Problem) -> StateCheck.Witness? {
        let remote = try await session.holder {
            session.console.note("the process that holds the ledger does not answer; its state is not compared")
        }
        guard let remote else { return nil }
        defer { remote.close() }
        let status: StateDigest?
        do throws(Problem) {
            status = try await session.ifItStays { () throws(Problem) in try await remote.digest() }
        } catch {
            guard error.code == .versionMismatch else { throw error }
            session.console.note("the process that holds the ledger is another version; its state is not compared")
            return nil
        }
        guard let status else { return nil }
        return StateCheck.Witness(
            name: "the state of the process that holds the ledger", sequence: status.sequence, digest: status.digest)
    }
}
