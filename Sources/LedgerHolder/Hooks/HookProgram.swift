import LedgerAPI
import LedgerModel
import SystemPackage

#if canImport(Subprocess)
    import Subprocess
#endif

/// A hook that is a program: `PROGRAM OCCASION ID PATH`, the message as JSON on its standard input, never through a
/// shell. It took what it was told when it exits with 0.
enum HookProgram {
    /// How long it may take; then it is asked to end (SIGTERM), and killed.
    static let timeLimit = Duration.seconds(60)
    /// How long it may take to end.
    static let endLimit = Duration.seconds(5)
    /// How much of its standard error is told when it fails, in bytes.
    static let errorBytesMax = 64 << 10

    static func tell(_ path: String, _ message: HookMessage) async -> HookFailure? {
        let ended: HookFailure?? = await withTaskGroup(of: HookFailure??.self) { group in
            group.addTask { .some(await run(path, message)) }
            group.addTask {
                // Cut short, it says nothing: the program does.
                do { try await Task.sleep(for: timeLimit) } catch { return .none }
                return .some(HookFailure(message: "it took longer than \(timeLimit.components.seconds) s"))
            }
            defer { group.cancelAll() }
            for await end in group { if let end { return .some(end) } }
            return .none
        }
        return ended ?? HookFailure(message: "it was not waited for")
    }

    #if canImport(Subprocess)
        private static func run(_ path: String, _ message: HookMessage) async -> HookFailure? {
            var options = PlatformOptions()
            options.teardownSequence = [.gracefulShutDown(allowedDurationToNextStep: endLimit)]
            let arguments = [message.occasion.rawValue, message.id.description, message.row?.path ?? ""]
            do {
                let result = try await Subprocess.run(
                    .path(FilePath(path)), arguments: Arguments(arguments),
                    environment: .inherit.updating(["LEDGER_KEY": message.key]), platformOptions: options,
                    input: .string(message.json + "\n"), output: .discarded, error: .string(limit: errorBytesMax))
                if result.terminationStatus.isSuccess { return nil }
                let words = result.standardError.split(separator: "\n").last.map { ": \($0.prefix(300))" } ?? ""
                return HookFailure(message: "it ended with \(result.terminationStatus)\(words)")
            } catch {
                return HookFailure(message: "it could not be run: \(error)")
            }
        }
    #else
        private static func run(_ path: String, _ message: HookMessage) async -> HookFailure? {
            HookFailure(message: "no program can be started on this system")
        }
    #endif
}
