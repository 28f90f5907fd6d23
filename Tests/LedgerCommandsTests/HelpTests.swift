import ArgumentParser
import Testing

@testable import LedgerCommands

/// The help of every command, word for word, as recorded beside this file.
struct HelpTests {
    static let commands: [any ParsableCommand.Type] =
        [LedgerCommand.self] + LedgerCommand.configuration.groupedSubcommands.flatMap(\.subcommands)

    @Test(arguments: commands.map { $0._commandName })
    func `the help of each command is as recorded`(name: String) throws {
        let command = try #require(Self.commands.first { $0._commandName == name })
        let text =
            command == LedgerCommand.self
            ? LedgerCommand.helpMessage(columns: 80) : LedgerCommand.helpMessage(for: command, columns: 80)
        try Snapshot("help-\(name).txt").check(text)
    }

    @Test(arguments: commands.map { $0._commandName })
    func `each command has an example in its help`(name: String) throws {
        let command = try #require(Self.commands.first { $0._commandName == name })
        #expect(command.configuration.discussion.contains("EXAMPLE\n"))
    }
}
