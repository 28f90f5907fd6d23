import LedgerAPI
import LedgerCoding
import LedgerEngine
import LedgerHolder
import LedgerModel
import LedgerServer
import LedgerSystem
import LedgerTestSupport
import Logging
import SystemPackage

/// A server on a real socket over a real ledger on a real disk, in a directory of its own that goes with it, and an
/// origin on a real socket.
struct ServerFixture: Sendable {
    /// What a test may want otherwise.
    struct Wishes {
        /// How the ledger is held.
        var service = ServiceConfiguration()
        /// Whether downloads are worked on; without, everything waits.
        var works = true
        /// Changes how the API is served. Clients may reach private networks, such as the origin, unless it says else.
        var server: (inout ServerConfiguration) -> Void = { _ in }
        /// The tokens there are, by what they are for; none: everybody may do everything.
        var scopes: [AccessScope] = []
        /// What became of the ledger before it was opened, another time.
        var past: ((LedgerService) async throws -> Void)?
        /// Where disk, time and chance come from.
        var world = World.system()

        /// Downloads wait, and are not worked on.
        static var idle: Wishes { with { $0.works = false } }

        /// What a test wants otherwise.
        static func with(_ change: (inout Wishes) -> Void) -> Wishes {
            var wishes = Wishes()
            change(&wishes)
            return wishes
        }
    }

    let root: FilePath
    let origin: OriginServer
    let service: LedgerService
    let server: LedgerServer
    /// How the API is served.
    let configuration: ServerConfiguration
    /// The tokens, by what they are for.
    let tokens: [AccessScope: String]

    /// The file of tokens.
    var tokenFile: TokenFile { TokenFile(service.ledger.home, fileSystem: service.ledger.world.fileSystem) }

    /// The last event.
    var last: UInt64 { service.ledger.lastSequence.rawValue }

    /// How many downloads are on record.
    var downloadCount: Int {
        get async throws { try await service.read { $0.queue.downloads.count } }
    }

    /// Where files go.
    var downloads: FilePath { root.appending("downloads") }

    /// Runs `body` with a server, and takes everything down after it.
    static func run(_ wishes: Wishes = Wishes(), _ body: (ServerFixture) async throws -> Void) async throws {
        var held = wishes.service
        held.servesSocket = false
        var generator = SystemRandomNumberGenerator()
        let root = FilePath("/tmp/ledger-server-\(String(generator.next(), radix: 16))")
        let home = LedgerHome(root.appending("home"))
        try wishes.world.fileSystem.createDirectory(root.appending("downloads"), permissions: 0o755)
        if let past = wishes.past {
            let service = try await LedgerService.open(home, held, world: wishes.world)
            try await past(service)
            await service.close()
        }
        let service = try await LedgerService.open(home, held, world: wishes.world)
        let works = wishes.works
        let pool = Task { if works { try await service.run(untilIdle: false) } }
        let origin = try await OriginServer.start()
        let outcome: Result<Void, any Error>
        do {
            let tokens = try issue(wishes.scopes, home, wishes.world)
            let configuration = configuration(root, wishes.server)
            let server = try await LedgerServer.start(service, configuration)
            let fixture = ServerFixture(
                root: root, origin: origin, service: service, server: server, configuration: configuration,
                tokens: tokens)
            do { outcome = .success(try await body(fixture)) } catch { outcome = .failure(error) }
            await server.stop()
        } catch { outcome = .failure(error) }
        await service.drain()
        try await pool.value
        await service.close()
        try await origin.stop()
        try remove(root)
        try outcome.get()
    }

    private static func configuration(
        _ root: FilePath, _ change: (inout ServerConfiguration) -> Void
    ) -> ServerConfiguration {
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        var configuration = ServerConfiguration(roots: [root.appending("downloads")], logger: logger)
        configuration.address.port = 0
        configuration.allowsPrivateAddresses = true
        configuration.version = "test"
        change(&configuration)
        return configuration
    }

    private static func issue(
        _ scopes: [AccessScope], _ home: LedgerHome, _ world: World
    ) throws -> [AccessScope: String] {
        guard !scopes.isEmpty else { return [:] }
        return try TokenFile(home, fileSystem: world.fileSystem).edit { tokens throws(Problem) in
            var issued: [AccessScope: String] = [:]
            for scope in scopes {
                issued[scope] = try tokens.issue(scope.name, scope, at: world.clock.now(), random: world.random)
            }
            return issued
        }
    }

    private static func remove(_ directory: FilePath) throws {
        let disk = RealFileSystem()
        for name in try disk.list(directory) {
            let path = directory.appending(name)
            if try disk.status(of: path)?.kind == .directory { try remove(path) } else { try disk.unlink(path) }
        }
        try disk.removeDirectory(directory)
    }
}
