import ArgumentParser
import LedgerSystem

/// `ledger-bench`: makes what is measured, and measures it. One subcommand a file.
struct LedgerBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ledger-bench",
        abstract: "Makes ledgers to measure on, and measures.",
        subcommands: [
            MakeLog.self, RepeatLog.self, Appends.self, ReplayLog.self, CompactOnline.self, QueueLength.self,
            Count.self,
        ])
}

/// Valgrind ends a program whose main thread has ended, as an asynchronous `main` lets it do: what it is to count runs
/// on that thread, and for the rest that one waits.
@main
enum Program {
    static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        if arguments.first == Count.configuration.commandName { return Count.main(Array(arguments.dropFirst())) }
        WaitingThread.wait { await LedgerBench.main() }
    }
}
