import ArgumentParser
import LedgerAPI

/// A command that is none, and the one that was meant.
enum UnknownCommand {
    /// How many letters a name may differ by and still be the one that was meant.
    private static let typosMax = 2
    /// Longer names, in letters, are compared with none.
    private static let lettersMax = 64

    /// What is wrong with the name of the command; nil when there is one of that name, or none is named.
    static func problem(in arguments: [String]) -> Problem? {
        var rest = arguments.dropFirst(LeadingOptions.count(in: arguments))
        var (command, path) = (LedgerCommand.self as any ParsableCommand.Type, "ledger")
        while let name = rest.first, let next = command.named(name) {
            (command, path, rest) = (next, path + " " + name, rest.dropFirst())
        }
        let configuration = command.configuration
        let names = configuration.subcommands.compactMap { $0._commandName }
        guard let name = rest.first, !name.hasPrefix("-"), name != "help", !names.isEmpty,
            configuration.defaultSubcommand == nil
        else { return nil }
        let closest = names.map { (name: $0, typos: typos(name, $0)) }.min { $0.typos < $1.typos }
        // One letter says nothing, and of a short word two are most of it.
        let most = name.count < 2 ? 0 : min(typosMax, max(1, name.count / 3))
        let meant = closest.flatMap { $0.typos <= most ? $0.name : nil }
        return Problem(
            .usage, "there is no command '\(path) \(name)'",
            next: meant.map { "'\(path) \($0)' comes closest" } ?? "'\(path) --help' names all there are",
            exitCode: .usage)
    }

    /// How many letters must be put in, left out, replaced or swapped with the next to make one word another.
    static func typos(_ one: String, _ other: String) -> Int {
        let (one, other) = (Array(one), Array(other))
        guard one.count <= lettersMax, other.count <= lettersMax else { return .max }
        // Of the row before the last, the last and this one (optimal string alignment).
        var (before, last) = ([Int](), Array(0...other.count))
        for row in one.indices {
            var this = [row + 1]
            for column in other.indices {
                var least = min(last[column + 1] + 1, this[column] + 1)
                least = min(least, last[column] + (one[row] == other[column] ? 0 : 1))
                if row > 0, column > 0, one[row] == other[column - 1], one[row - 1] == other[column] {
                    least = min(least, before[column - 1] + 1)
                }
                this.append(least)
            }
            (before, last) = (last, this)
        }
        return last[other.count]
    }
}
