import LedgerAPI
import LedgerEngine
import LedgerModel
import LedgerSystem
import SystemPackage

/// What a command finds around it: the process's own, or a test's.
struct CommandContext: Sendable {
    /// Where its words go.
    var console: Console
    /// The environment.
    var environment: [String: String]
    /// The current directory, absolute; empty when it was removed.
    var directory: String
    /// Disk, time, chance.
    var world: World
    /// Reads standard input to its end.
    var readInput: @Sendable () throws(FileError) -> [UInt8]
    /// Waits for a line that someone types, without its end; nil at the end of what is typed. Itself nil when standard
    /// input is no terminal.
    var readLine: (@Sendable () throws(FileError) -> String?)?
    /// Those signals as they come. Asked for by commands that run for long; until then they end the process.
    var signals: @Sendable (Set<Signal>) -> AsyncStream<Void>
    /// Ends the process at once, with this exit code.
    var leave: @Sendable (Int32) -> Never
    /// Whether the journal of systemd reads standard error, which it says in `JOURNAL_STREAM`.
    var isJournal = false
    /// This program, for `demo` to start itself.
    var executable: String
    /// How long a ledger that is neither free nor answers is waited for: its holder is starting or leaving.
    var patience = Duration.seconds(10)
    /// How long a holder is waited for where it can be done without, and before anything is said of it elsewhere.
    var answerPatience = Duration.seconds(2)

    /// The context of the command that runs.
    @TaskLocal static var current: CommandContext?

    /// The context of the command that runs; every command is run inside one.
    static var now: CommandContext {
        guard let current else { preconditionFailure("a command runs inside a context: see Program.run") }
        return current
    }

    /// Draws the name of a command.
    func newCommand() -> CommandID { CommandID(high: world.random(), low: world.random()) }
}

extension CommandContext {
    /// Where a file is that is named from here: `~` is the user's home.
    func path(_ name: String) -> FilePath {
        FilePath(Paths.absolute(name, from: directory, home: environment["HOME"]))
    }

    /// The absolute path of a directory that someone named. What `..` leads to is where the system finds it, behind
    /// links; of what is not there yet it is as it is written.
    /// - Throws: a ``Problem`` for a link that leads nowhere, or when the disk refuses to look.
    func directoryPath(_ name: String) throws(Problem) -> String {
        let path = path(name)
        guard path.components.contains(where: { $0.kind == .parentDirectory }) else { return path.string }
        do throws(FileError) {
            let (standing, missing) = try world.fileSystem.weaklyResolved(path)
            return standing.appending(missing).lexicallyNormalized().string
        } catch { throw Problem(LedgerError.file(error)) }
    }

    /// What stands at a path, behind every link; nil when nothing does.
    func kind(of path: FilePath) throws(FileError) -> FileStatus.Kind? {
        let fileSystem = world.fileSystem
        do throws(FileError) { return try fileSystem.status(of: try fileSystem.resolved(path))?.kind } catch {
            if error.errno == .noSuchFileOrDirectory { return nil }
            throw error
        }
    }

    /// The same, where whoever named the path is told what the disk refused.
    func namedKind(of path: FilePath) throws(Problem) -> FileStatus.Kind? {
        do throws(FileError) { return try kind(of: path) } catch { throw Problem(LedgerError.file(error)) }
    }
}
