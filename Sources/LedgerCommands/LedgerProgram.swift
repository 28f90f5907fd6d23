import ArgumentParser
import LedgerAPI

/// The program: arguments in, exit code out.
package enum LedgerProgram {
    /// Runs the command that the process's arguments name.
    /// - Returns: what the process exits with.
    package static func main() async -> Int32 {
        let (context, arguments) = CommandContext.system()
        return await run(arguments, in: context)
    }

    /// Runs a command inside a context. What it says goes to the context's console.
    static func run(_ arguments: [String], in context: CommandContext) async -> Int32 {
        await CommandContext.$current.withValue(context) {
            do {
                var command = try LedgerCommand.parseAsRoot(arguments)
                if var command = command as? any AsyncParsableCommand {
                    try await command.run()
                } else {
                    try command.run()
                }
                return LedgerAPI.ExitCode.done.rawValue
            } catch {
                return render(error, console: context.console)
            }
        }
    }

    /// Says what went wrong, or what was asked for in the guise of an error (`--help`, `--version`).
    private static func render(_ error: any Error, console: Console) -> Int32 {
        switch error {
        case let exit as Exit: return exit.code.rawValue
        case is Console.Closed: return LedgerAPI.ExitCode.done.rawValue
        case let problem as Problem:
            for line in ErrorRendering.lines(for: problem) { console.writeError(line + "\n") }
            return problem.exitCode.rawValue
        default:
            let message = LedgerCommand.fullMessage(for: error)
            let code = LedgerCommand.exitCode(for: error)
            guard code.isSuccess else {
                console.writeError(message + "\n")
                return LedgerAPI.ExitCode.usage.rawValue
            }
            do throws(Console.Closed) { try console.print(message) } catch {
                // Nobody reads the help: nothing is lost.
                return LedgerAPI.ExitCode.done.rawValue
            }
            return code.rawValue
        }
    }
}
