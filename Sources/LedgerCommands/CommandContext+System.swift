import LedgerEngine
import LedgerSystem
import SystemPackage

extension CommandContext {
    /// The context of this process, and its arguments without the program's name.
    static func system() -> (context: CommandContext, arguments: [String]) {
        let environment = CurrentProcess.environment
        let context = CommandContext(
            console: Console(environment: environment), environment: environment, directory: currentDirectory(),
            world: .system(),
            readInput: { () throws(FileError) in
                try Input.readToEnd(bytesMax: LedgerSession.inputBytesMax)
            },
            readLine: typing(),
            interrupts: interrupts, leave: { CurrentProcess.exit($0) }, executable: executable())
        return (context, Array(CommandLine.arguments.dropFirst()))
    }

    /// Waits for a line from the terminal; nil where standard input is none.
    private static func typing() -> (@Sendable () throws(FileError) -> String?)? {
        guard Input.isTerminal else { return nil }
        return { () throws(FileError) -> String? in try Input.line(bytesMax: Input.lineBytesMax) }
    }

    private static func currentDirectory() -> String {
        do throws(FileError) { return try CurrentProcess.currentDirectory().string } catch {
            // It was removed under us; what is relative has no meaning then, and the root refuses files to most.
            return "/"
        }
    }

    private static func executable() -> String {
        do throws(FileError) { return try CurrentProcess.executable().string } catch {
            return CommandLine.arguments.first ?? "ledger"
        }
    }

    /// SIGINT, SIGTERM and SIGHUP. Where they can not be caught, they end the process, which is safe at any instant.
    private static func interrupts() -> AsyncStream<Void> {
        do throws(FileError) {
            let signals = try Signals.caught()
            return AsyncStream { continuation in
                let forwarding = Task {
                    for await _ in signals { continuation.yield() }
                }
                continuation.onTermination = { _ in forwarding.cancel() }
            }
        } catch {
            return AsyncStream { $0.finish() }
        }
    }
}

extension Console {
    /// The console of this process.
    init(environment: [String: String]) {
        let isDumb = environment["TERM"] == "dumb"
        let locale = environment["LC_ALL"] ?? environment["LC_CTYPE"] ?? environment["LANG"] ?? ""
        self.init(
            writeOutput: { text throws(Unwritable) in
                do throws(FileError) { try Output.standard.write(text) } catch { throw Unwritable(cause: error) }
            },
            writeError: { text in
                do throws(FileError) { try Output.error.write(text) } catch {
                    // Nobody reads what is for people: nothing is lost.
                    return
                }
            },
            outputColumns: Output.standard.terminal?.columns,
            errorTerminal: { isDumb ? nil : Output.error.terminal },
            isUnicode: locale.uppercased().replacing("-", with: "").contains("UTF8"))
    }
}
