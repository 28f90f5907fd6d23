import ArgumentParser
import LedgerAPI
import LedgerModel
import LedgerSystem
import SystemPackage

/// `ledger relocate`.
struct Relocate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Say that a directory was moved, with the files in it.",
        usage: "ledger relocate <from> <to> [<options>]",
        discussion: """
            Move the directory first, to another place or to another disk. What was downloaded into it, what was \
            begun there and what is still to go there is then looked for where it is now, also by feeds and catalogs; \
            no file is touched. Nothing is fetched again for it: 'ledger reconcile', or the next 'ledger run', \
            compares the files with what was downloaded, and reads those that are new copies. 'ledger relocate' the \
            other way round is the way back.

            EXAMPLE
              ledger relocate /srv/films /mnt/films && ledger reconcile
            """)

    @Argument(help: ArgumentHelp("Where the directory was.", valueName: "from"))
    var from: String

    @Argument(help: ArgumentHelp("Where it is.", valueName: "to"))
    var to: String

    @OptionGroup var global: GlobalOptions

    func validate() throws {
        try Paths.requireNamed([from], "<from>")
        try Paths.requireNamed([to], "<to>")
    }

    func run() async throws {
        let session = try await LedgerSession(global)
        let relocation = try relocation(in: session.context)
        try requireDirectory(relocation.to, in: session.context)
        try await session.act(.relocate(relocation), on: .all)
    }

    private func relocation(in context: CommandContext) throws(Problem) -> Relocation {
        let (from, to) = (try context.directoryPath(from), try context.directoryPath(to))
        do throws(DestinationProblem) { return try Relocation.parse(from: from, to: to) } catch {
            throw Problem(error)
        }
    }

    /// Who names a place where nothing is has not moved anything yet, or has mistyped it.
    private func requireDirectory(_ path: String, in context: CommandContext) throws(Problem) {
        guard try context.namedKind(of: FilePath(path)) != .directory else { return }
        throw Problem(
            .badDestination, "'\(path)' is no directory", cause: "what was moved is looked for in there",
            next: "move the directory first; files are not moved by this", exitCode: .usage)
    }
}
