import LedgerCommands
import LedgerSystem

/// `ledger`: everything is in LedgerCommands.
@main
struct Program {
    #if os(Linux)
        static func main() {
            Signals.unblock()
            ProgramExecutors.run { await run() }
        }
    #else
        static func main() async {
            Signals.unblock()
            await run()
        }
    #endif

    private static func run() async -> Never { CurrentProcess.exit(await LedgerProgram.main()) }
}
