import ArgumentParser
import LedgerAPI

/// `ledger delete`.
struct Delete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Remove downloads from the queue or the catalog.",
        usage: "ledger delete (<id> ... | --all | <filters>) [<options>]",
        discussion: """
            The file goes to the ledger's trash, from where 'ledger undo' brings it back; '--keep-file' leaves it \
            where it is, '--purge' removes it for good. What an unfinished download has received is removed with it. \
            What someone else has made of a file stays.

            EXAMPLE
              ledger delete 12
              ledger delete --state completed --group nightly --keep-file
            """)

    @OptionGroup var selection: SelectionOptions

    @Flag(help: "Leave the file where it is.")
    var keepFile = false

    @Flag(help: "Remove the file for good; this can not be undone.")
    var purge = false

    @OptionGroup var global: GlobalOptions

    func validate() throws {
        if keepFile && purge { throw ValidationError("Give either '--keep-file' or '--purge'.") }
    }

    func run() async throws {
        let fate: Action.FileFate = keepFile ? .keep : purge ? .purge : .trash
        try await LedgerSession(global).act(.delete(fate), on: selection.selection)
    }
}
