import ArgumentParser
import LedgerCoding

/// `ledger completions`.
struct Completions: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print the completion script of a shell.",
        discussion: """
            EXAMPLE
              source <(ledger completions bash)
              ledger completions fish > ~/.config/fish/completions/ledger.fish
            """)

    /// The shells there are scripts for.
    enum Shell: String, ExpressibleByArgument, CaseIterable {
        case bash, zsh, fish
    }

    @Argument(help: "bash, zsh or fish.")
    var shell: Shell

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let kind: CompletionShell =
            switch shell {
            case .bash: .bash
            case .zsh: .zsh
            case .fish: .fish
            }
        let script = LedgerCommand.completionScript(for: kind)
        let line: JSONValue = ["shell": .string(shell.rawValue), "script": .string(script)]
        try CommandContext.now.console.print(global.json ? line.description : script)
    }
}
