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
        let parts = command == LedgerCommand.self ? [] : command.configuration.subcommands
        for part in [command] + parts {
            #expect(part.configuration.discussion.contains("EXAMPLE\n"), "\(part._commandName)")
        }
    }

    @Test(arguments: commands.map { $0._commandName })
    func `each example is understood as it stands`(name: String) throws {
        let command = try #require(Self.commands.first { $0._commandName == name })
        let lines = command.configuration.discussion.split(separator: "\n")
        let examples = lines.drop { $0 != "EXAMPLE" }.dropFirst().flatMap { line in
            // What a shell does with the line: comments, one command after the other, a file for the output.
            line.prefix { $0 != "#" }.prefix { $0 != ">" }.replacing("&&", with: "&").split(separator: "&")
        }
        for example in examples where !example.contains("<(") {
            let words = Self.words(example)
            #expect(words.first == "ledger")
            do { _ = try LedgerCommand.parseAsRoot(Array(words.dropFirst())) } catch {
                let isHelp = LedgerCommand.exitCode(for: error).isSuccess
                #expect(isHelp, "\(example): \(LedgerCommand.message(for: error))")
            }
        }
        #expect(!examples.isEmpty)
    }

    /// The words of a command: apart by spaces, but for those within quotes or within `$(...)`.
    private static func words(_ text: Substring) -> [String] {
        var (words, isQuoted) = ([""], false)
        for character in text.replacing(/\$\([^)]*\)/, with: "x") {
            switch character {
            case "'": isQuoted.toggle()
            case " " where !isQuoted: words.append("")
            default: words[words.count - 1].append(character)
            }
        }
        return words.filter { !$0.isEmpty }
    }
}
