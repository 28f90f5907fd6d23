package import DownloadLedger
package import FoundationEssentials
package import LedgerEngine
import LedgerModel
package import LedgerSystem
package import LedgerTestSupport
package import SystemPackage

/// An app with a ledger in a directory of its own that goes with it, on the real disk or on that of its world, and an
/// origin on a real socket.
package struct AppFixture: Sendable {
    /// The directory of the app: `ledger` and `files` in it.
    package let root: FilePath
    /// Who serves the files.
    package let origin: OriginServer
    /// What the app embeds.
    package let ledger: DownloadLedger
    private let configuration: LedgerConfiguration
    private let world: World

    /// What else is configured.
    package struct Settings {
        fileprivate let apply: (inout LedgerConfiguration) -> Void

        /// Nothing.
        package static var usual: Settings { .by { _ in } }

        /// What `apply` says.
        package static func by(_ apply: @escaping (inout LedgerConfiguration) -> Void) -> Settings {
            Settings(apply: apply)
        }
    }

    /// Runs `body` with an open ledger, and takes everything down after it.
    package static func run(
        retries: LedgerConfiguration.Retries = .exponential(), runningMax: Int = 4, naming: NamingStrategy = .name,
        in world: World = .system(), configured settings: Settings = .usual,
        _ body: (AppFixture) async throws -> Void
    ) async throws {
        var generator = SystemRandomNumberGenerator()
        let root = FilePath("/tmp/ledger-app-\(String(generator.next(), radix: 16))")
        try world.fileSystem.createDirectory(root, permissions: 0o700)
        var configuration = LedgerConfiguration()
        configuration.directory = URL(filePath: root.appending("files").string, directoryHint: .isDirectory)
        (configuration.retries, configuration.runningMax, configuration.naming) = (retries, runningMax, naming)
        settings.apply(&configuration)
        let origin = try await OriginServer.start()
        let ledger = try await open(root, configuration, world)
        let fixture = AppFixture(
            root: root, origin: origin, ledger: ledger, configuration: configuration, world: world)
        do { try await body(fixture) } catch {
            try await fixture.takeDown()
            throw error
        }
        try await fixture.takeDown()
    }

    /// What ``clock()`` shows at first.
    package static let begin = Date(timeIntervalSince1970: 1_772_532_000)

    /// A clock that stands still until a test moves it.
    package static func clock() -> ManualClock {
        ManualClock(Timestamp(milliseconds: Int64(begin.timeIntervalSince1970) * 1000))
    }

    /// A world whose time stands still until `clock` is moved, on the real disk if no other is given.
    package static func world(
        _ clock: ManualClock, _ disk: any FileSystem = RealFileSystem(),
        random: @escaping @Sendable () -> UInt64 = {
            var generator = SystemRandomNumberGenerator()
            return generator.next()
        }
    ) -> World {
        World(fileSystem: disk, clock: SteadyClock(clock), random: random, blocking: BlockingPool())
    }

    /// A disk in memory that does not let go of what was received of a download.
    package static func clingingDisk() -> SimulatedDisk {
        let disk = SimulatedDisk()
        disk.inject(SimulatedFault(.unlink, .ioError, forGood: true) { $0.string.hasSuffix(".part") })
        return disk
    }

    /// Runs `body` with the app started anew; what is open then is closed after it.
    package func restarted(_ body: (AppFixture) async throws -> Void) async throws {
        let app = try await restarted()
        do { try await body(app) } catch {
            await app.ledger.close()
            throw error
        }
        await app.ledger.close()
    }

    /// The app started anew; who asks closes its ledger.
    package func restarted() async throws -> AppFixture {
        await ledger.close()
        return AppFixture(
            root: root, origin: origin, ledger: try await Self.open(root, configuration, world),
            configuration: configuration, world: world)
    }

    /// The URL of a path at the origin.
    package func url(_ path: String) throws -> URL {
        guard let url = URL(string: try origin.url(path).text) else { preconditionFailure("an origin has a URL") }
        return url
    }

    /// A URL where nobody listens.
    package static func deadURL() async throws -> URL {
        let gone = try await OriginServer.start()
        let text = try gone.url("/gone").text
        try await gone.stop()
        guard let url = URL(string: text) else { preconditionFailure("an origin has a URL") }
        return url
    }

    /// The path of something in the directory of the app.
    package func path(_ below: String) -> String { root.string + "/" + below }

    /// Serves these bytes.
    package func serve(_ path: String, _ bytes: [UInt8]) { origin.on(path) { OriginEntity(bytes).reply(to: $0) } }

    /// Serves these bytes, each answer held at the gate once it has sent so many of them.
    package func serve(_ path: String, _ bytes: [UInt8], holdingAt gate: OriginGate, after count: Int = 0) {
        origin.on(path) { OriginEntity(bytes).reply(to: $0).holding(at: gate, after: count) }
    }

    /// The paths that were asked for so far, in order.
    package var requested: [String] { origin.requests.map(\.path) }

    /// What a file holds; nil when there is none.
    package func contents(_ file: URL) throws -> [UInt8]? { try world.fileSystem.contents(of: Self.path(of: file)) }

    /// The names in the directory of the files, the parts of what runs among them; none when it was not made yet.
    package func names(in group: String? = nil) throws -> [String] {
        let files = root.appending("files")
        let directory = group.map { files.appending($0) } ?? files
        return try world.fileSystem.status(of: directory) == nil ? [] : world.fileSystem.list(directory)
    }

    /// Removes a file behind the ledger's back.
    package func remove(_ file: URL) throws { try world.fileSystem.unlink(Self.path(of: file)) }

    /// A directory of this app; nothing makes it.
    package func directory(_ name: String) -> URL {
        URL(filePath: root.appending(name).string, directoryHint: .isDirectory)
    }

    /// Puts a file there that the ledger knows nothing of, and its directory.
    package func write(_ bytes: [UInt8], to file: URL) throws {
        let path = Self.path(of: file)
        try world.fileSystem.createDirectory(path.removingLastComponent(), permissions: 0o755)
        let opened = try world.fileSystem.open(path, .create(permissions: 0o644))
        defer { opened.close() }
        try opened.write(bytes.span.bytes, at: 0)
    }

    /// Writes other content to a file behind the ledger's back.
    package func replace(_ file: URL, with bytes: [UInt8]) throws {
        try remove(file)
        try write(bytes, to: file)
    }

    /// Turns a bit in the middle of a file; its length and its time stay.
    package func damage(_ file: URL) throws {
        let (path, disk) = (Self.path(of: file), world.fileSystem)
        guard let before = try disk.status(of: path) else { preconditionFailure("\(file) is not there") }
        let opened = try disk.open(path, .update)
        defer { opened.close() }
        var bytes = try opened.bytes(at: before.length / 2, count: 1)
        bytes[0] ^= 1
        try opened.write(bytes, at: before.length / 2)
        try opened.setModified(nanoseconds: before.identity.modifiedNanoseconds)
    }

    private static func path(of file: URL) -> FilePath { FilePath(file.path(percentEncoded: false)) }

    private static func open(
        _ root: FilePath, _ configuration: LedgerConfiguration, _ world: World
    ) async throws(DownloadError) -> DownloadLedger {
        try await DownloadLedger.open(
            at: URL(filePath: root.appending("ledger").string, directoryHint: .isDirectory),
            configuration: configuration, world: world)
    }

    private func takeDown() async throws {
        await ledger.close()
        try await origin.stop()
        try remove(root)
    }

    private func remove(_ directory: FilePath) throws {
        let disk = world.fileSystem
        for name in try disk.list(directory) {
            let path = directory.appending(name)
            if try disk.status(of: path)?.kind == .directory { try remove(path) } else { try disk.unlink(path) }
        }
        try disk.removeDirectory(directory)
    }
}
