import ArgumentParser

/// Options that every command has, given before the command's name, as in `ledger --home DIR list`: the parser looks
/// for them behind it.
enum LeadingOptions {
    /// The arguments with such options behind the name of the command; as they are where nothing else stands there, or
    /// no command is named.
    static func moved(_ arguments: [String]) -> [String] {
        let start = count(in: arguments)
        guard start > 0 else { return arguments }
        var (end, command) = (start, LedgerCommand.self as any ParsableCommand.Type)
        while end < arguments.count, let next = command.named(arguments[end]) { (end, command) = (end + 1, next) }
        guard end > start else { return arguments }
        return Array(arguments[start..<end] + arguments[..<start] + arguments[end...])
    }

    /// How many arguments stand there before anything else.
    static func count(in arguments: [String]) -> Int {
        var start = 0
        while start < arguments.count, let count = count(of: arguments[start]) { start += count }
        return min(start, arguments.count)
    }

    /// How many arguments such an option takes with its value; nil for anything else.
    private static func count(of argument: String) -> Int? {
        switch argument {
        case "--home": 2
        case "--json", "--quiet", "--verbose": 1
        case _ where argument.hasPrefix("--home="): 1
        case _ where argument.count > 1 && argument.hasPrefix("-") && argument.dropFirst().allSatisfy("qv".contains): 1
        default: nil
        }
    }
}

extension ParsableCommand {
    /// The subcommand of a name; nil when there is none.
    static func named(_ name: String) -> (any ParsableCommand.Type)? {
        configuration.subcommands.first { $0._commandName == name || $0.configuration.aliases.contains(name) }
    }
}
