import ArgumentParser

/// `ledger`: the root of the commands.
struct LedgerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ledger",
        abstract: "A download manager that can be killed at any instant and replayed afterwards.",
        discussion: """
            Every download is an entry in a write-ahead log. Whatever ends the program - Ctrl-C, kill -9, a power cut \
            - the next start carries on from the last durable byte.

            EXAMPLE
              ledger get https://example.org/big.iso       # download now, with bars
              ledger add -i list.txt && ledger run          # queue a list, then work it off
              ledger list --state failed                    # what went wrong
              ledger replay --id 1                          # what happened to download 1
            """,
        version: Version.current,
        groupedSubcommands: [
            CommandGroup(name: "Downloading", subcommands: [Get.self, Add.self, Import.self, Run.self]),
            CommandGroup(name: "Looking", subcommands: [List.self, Show.self, Watch.self, Stats.self]),
            CommandGroup(
                name: "Steering",
                subcommands: [
                    Pause.self, Resume.self, Cancel.self, Retry.self, Move.self, Relocate.self, Change.self, Limit.self,
                    Delete.self, Undo.self,
                ]),
            CommandGroup(
                name: "The library",
                subcommands: [ListingCommand<FeedSort>.self, ListingCommand<CatalogSort>.self, Keep.self, Pin.self]),
            CommandGroup(
                name: "The log",
                subcommands: [
                    Replay.self, Diff.self, Explain.self, Verify.self, Reconcile.self, CheckpointCommand.self,
                    Proof.self, Repair.self, Compact.self, Redact.self, Export.self, Backup.self, Migrate.self,
                ]),
            CommandGroup(name: "More", subcommands: [Token.self, Doctor.self, Completions.self, Demo.self]),
        ])
}

/// What this program calls itself.
enum Version {
    /// The version, as `--version` and the socket say it.
    static let current = "0.1.0"
}
