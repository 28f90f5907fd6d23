import DownloadLedger
import FoundationEssentials
import LedgerModel
import LedgerSystem
import LedgerTestSupport
import SystemPackage

/// An app with a ledger on the real disk, in a directory of its own that goes with it, and an origin on a real socket.
struct AppFixture {
    let root: FilePath
    let origin: OriginServer
    let ledger: DownloadLedger
    private let configuration: LedgerConfiguration

    /// Runs `body` with an open ledger, and takes everything down after it.
    static func run(
        retries: LedgerConfiguration.Retries = .exponential(), runningMax: Int = 4, naming: NamingStrategy = .name,
        _ body: (AppFixture) async throws -> Void
    ) async throws {
        var generator = SystemRandomNumberGenerator()
        let root = FilePath("/tmp/ledger-app-\(String(generator.next(), radix: 16))")
        try RealFileSystem().createDirectory(root, permissions: 0o700)
        var configuration = LedgerConfiguration()
        configuration.directory = URL(filePath: root.appending("files").string, directoryHint: .isDirectory)
        (configuration.retries, configuration.runningMax, configuration.naming) = (retries, runningMax, naming)
        let origin = try await OriginServer.start()
        let ledger = try await open(root, configuration)
        let fixture = AppFixture(root: root, origin: origin, ledger: ledger, configuration: configuration)
        do { try await body(fixture) } catch {
            try await fixture.takeDown()
            throw error
        }
        try await fixture.takeDown()
    }

    /// The app is started anew.
    func restarted() async throws -> AppFixture {
        await ledger.close()
        return AppFixture(
            root: root, origin: origin, ledger: try await Self.open(root, configuration), configuration: configuration)
    }

    func url(_ path: String) throws -> URL {
        guard let url = URL(string: try origin.url(path).text) else { preconditionFailure("an origin has a URL") }
        return url
    }

    /// A directory of this app; nothing makes it.
    func directory(_ name: String) -> URL { URL(filePath: root.appending(name).string, directoryHint: .isDirectory) }

    /// Serves these bytes.
    func serve(_ path: String, _ bytes: [UInt8]) { origin.on(path) { OriginEntity(bytes).reply(to: $0) } }

    func contents(_ file: URL) throws -> [UInt8]? {
        try RealFileSystem().contents(of: FilePath(file.path(percentEncoded: false)))
    }

    /// Puts a file there that the ledger knows nothing of, and its directory.
    func write(_ bytes: [UInt8], to file: URL) throws {
        let (path, disk) = (FilePath(file.path(percentEncoded: false)), RealFileSystem())
        try disk.createDirectory(path.removingLastComponent(), permissions: 0o755)
        let opened = try disk.open(path, .create(permissions: 0o644))
        defer { opened.close() }
        try opened.write(bytes, at: 0)
    }

    /// Turns a bit in the middle of a file; its length and its time stay.
    func damage(_ file: URL) throws {
        let path = FilePath(file.path(percentEncoded: false))
        let disk = RealFileSystem()
        guard let before = try disk.status(of: path) else { preconditionFailure("\(file) is not there") }
        let opened = try disk.open(path, .update)
        defer { opened.close() }
        var bytes = try opened.bytes(at: before.length / 2, count: 1)
        bytes[0] ^= 1
        try opened.write(bytes, at: before.length / 2)
        try opened.setModified(nanoseconds: before.identity.modifiedNanoseconds)
    }

    private static func open(
        _ root: FilePath, _ configuration: LedgerConfiguration
    ) async throws(DownloadError) -> DownloadLedger {
        try await DownloadLedger.open(
            at: URL(filePath: root.appending("ledger").string, directoryHint: .isDirectory),
            configuration: configuration)
    }

    private func takeDown() async throws {
        await ledger.close()
        try await origin.stop()
        try remove(root)
    }

    private func remove(_ directory: FilePath) throws {
        let disk = RealFileSystem()
        for name in try disk.list(directory) {
            let path = directory.appending(name)
            if try disk.status(of: path)?.kind == .directory { try remove(path) } else { try disk.unlink(path) }
        }
        try disk.removeDirectory(directory)
    }
}
