import ArgumentParser

/// `ledger-bench`: makes what is measured, and measures it. One subcommand a file.
@main
struct LedgerBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ledger-bench",
        abstract: "Makes ledgers to measure on, and measures.",
        subcommands: [
            MakeLog.self, RepeatLog.self, Appends.self, ReplayLog.self, CompactOnline.self, QueueLength.self,
            Count.self,
        ])
}
