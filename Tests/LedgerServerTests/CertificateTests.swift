import AsyncHTTPClient
import LedgerAPI
import LedgerServer
import LedgerSystem
import LedgerTestSupport
import NIOCore
import NIOHTTP1
import NIOSSL
import SystemPackage
import Testing

/// What encrypts the API, and how it is renewed under a running server.
@Suite(.timeLimit(.minutes(30))) struct CertificateTests {
    private static let first = (chain: OriginCertificate.certificate, key: OriginCertificate.key)
    private static let renewed = (chain: OriginCertificate.renewedCertificate, key: OriginCertificate.renewedKey)

    /// Two files that go when `body` is done.
    private func withFiles(_ body: (FilePath, FilePath) async throws -> Void) async throws {
        var generator = SystemRandomNumberGenerator()
        let (disk, root) = (RealFileSystem(), FilePath("/tmp/ledger-tls-\(String(generator.next(), radix: 16))"))
        try disk.createDirectory(root, permissions: 0o755)
        let outcome: Result<Void, any Error>
        do { outcome = .success(try await body(root.appending("chain.pem"), root.appending("key.pem"))) } catch {
            outcome = .failure(error)
        }
        try disk.removeTree(root)
        try outcome.get()
    }

    private func write(_ chain: String, _ key: String, _ files: (FilePath, FilePath)) throws {
        for (file, text) in [(files.0, chain), (files.1, key)] {
            try RealFileSystem().replaceContents(of: file, with: Array((text + "\n").utf8), permissions: 0o600)
        }
    }

    /// What `/healthz` answers to one who trusts only this certificate.
    private func status(_ fixture: ServerFixture, trusting chain: String) async throws -> UInt {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.trustRoots = .certificates(try NIOSSLCertificate.fromPEMBytes(Array(chain.utf8)))
        var configuration = HTTPClient.Configuration(tlsConfiguration: tls)
        configuration.connectionPool.retryConnectionEstablishment = false
        let client = HTTPClient(configuration: configuration)
        let outcome: Result<UInt, any Error>
        do {
            let request = HTTPClientRequest(url: "https://\(fixture.server.address)/healthz")
            outcome = .success(try await client.execute(request, timeout: .seconds(60)).status.code)
        } catch { outcome = .failure(error) }
        try await client.shutdown()
        return try outcome.get()
    }

    @Test func `a renewed certificate is shown to who connects from then on`() async throws {
        try await withFiles { chain, key in
            try write(Self.first.chain, Self.first.key, (chain, key))
            let certificate = try ServerCertificate(chainFile: chain.string, keyFile: key.string)
            try await ServerFixture.run(.with { $0.server = { $0.certificate = certificate } }) { fixture in
                #expect(try await status(fixture, trusting: Self.first.chain) == 200)
                await #expect(throws: (any Error).self) { try await status(fixture, trusting: Self.renewed.chain) }
                // Half of a renewal: what was shown is shown on.
                try write(Self.renewed.chain, Self.first.key, (chain, key))
                #expect(throws: Problem.self) { try certificate.reload() }
                #expect(try await status(fixture, trusting: Self.first.chain) == 200)
                try write(Self.renewed.chain, Self.renewed.key, (chain, key))
                try certificate.reload()
                #expect(try await status(fixture, trusting: Self.renewed.chain) == 200)
                await #expect(throws: (any Error).self) { try await status(fixture, trusting: Self.first.chain) }
            }
        }
    }

    @Test func `who asks how it is hears it, plain or over TLS`() async throws {
        try await withFiles { chain, key in
            try write(Self.first.chain, Self.first.key, (chain, key))
            let certificate = try ServerCertificate(chainFile: chain.string, keyFile: key.string)
            for certificate in [nil, certificate] {
                try await ServerFixture.run(.with { $0.server = { $0.certificate = certificate } }) { fixture in
                    let answer = try await fixture.server.address.health()
                    #expect(answer?.hasPrefix("HTTP/1.1 200 ") == true)
                }
            }
        }
    }

    @Test(arguments: [("nothing", "nothing"), (first.chain, renewed.key), (first.key, first.chain), ("", "")])
    func `what is no certificate with its key is refused before anything is served`(
        chain: String, key: String
    ) async throws {
        try await withFiles { chainFile, keyFile in
            try write(chain, key, (chainFile, keyFile))
            #expect {
                _ = try ServerCertificate(chainFile: chainFile.string, keyFile: keyFile.string)
            } throws: { error in
                guard let problem = error as? Problem else { return false }
                return problem.code == .usage && problem.message.contains(keyFile.string) && problem.next != nil
            }
        }
    }
}
