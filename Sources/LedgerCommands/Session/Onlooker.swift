import LedgerAPI
import LedgerEngine
import LedgerLog
import LedgerModel
import LedgerSystem
import Synchronization

/// What `watch` does: shows what whoever holds the ledger does, one holder after the other.
struct Onlooker: Sendable {
    /// The ledger, and where to show it.
    let session: LedgerSession
    /// Only these; all when empty.
    let ids: [DownloadID]
    /// Only what it fits; all when it asks for nothing.
    let filter: Filter

    /// How long between two looks for a holder.
    static let pause = Duration.milliseconds(500)
    /// How long the log is not read while its heads stay as they were: whoever is killed writes none.
    private static let readingPause = Duration.seconds(10)

    /// Runs until the downloads have ended, nobody reads the rows any more, or it is interrupted; without ids that is
    /// its only end.
    /// - Returns: whether it came to its end, and nothing that it waited for failed.
    func run() async throws(Problem) -> Bool {
        try await requireAll()
        let reporter = ProgressReporter(session, rows: .changes)
        let sieve = Sieve(filter)
        let holder = Mutex<RemoteClient?>(nil)
        let interruption = Interruption(session.context) { holder.withLock { $0 }?.close() }
        defer { interruption.end() }
        var hasSaid = false
        var glance: Glance?
        while !interruption.isRequested {
            let sayItIsSilent = {
                if !hasSaid {
                    session.console.note("the process that holds the ledger does not answer; waiting for it")
                }
                hasSaid = true
            }
            let remote = try await session.holder(
                isStopped: { interruption.isRequested }, onSilence: sayItIsSilent)
            if let remote {
                holder.withLock { $0 = remote }
                defer { remote.close() }
                if try await show(remote, reporter, sieve, interruption) { return await isFine(reporter) }
            }
            if interruption.isRequested { break }
            if try isNews(&glance), try await hasEnded(reporter) { return await isFine(reporter) }
            if remote == nil, !hasSaid {
                hasSaid = true
                // A ledger that is not there, or is damaged, will have no holder.
                _ = try await session.state(at: nil)
                session.console.note("nobody holds the ledger now; waiting for 'ledger run' or 'ledger get'")
            }
            try await session.wait(Self.pause)
        }
        await reporter.finish(saying: false)
        try await reporter.requireOutput()
        return ids.isEmpty
    }

    private func isFine(_ reporter: ProgressReporter) async -> Bool {
        let total = await reporter.total
        return ids.isEmpty || total.failed == 0
    }

    /// - Throws: ``Problem/Code/notFound`` for the first that is not there.
    private func requireAll() async throws(Problem) {
        var query = ListQuery()
        query.ids = ids
        let known = Set(ids.isEmpty ? [] : try await session.recordedRows(query).map(\.id))
        if let unknown = ids.first(where: { !known.contains($0) }) { throw Problem(.notFound(unknown)) }
    }

    /// Shows what one holder does.
    /// - Returns: false when it left before the end.
    private func show(
        _ remote: RemoteClient, _ reporter: ProgressReporter, _ sieve: Sieve, _ interruption: Interruption
    ) async throws(Problem) -> Bool {
        do throws(Problem) {
            try await remote.watch(WatchQuery(ids: ids, untilEnd: !ids.isEmpty)) { rows in
                await reporter.take(sieve.pass(rows))
                return !(await reporter.hasLostOutput) && !interruption.isRequested
            }
        } catch {
            guard error.code == .holderLeft else { throw error }
            return false
        }
        if interruption.isRequested { return false }
        await reporter.finish(saying: !ids.isEmpty)
        try await reporter.requireOutput()
        return true
    }

    /// Whether the log may tell what it did not at the last look: to fold it takes long where it is.
    private func isNews(_ glance: inout Glance?) throws(Problem) -> Bool {
        let world = session.context.world
        var heads: [FileStatus?] = []
        for head in LogHome(session.home.path).heads {
            do throws(FileError) { heads.append(try world.fileSystem.status(of: head)) } catch {
                throw Problem(.disk, "the ledger can not be looked at", cause: "\(error)", exitCode: .disk)
            }
        }
        let now = world.clock.uptime()
        if let last = glance, last.heads == heads, now - last.instant < Self.readingPause { return false }
        glance = Glance(heads: heads, instant: now)
        return true
    }

    private func hasEnded(_ reporter: ProgressReporter) async throws(Problem) -> Bool {
        guard !ids.isEmpty else { return false }
        var query = ListQuery()
        query.ids = ids
        let rows = try await session.recordedRows(query)
        guard rows.allSatisfy(\.state.isEnd) else { return false }
        await reporter.take(rows)
        await reporter.finish(saying: true)
        try await reporter.requireOutput()
        return true
    }
}

/// What the ledger's heads were, and when that was looked at.
private struct Glance {
    let heads: [FileStatus?]
    let instant: Duration
}

/// Lets the rows through that a filter fits, and of each that it did the first that it does not.
private final class Sieve: Sendable {
    private let matcher: Filter.Matcher?
    private let passed = Mutex<Set<DownloadID>>([])

    init(_ filter: Filter) { matcher = filter.isEmpty ? nil : filter.matcher }

    func pass(_ rows: [DownloadRow]) -> [DownloadRow] {
        guard let matcher else { return rows }
        return passed.withLock { passed in
            rows.filter { row in
                if matcher.matches(row) {
                    passed.insert(row.id)
                    return true
                }
                return passed.remove(row.id) != nil
            }
        }
    }
}
