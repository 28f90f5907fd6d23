import LedgerEngine
import LedgerSystem
import SystemPackage

extension CommandContext {
    /// The context of this process, and its arguments without the program's name.
    static func system() -> (context: CommandContext, arguments: [String]) {
        var environment = CurrentProcess.environment
        // A service may have none, and '/.local' is nobody's.
        if environment["HOME", default: ""].isEmpty { environment["HOME"] = CurrentProcess.homeDirectory?.string }
        var context = CommandContext(
            console: Console(environment: environment), environment: environment, directory: currentDirectory(),
            world: .system(),
            readInput: { () throws(FileError) in
                try Input.readToEnd(bytesMax: LedgerSession.inputBytesMax)
            },
            readLine: typing(),
            signals: signals, leave: { CurrentProcess.exit($0) }, executable: executable())
        context.isJournal = isJournal(environment)
        return (context, Array(CurrentProcess.arguments.dropFirst()))
    }

    /// Waits for a line from the terminal; nil where standard input is none.
    private static func typing() -> (@Sendable () throws(FileError) -> String?)? {
        guard Input.isTerminal else { return nil }
        return { () throws(FileError) -> String? in try Input.line(bytesMax: Input.lineBytesMax) }
    }

    /// Whether standard error is the stream that the journal names, and was not sent elsewhere since.
    private static func isJournal(_ environment: [String: String]) -> Bool {
        guard let named = environment["JOURNAL_STREAM"], let found = Output.error.identity else { return false }
        return named == "\(found.device):\(found.inode)"
    }

    private static func currentDirectory() -> String {
        do throws(FileError) { return try CurrentProcess.currentDirectory().string } catch {
            // It was removed under us; what is relative is nowhere then, and refused where it is to be written to.
            return ""
        }
    }

    private static func executable() -> String {
        do throws(FileError) { return try CurrentProcess.executable().string } catch {
            return CurrentProcess.arguments.first ?? "ledger"
        }
    }

    /// Those of SIGINT, SIGTERM and SIGHUP that are wanted; from then on none of them ends the process. Where they can
    /// not be caught, they do, which is safe at any instant.
    private static func signals(_ wanted: Set<Signal>) -> AsyncStream<Void> {
        do throws(FileError) {
            let signals = try Signals.caught()
            return AsyncStream { continuation in
                let forwarding = Task {
                    for await signal in signals where wanted.contains(signal) { continuation.yield() }
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
