import LedgerEngine
import LedgerModel
import LedgerSystem
import Synchronization
import SystemPackage
import Testing

@testable import LedgerCommands

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Runs commands in this process on a home of their own in a temporary directory, and keeps what they said.
final class Shell: Sendable {
    /// What a command came to.
    struct Result: Sendable {
        let code: Int32
        let output: String
        let errors: String

        /// The lines of standard output.
        var lines: [Substring] { output.split(separator: "\n") }
    }

    /// Whether the commands are run where the current directory was removed.
    private let isDirectoryGone: Bool
    /// The temporary directory; the current one of the commands.
    let directory: FilePath
    private let world: World
    private let fileSystem = RealFileSystem()

    /// A shell of this machine, with a clock of its own where there is one.
    init(clock: (any LedgerClock)? = nil, isDirectoryGone: Bool = false) throws {
        self.isDirectoryGone = isDirectoryGone
        let system = World.system()
        world = World(
            fileSystem: system.fileSystem, clock: clock ?? system.clock, random: system.random,
            blocking: system.blocking)
        directory = FilePath("/tmp/ledger-commands-\(String(world.random(), radix: 36))")
        try fileSystem.createDirectory(directory, permissions: 0o700)
    }

    deinit {
        do { try remove(directory) } catch { preconditionFailure("a temporary directory can not be removed: \(error)") }
    }

    /// The home of the ledger.
    var home: FilePath { directory.appending("home") }
    /// What a command is told by its environment.
    private var settings: [String: String] { ["LEDGER_HOME": home.string, "HOME": directory.string] }
    /// The environment of a process of its own: ours, which also tells a sanitizer what to look for.
    var processEnvironment: [String: String] { CurrentProcess.environment.merging(settings) { $1 } }

    /// Runs a command.
    /// - Parameters:
    ///   - input: what stands on its standard input.
    ///   - interrupts: Ctrl-C, whenever it yields.
    ///   - hangUps: SIGHUP, whenever it yields, for a command that does not end by it.
    ///   - patience: how long a ledger that is neither free nor answers is waited for.
    ///   - answerPatience: how long a holder is waited for where it can be done without.
    ///   - reading: reads what it prints on standard output, as it comes.
    ///   - hearing: reads what it says on standard error, as it comes.
    ///   - output: what every write to standard output fails with.
    ///   - typed: the lines that someone types on the terminal; nil when there is none.
    func run(
        _ arguments: String..., input: String = "", interrupts: AsyncStream<Void>? = nil,
        hangUps: AsyncStream<Void>? = nil,
        environment: [String: String] = [:], patience: Duration = .seconds(60),
        answerPatience: Duration = .seconds(2), reading: @escaping @Sendable (String) -> Void = { _ in },
        hearing: @escaping @Sendable (String) -> Void = { _ in },
        output: Errno? = nil, typed: [String]? = nil
    ) async -> Result {
        await run(
            arguments, input: input, interrupts: interrupts, hangUps: hangUps, environment: environment,
            patience: patience, answerPatience: answerPatience, reading: reading, hearing: hearing, output: output,
            typed: typed)
    }

    /// Runs a command.
    func run(
        _ arguments: [String], input: String = "", interrupts: AsyncStream<Void>? = nil,
        hangUps: AsyncStream<Void>? = nil,
        environment: [String: String] = [:], patience: Duration = .seconds(60),
        answerPatience: Duration = .seconds(2), reading: @escaping @Sendable (String) -> Void = { _ in },
        hearing: @escaping @Sendable (String) -> Void = { _ in },
        output problem: Errno? = nil,
        typed: [String]? = nil
    ) async -> Result {
        let texts = Texts()
        let console = Console(
            writeOutput: { text throws(Console.Unwritable) in
                if let problem { throw Console.Unwritable(cause: FileError("write", "standard output", problem)) }
                texts.output.append(text)
                reading(text)
            },
            writeError: { text in
                texts.errors.append(text)
                hearing(text)
            }, outputColumns: nil, errorTerminal: { nil }, isUnicode: false)
        let settings = self.settings.merging(environment) { $1 }
        var context = CommandContext(
            console: console, environment: settings, directory: isDirectoryGone ? "" : directory.string, world: world,
            readInput: { Array(input.utf8) },
            signals: { wanted in
                (wanted.contains(.interrupt) ? interrupts : hangUps) ?? AsyncStream { _ in }
            },
            leave: { preconditionFailure("a second interrupt, exit \($0)") }, executable: "ledger",
            patience: patience)
        if let typed {
            let lines = Mutex(typed[...])
            context.readLine = { () throws(FileError) in lines.withLock { $0.popFirst() } }
        }
        context.answerPatience = answerPatience
        let code = await LedgerProgram.run(arguments, in: context)
        return Result(code: code, output: texts.output.text, errors: texts.errors.text)
    }

    /// The bytes of a file below ``directory``; nil when it is not there.
    func contents(_ name: String) throws -> [UInt8]? {
        try fileSystem.contents(of: FilePath(directory.string + "/" + name))
    }

    /// Writes a file below ``directory``.
    func write(_ name: String, _ bytes: [UInt8], permissions: UInt16 = 0o600) throws {
        try fileSystem.replaceContents(
            of: FilePath(directory.string + "/" + name), with: bytes, permissions: permissions)
    }

    /// Makes a symbolic link below ``directory``.
    func link(_ name: String, to target: String) {
        #expect(FilePath(directory.string + "/" + name).withPlatformString { symlink(target, $0) } == 0)
    }

    /// Changes one byte of a file below ``directory``, the one in the middle unless told; fails when it is shorter.
    /// - Returns: what the file holds then.
    @discardableResult
    func damage(_ name: String, at place: Int? = nil, bits: UInt8 = 1) throws -> [UInt8] {
        var bytes = try #require(try contents(name), "\(name) is not there")
        let place = place ?? bytes.count / 2
        try #require(place < bytes.count, "\(name) has \(bytes.count) bytes")
        bytes[place] ^= bits
        try write(name, bytes)
        return bytes
    }

    /// Removes a file below ``directory``.
    func removeFile(_ name: String) throws { try fileSystem.unlink(FilePath(directory.string + "/" + name)) }

    /// Gives a file below ``directory`` another name there.
    func rename(_ name: String, to other: String) throws {
        try fileSystem.rename(directory.appending(name), to: directory.appending(other), replacing: false)
    }

    /// The names in a directory below ``directory``.
    func names(in name: String) throws -> [String] { try fileSystem.list(FilePath(directory.string + "/" + name)) }

    private func remove(_ path: FilePath) throws {
        for name in try fileSystem.list(path) {
            let child = path.appending(name)
            if try fileSystem.status(of: child)?.kind == .directory {
                try remove(child)
            } else {
                try fileSystem.unlink(child)
            }
        }
        try fileSystem.removeDirectory(path)
    }
}

/// What a command said.
private final class Texts: Sendable {
    /// One stream of it.
    final class Stream: Sendable {
        private let value = Mutex("")

        func append(_ text: String) { value.withLock { $0 += text } }

        var text: String { value.withLock { $0 } }
    }

    let output = Stream()
    let errors = Stream()
}
