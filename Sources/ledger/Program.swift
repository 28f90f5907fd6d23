import LedgerCommands
import LedgerSystem

/// `ledger`: everything is in LedgerCommands.
@main
struct Program {
    static func main() async { CurrentProcess.exit(await LedgerProgram.main()) }
}
