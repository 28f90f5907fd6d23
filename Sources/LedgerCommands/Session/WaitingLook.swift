import LedgerAPI
import LedgerEngine
import LedgerModel
import LedgerSystem
import LedgerTransfer
import SystemPackage

/// What is known of why a download does not run: what stands before it, and who runs the queue.
struct WaitingLook: Sendable {
    /// The row as it is now.
    let row: DownloadRow
    /// What stands before it; nothing when it runs or is about to.
    let obstacles: [Obstacle]
    /// Who holds the ledger; nil when nobody does, or does not say so.
    let holder: HolderStatus?
    /// Whether somebody holds the ledger, though it may not say so.
    let isHeld: Bool

    /// What the holder says of itself, and of the downloads it works on.
    private struct Holder: Sendable {
        let status: HolderStatus
        let limits: LimitReport
        let running: [DownloadRow]
        /// The row that is looked at, as it shows it.
        let own: DownloadRow?
    }

    /// Looks at the log, and asks whoever holds the ledger what it does and may do.
    /// - Throws: ``Problem/Code/notFound`` when there is no such download.
    static func look(at id: DownloadID, in session: LedgerSession) async throws(Problem) -> WaitingLook {
        try await session.requireLedger()
        let holder = try await Self.holder(in: session, lookingAt: id)
        let state = try await session.state(at: nil)
        guard let download = state.queue[id] else { throw Problem(.notFound(id)) }
        var limits = try session.settings.limits
        if let report = holder?.limits {
            limits.runningMax = report.runningMax
            limits.runningPerHostMax = report.runningPerHostMax
            limits.window = report.window.flatMap(DailyWindow.init(parsing:))
        }
        let clock = session.context.world.clock
        let (now, local) = (clock.now(), clock.local)
        let running = (holder?.running ?? []).compactMap { state.queue[$0.id]?.lease }
        var obstacles = state.queue.obstacles(
            before: id, running: Set(running), limits: limits, at: now, local: local)
        if let missing = download.awaitedRoom, !running.contains(download.lease) {
            let (directory, fileSystem) = (download.order.destination.directory, session.context.world.fileSystem)
            let hasRoom = await session.context.world.blocking.run {
                fileSystem.hasRoom(for: missing, in: FilePath(directory))
            }
            if !hasRoom { obstacles.append(.noRoom(bytes: missing, directory: directory)) }
        }
        if let error = holder?.own?.error, error.code == DownloadRow.Failing.notNow {
            obstacles.insert(.hindered(error.message), at: 0)
        }
        let row =
            holder?.own
            ?? DownloadRow(download, opening: download.opening(under: limits.window, at: now, local))
        let isHeld = holder == nil ? try await session.isHeld() : true
        return WaitingLook(row: row, obstacles: obstacles, holder: holder?.status, isHeld: isHeld)
    }

    private static func holder(
        in session: LedgerSession, lookingAt id: DownloadID
    ) async throws(Problem) -> Holder? {
        let remote = try await session.holder {
            session.console.note("the process that holds the ledger does not answer; this is what its log says")
        }
        guard let remote else { return nil }
        defer { remote.close() }
        return try await session.ifItStays { () throws(Problem) in
            var query = ListQuery()
            query.filter.states = [.running]
            var own = ListQuery()
            own.ids = [id]
            return Holder(
                status: try await remote.status(), limits: try await remote.limit(LimitChange()),
                running: try await remote.list(query), own: try await remote.list(own).first)
        }
    }
}
