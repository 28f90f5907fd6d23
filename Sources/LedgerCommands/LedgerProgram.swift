import ArgumentParser
import LedgerAPI
import LedgerModel
import LedgerSystem

/// The program: arguments in, exit code out.
package enum LedgerProgram {
    /// Runs the command that the process's arguments name.
    /// - Returns: what the process exits with.
    package static func main() async -> Int32 {
        do throws(FileError) { try CurrentProcess.guardStandardStreams() } catch {
            // Without '/dev/null' a command that opens files could print into one of them.
            return LedgerAPI.ExitCode.disk.rawValue
        }
        CurrentProcess.keepOwnersRights()
        let (context, arguments) = CommandContext.system()
        if let words = undecodable {
            return render(
                Problem(
                    .usage, "\(words) is not text in UTF-8",
                    next: "give names in UTF-8; '-d' and '--home' reach a directory of another name through a link",
                    exitCode: .usage),
                console: context.console)
        }
        if let problem = lackOfDescriptors { return render(problem, console: context.console) }
        return await run(arguments, in: context)
    }

    /// The fewest files and connections that a command may have open at once: with fewer some libraries end the process
    /// where they find none left.
    private static let descriptorsMin = 64

    /// Why no command can be run; nil where as many files may be open as one needs, or may be from now on.
    private static var lackOfDescriptors: Problem? {
        do throws(FileError) {
            guard try CurrentProcess.descriptorsMax() < descriptorsMin else { return nil }
            try CurrentProcess.raiseDescriptorsMax()
            let most = try CurrentProcess.descriptorsMax()
            guard most < descriptorsMin else { return nil }
            return Problem(
                .usage, "this process may have \(most) files open at once, and \(descriptorsMin) are the fewest",
                next: "raise the limit (ulimit -n, LimitNOFILE=)", exitCode: .usage)
        } catch {
            // Unknown limits are none that is known to be too low.
            return nil
        }
    }

    /// What was given and can not be read as text: other characters in its place may name another file.
    private static var undecodable: String? {
        if let number = CurrentProcess.undecodableArgument { return "argument \(number)" }
        if let variable = CurrentProcess.undecodableVariable { return "the variable '\(variable)'" }
        return CurrentProcess.isCurrentDirectoryDecodable ? nil : "the name of the current directory"
    }

    /// Runs a command inside a context. What it says goes to the context's console.
    static func run(_ arguments: [String], in context: CommandContext) async -> Int32 {
        await CommandContext.$current.withValue(context) {
            if let problem = UnknownCommand.problem(in: arguments) { return render(problem, console: context.console) }
            do {
                var command = try LedgerCommand.parseAsRoot(separated(LeadingOptions.moved(arguments)))
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

    /// The arguments, with empty values that stand behind a `=` on their own: swift-argument-parser takes `--group=`
    /// for an option whose value is to come, which would be the next URL.
    private static func separated(_ arguments: [String]) -> [String] {
        let end = arguments.firstIndex(of: "--") ?? arguments.endIndex
        return arguments[..<end].flatMap { argument in
            argument.hasPrefix("--") && argument.firstIndex(of: "=") == argument.indices.last
                ? [String(argument.dropLast()), ""] : [argument]
        } + arguments[end...]
    }

    /// Says what went wrong, or what was asked for in the guise of an error (`--help`, `--version`).
    private static func render(_ error: any Error, console: Console) -> Int32 {
        switch error {
        case let exit as Exit: return exit.code.rawValue
        case let unwritable as Console.Unwritable: return render(unwritable, console: console)
        case let problem as Problem: return render(problem, console: console)
        default:
            let message = LedgerCommand.fullMessage(for: error)
            let code = LedgerCommand.exitCode(for: error)
            guard code.isSuccess else {
                // What was not expected may be a URL with a password in it.
                console.writeError(Redaction.redacted(message) + "\n")
                return LedgerAPI.ExitCode.usage.rawValue
            }
            do throws(Console.Unwritable) { try console.print(message) } catch {
                return render(error, console: console)
            }
            return code.rawValue
        }
    }

    private static func render(_ unwritable: Console.Unwritable, console: Console) -> Int32 {
        unwritable.isClosed ? LedgerAPI.ExitCode.done.rawValue : render(Problem(unwritable), console: console)
    }

    private static func render(_ problem: Problem, console: Console) -> Int32 {
        for line in ErrorRendering.lines(for: problem) { console.writeError(line + "\n") }
        return problem.exitCode.rawValue
    }
}
