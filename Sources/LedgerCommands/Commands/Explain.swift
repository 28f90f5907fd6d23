import ArgumentParser
import LedgerAPI
import LedgerCoding
import LedgerEngine
import LedgerHolder
import LedgerModel
import LedgerViews

/// `ledger explain`: how one download came to be what it is.
struct Explain: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Tell how a download came to be what it is, or why it waits.",
        usage: "ledger explain <id> [--why-waiting] [<options>]",
        discussion: """
            Every event of the download in words, with the time since it was asked for: what the origin answered, \
            which ranges came when, what failed and why, what users did. It ends with where the bytes are and their \
            digest, or with what is missing. Reads the log, beside whoever holds it.

            EXAMPLE
              ledger explain 12
              ledger explain 12 --why-waiting
              ledger explain 12 --json
            """)

    @Argument(
        help: ArgumentHelp("A download, by the number that 'ledger list' shows.", valueName: "id"),
        transform: DownloadID.parse)
    var id: DownloadID

    @Flag(help: "Say what stands before it now: a limit, its hours, a failure, the queue, room on the disk.")
    var whyWaiting = false

    @OptionGroup var archive: ArchiveOptions
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let session = try await LedgerSession(global, archive)
        if whyWaiting {
            let view = WaitingView(try await WaitingLook.look(at: id, in: session))
            try session.console.printLast(global.json ? [view.json.description] : view.lines)
        } else {
            let (id, home, world) = (id, session.home, session.context.world)
            let story = try await session.blocking { () throws(LedgerError) in
                try Story.read(id, home: home, world: world)
            }
            guard let story else { throw try await notFound(id, session) }
            let explanation = Explanation(story)
            try session.console.printLast(
                global.json ? explanation.json.map(\.description) : explanation.text(isWhole: global.verbose))
        }
    }

    /// Why there is nothing to explain.
    private func notFound(_ id: DownloadID, _ session: LedgerSession) async throws(Problem) -> Problem {
        let (home, world) = (session.home, session.context.world)
        let redaction = try await session.blocking { () throws(LedgerError) in
            try Story.redaction(of: id, home: home, world: world)
        }
        guard let redaction, case .redacted(_, let reason) = redaction.event else { return Problem(.notFound(id)) }
        return Problem(
            .notFound, "download \(id) was redacted by event \(redaction.sequence)",
            cause: reason.isEmpty ? "nothing of it was kept, and no reason was given" : reason,
            next: "'ledger replay --id \(id)' shows that event", exitCode: .failed)
    }
}
