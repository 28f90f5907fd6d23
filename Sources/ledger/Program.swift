import LedgerCommands
import LedgerSystem

/// `ledger`: everything is in LedgerCommands.
@main
struct Program {
    #if os(Linux)
        static func main() { ProgramExecutors.run { await run() } }
    #else
        static func main() async { await run() }
    #endif

    private static func run() async -> Never { CurrentProcess.exit(await LedgerProgram.main()) }
}
