import LedgerAPI
import LedgerModel
import LedgerSystem
import SystemPackage

#if canImport(Subprocess)
    import Subprocess
#endif

/// A hook that is a program: `PROGRAM OCCASION ID PATH`, the message as JSON on its standard input, never through a
/// shell. It took what it was told when it exits with 0. Its environment is ours with `LEDGER_KEY`, but for the proxies
/// and settings that hold secrets.
enum HookProgram {
    /// How long it may take; then it is asked to end (SIGTERM).
    static let timeLimit = Duration.seconds(60)
    /// How long it may take to end; then it is killed. Who is told to stop is done within 5 s, and this is most of it.
    static let endLimit = Duration.seconds(3)
    /// How much of the end of its standard error is kept, in bytes; its last line is told when it fails.
    static let errorBytesMax = 4 << 10

    /// The variables of an environment that no program is handed: settings of ours, and proxies, in which a password or
    /// a token stands. What else is there is not ours to judge: it may be for the program.
    static func withheld(from environment: [String: String]) -> [String] {
        environment.filter { name, value in
            let isProxy = name.lowercased().hasSuffix("_proxy")
            guard isProxy || name.hasPrefix("LEDGER_") else { return false }
            // A proxy is named without a scheme, too.
            return isProxy && value.contains("@") || Redaction.redacted(value) != value
        }.map(\.key)
    }

    static func tell(
        _ path: String, _ message: HookMessage, by clock: any LedgerClock, endLimit: Duration = endLimit
    ) async -> HookFailure? {
        let ended: HookFailure?? = await withTaskGroup(of: HookFailure??.self) { group in
            group.addTask { .some(await run(path, message, endLimit)) }
            group.addTask {
                // Cut short, it says nothing: the program does.
                do { try await clock.sleep(until: clock.uptime() + timeLimit) } catch { return .none }
                return .some(HookFailure(message: "it took longer than \(timeLimit.components.seconds) s"))
            }
            defer { group.cancelAll() }
            for await end in group { if let end { return .some(end) } }
            return .none
        }
        return ended ?? HookFailure(message: "it was not waited for")
    }

    #if canImport(Subprocess)
        private static func run(_ path: String, _ message: HookMessage, _ endLimit: Duration) async -> HookFailure? {
            var options = PlatformOptions()
            // A group of its own, all of which is asked to end with it, and killed while the program itself goes on.
            options.processGroupID = 0
            options.teardownSequence = [.gracefulShutDown(toProcessGroup: true, allowedDurationToNextStep: endLimit)]
            var changes: [Environment.Key: String?] = [:]
            for name in withheld(from: CurrentProcess.environment) {
                changes.updateValue(nil, forKey: Environment.Key(stringLiteral: name))
            }
            changes["LEDGER_KEY"] = message.key
            let arguments = [message.occasion.rawValue, message.id.description, message.row?.path ?? ""]
            do {
                let result = try await Subprocess.run(
                    .path(FilePath(path)), arguments: Arguments(arguments),
                    environment: .inherit.updating(changes), platformOptions: options,
                    input: .inputWriter, output: .discarded, error: .sequence
                ) { program in
                    async let fed: Void = feed(program.standardInputWriter, message.json + "\n")
                    // All of it is read, so that no program waits for it, and the end of it is kept.
                    var end: [UInt8] = []
                    for try await chunk in program.standardError {
                        chunk.withUnsafeBytes { end += $0 }
                        end = end.suffix(errorBytesMax)
                    }
                    await fed
                    return String(decoding: end, as: UTF8.self)
                }
                if result.terminationStatus.isSuccess { return nil }
                let words = result.closureResult.split(separator: "\n").last.map { ": \($0.prefix(300))" } ?? ""
                return HookFailure(message: Self.ending(result.terminationStatus) + words)
            } catch {
                return HookFailure(message: "it could not be run: \(error)")
            }
        }

        private static func ending(_ status: TerminationStatus) -> String {
            switch status {
            case .exited(let code): "it ended with code \(code)"
            case .signaled(let signal): "it was ended by signal \(signal)"
            }
        }

        /// Writes the message here, as what `Subprocess` writes by itself ends this process when the program does not
        /// read it (1.0.2: a descriptor that is not closed after `EPIPE`).
        private static func feed(_ program: StandardInputWriter, _ text: String) async {
            do { _ = try await program.write(text) } catch {
                // A program need not listen: its exit says whether it took it.
            }
            do { try await program.finish() } catch {
                // Closed it is either way.
            }
        }
    #else
        private static func run(_ path: String, _ message: HookMessage, _ endLimit: Duration) async -> HookFailure? {
            HookFailure(message: "no program can be started on this system")
        }
    #endif
}
