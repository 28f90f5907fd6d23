import LedgerAPI
import LedgerEngine
import LedgerHolder
import LedgerModel
import LedgerSystem
import LedgerTestSupport
import LedgerTransfer
import Synchronization
import SystemPackage

@testable import LedgerAria2

/// aria2's endpoint over a real ledger on a real disk, in a directory of its own that goes with it, and an origin on a
/// real socket.
struct Aria2Fixture: Sendable {
    /// What a test may want otherwise.
    struct Wishes: Sendable {
        /// How the ledger is held.
        var service = ServiceConfiguration()
        /// Whether downloads are worked on; without, everything waits.
        var works = true
        /// What secrets allow; nil lets everyone do everything.
        var secrets: [String: AccessScope]?
        /// Whether clients may reach private networks, such as the origin.
        var allowsPrivateAddresses = true
        /// What the server says of itself.
        var reported: [String: String] = [:]
        /// The longest answer, in bytes; nil for as long as it is by itself.
        var answerBytesMax: Int?
        /// Where disk, time and chance come from.
        var world = World.system()
    }

    let root: FilePath
    let origin: OriginServer
    let service: LedgerService
    let endpoint: Aria2Endpoint
    /// How often the program was told to end.
    let endings: Endings

    /// The program's ends.
    final class Endings: Sendable {
        let told = Mutex(0)
    }

    var downloads: FilePath { root.appending("downloads") }

    /// Runs `body` with an endpoint, and takes everything down after it.
    static func run(
        _ wish: (inout Wishes) -> Void = { _ in }, _ body: (Aria2Fixture) async throws -> Void
    ) async throws {
        var wishes = Wishes()
        wish(&wishes)
        wishes.service.servesSocket = false
        var generator = SystemRandomNumberGenerator()
        let root = FilePath("/tmp/ledger-aria2-\(String(generator.next(), radix: 16))")
        let disk = wishes.world.fileSystem
        try disk.createDirectory(root.appending("downloads"), permissions: 0o755)
        let service = try await LedgerService.open(
            LedgerHome(root.appending("home")), wishes.service, world: wishes.world)
        let endings = Endings()
        let fixture = Aria2Fixture(
            root: root, origin: try await OriginServer.start(), service: service,
            endpoint: try endpoint(over: service, root, wishes, endings), endings: endings)
        let works = wishes.works
        let pool = Task { if works { try await service.run(untilIdle: false) } }
        let outcome: Result<Void, any Error>
        do { outcome = .success(try await body(fixture)) } catch { outcome = .failure(error) }
        await service.drain()
        try await pool.value
        await service.close()
        try await fixture.origin.stop()
        try fixture.remove(root)
        try outcome.get()
    }

    /// An endpoint over a ledger.
    static func endpoint(
        over service: LedgerService, _ root: FilePath, _ wishes: Wishes, _ endings: Endings
    ) throws -> Aria2Endpoint {
        let roots = try DestinationRoots([root.appending("downloads")], fileSystem: wishes.world.fileSystem)
        let (secrets, isConfined) = (wishes.secrets, !wishes.allowsPrivateAddresses)
        var configuration = Aria2Endpoint.Configuration(
            directory: roots.first,
            authorize: { secret, _ in
                guard let secrets else { return .admin }
                return secret.flatMap { secrets[$0] }
            },
            confine: { directory, output throws(Problem) in try roots.place(directory: directory, output: output) },
            shutdown: { endings.told.withLock { $0 += 1 } })
        configuration.prepare = {
            $0.refusesPrivateAddresses = isConfined
            $0.refusesLinks = true
        }
        configuration.reported = wishes.reported
        if let bytesMax = wishes.answerBytesMax { configuration.answerBytesMax = bytesMax }
        return Aria2Endpoint(service: service, client: service.acting(as: .api), configuration: configuration)
    }

    private func remove(_ directory: FilePath) throws {
        let disk = service.ledger.world.fileSystem
        for name in try disk.list(directory) {
            let path = directory.appending(name)
            if try disk.status(of: path)?.kind == .directory { try remove(path) } else { try disk.unlink(path) }
        }
        try disk.removeDirectory(directory)
    }
}

extension World {
    /// The real one, whose time passes only when a test lets it.
    static func timed(by clock: ManualClock) -> World {
        let real = World.system()
        return World(fileSystem: real.fileSystem, clock: clock, random: real.random, blocking: real.blocking)
    }
}
