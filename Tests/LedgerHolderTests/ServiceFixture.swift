import LedgerAPI
import LedgerEngine
import LedgerHolder
import LedgerModel
import LedgerSystem
import LedgerTestSupport
import SystemPackage

/// A service on the real disk, or on the one of its world, in a directory of its own that goes with it, and origins on
/// real sockets.
struct ServiceFixture {
    let root: FilePath
    let disk: any FileSystem
    let cases: CaseServer
    let service: LedgerService

    /// The origin that a test scripts itself.
    var origin: OriginServer { cases.main }

    var home: FilePath { root.appending("home") }
    var downloads: FilePath { root.appending("downloads") }

    /// Runs `body` with a service, its pool working, and takes everything down after it.
    static func run(
        in world: World = .system(), _ body: (ServiceFixture) async throws -> Void
    ) async throws {
        var generator = SystemRandomNumberGenerator()
        let root = FilePath("/tmp/ledger-service-\(String(generator.next(), radix: 16))")
        let disk = world.fileSystem
        try disk.createDirectory(root.appending("downloads"), permissions: 0o755)
        let cases = try await CaseServer.start(clock: world.clock)
        var configuration = ServiceConfiguration()
        configuration.servesSocket = disk is RealFileSystem
        let service = try await LedgerService.open(LedgerHome(root.appending("home")), configuration, world: world)
        let fixture = ServiceFixture(root: root, disk: disk, cases: cases, service: service)
        let pool = Task { try await service.run(untilIdle: false) }
        do {
            try await body(fixture)
        } catch {
            await fixture.takeDown(pool)
            throw error
        }
        await fixture.takeDown(pool)
    }

    private func takeDown(_ pool: Task<Void, any Error>) async {
        await service.drain()
        do {
            try await pool.value
            await service.close()
            try await cases.stop()
            try remove(root)
        } catch {
            preconditionFailure("the fixture could not be taken down: \(error)")
        }
    }

    func request(_ path: String) throws -> EnqueueRequest {
        var generator = SystemRandomNumberGenerator()
        return EnqueueRequest(
            url: try origin.url(path).text, directory: downloads.string, command: CommandID(using: &generator))
    }

    /// What asks for a case of the catalogue.
    func request(_ theCase: OriginCase) throws -> EnqueueRequest { try request(theCase.path("t")) }

    /// What was recorded of a download, in order, up to the first event that meets a condition.
    func events(_ id: DownloadID, until isMet: (Event) -> Bool) async throws -> [Event] {
        var found: [Event] = []
        var batches = service.ledger.events(after: .zero).makeAsyncIterator()
        while let batch = try await batches.next() {
            for recorded in batch where recorded.id == id {
                found.append(recorded.event)
                if isMet(recorded.event) { return found }
            }
        }
        return found
    }

    /// Enqueues and returns the row of each; a refusal is thrown.
    func enqueue(_ requests: [EnqueueRequest]) async throws -> [DownloadRow] {
        try await service.enqueue(requests).map { answer in
            switch answer {
            case .accepted(let row, _): row
            case .refused(let problem): throw problem
            }
        }
    }

    /// Waits until all of them have ended.
    func ended(_ ids: [DownloadID]) async throws -> [DownloadRow] {
        try await service.watch(WatchQuery(ids: ids, untilEnd: true)) { _ in true }
        var query = ListQuery()
        query.ids = ids
        return try await service.list(query)
    }

    /// Every file below the root with its content.
    func files() throws -> [FilePath: [UInt8]] { try files(below: root) }

    private func files(below directory: FilePath) throws -> [FilePath: [UInt8]] {
        var found: [FilePath: [UInt8]] = [:]
        for name in try disk.list(directory) {
            let path = directory.appending(name)
            guard let status = try disk.status(of: path) else { continue }
            switch status.kind {
            case .directory: found.merge(try files(below: path)) { one, _ in one }
            case .regular: found[path] = try disk.contents(of: path) ?? []
            case .symbolicLink, .other: continue
            }
        }
        return found
    }

    private func remove(_ directory: FilePath) throws {
        for name in try disk.list(directory) {
            let path = directory.appending(name)
            if try disk.status(of: path)?.kind == .directory { try remove(path) } else { try disk.unlink(path) }
        }
        try disk.removeDirectory(directory)
    }
}
