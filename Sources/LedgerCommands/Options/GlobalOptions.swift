import ArgumentParser

/// The flags that every command has.
struct GlobalOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Where the ledger lives (or LEDGER_HOME); else $XDG_DATA_HOME/ledger, else ~/.local/share/ledger.",
            valueName: "dir"), completion: .directory)
    var home: String?

    @Flag(help: "Print one JSON object a line on standard output, and nothing else there.")
    var json = false

    @Flag(name: .shortAndLong, help: "Say nothing to people but results and errors.")
    var quiet = false

    @Flag(name: .shortAndLong, help: "Say more.")
    var verbose = false

    func validate() throws {
        // A script's variable that turned out empty must not mean another ledger.
        if home?.isEmpty ?? false { throw ValidationError("'--home' names no directory.") }
    }
}

extension GlobalOptions {
    /// The home: absolute, from the flag or the environment.
    func homePath(in context: CommandContext) -> String {
        let user = context.environment["HOME"] ?? "/"
        if let chosen = home ?? context.environment["LEDGER_HOME"], !chosen.isEmpty {
            return Paths.absolute(chosen, from: context.directory, home: user)
        }
        if let data = context.environment["XDG_DATA_HOME"], data.hasPrefix("/") { return data + "/ledger" }
        return user + "/.local/share/ledger"
    }

    /// The context's console, as loud as the flags say.
    func console(in context: CommandContext) -> Console {
        var console = context.console
        console.loudness = quiet ? .quiet : verbose ? .verbose : .normal
        return console
    }
}
