import LedgerAPI
import LedgerCoding
import LedgerModel

/// What `watch` does: shows what whoever holds the ledger does, one holder after the other.
struct Onlooker: Sendable {
    /// The ledger, and where to show it.
    let session: LedgerSession
    /// Only these; all when empty.
    let ids: [DownloadID]

    /// How long between two looks for a holder.
    static let pause = Duration.milliseconds(500)

    /// Runs until the downloads have ended; without ids, until the process is interrupted.
    func run() async throws(Problem) {
        let reporter = ProgressReporter(session)
        var hasSaid = false
        if !ids.isEmpty {
            var query = ListQuery()
            query.ids = ids
            let known = Set(try await session.rows(query).map(\.id))
            if let unknown = ids.first(where: { !known.contains($0) }) { throw Problem(.notFound(unknown)) }
        }
        while true {
            if let remote = try await RemoteClient.connect(session.home, world: session.context.world) {
                defer { remote.close() }
                do throws(Problem) {
                    try await show(remote, reporter)
                    await reporter.finish(saying: true)
                    return
                } catch {
                    guard error.code == .holderLeft else { throw error }
                }
            } else if try await hasEnded(reporter) {
                return
            } else if !hasSaid {
                hasSaid = true
                // A ledger that is not there, or is damaged, will have no holder.
                _ = try await session.state(at: nil)
                session.console.note("nobody holds the ledger now; waiting for 'ledger run' or 'ledger get'")
            }
            try await session.wait(Self.pause)
        }
    }

    private func show(_ remote: RemoteClient, _ reporter: ProgressReporter) async throws(Problem) {
        let session = session
        try await remote.watch(WatchQuery(ids: ids, untilEnd: !ids.isEmpty)) { rows in
            guard session.isJSON else {
                await reporter.take(rows)
                return true
            }
            do throws(Console.Closed) { try session.console.print(rows.map(\.json.description)) } catch { return false }
            return true
        }
    }

    private func hasEnded(_ reporter: ProgressReporter) async throws(Problem) -> Bool {
        guard !ids.isEmpty else { return false }
        var query = ListQuery()
        query.ids = ids
        let rows = try await session.rows(query)
        guard rows.allSatisfy(\.state.isEnd) else { return false }
        await reporter.take(rows)
        await reporter.finish(saying: true)
        return true
    }
}
