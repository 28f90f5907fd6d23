import AppTestSupport
import DownloadLedger
import DownloadLedgerURLSession
import FoundationEssentials
import LedgerTestSupport
import Testing

/// Downloads over Foundation's URLSession: nothing above the transport knows the difference.
struct URLSessionTests {
    private func run(
        _ configured: @escaping (inout LedgerConfiguration) -> Void = { _ in },
        _ body: (AppFixture) async throws -> Void
    ) async throws {
        let settings = AppFixture.Settings.by { configuration in
            configuration.useURLSession()
            configuration.retries = .fixed([.zero])
            configured(&configuration)
        }
        try await AppFixture.run(configured: settings, body)
    }

    @Test func `files arrive whole, side by side, by way of redirects`() async throws {
        try await run { app in
            let bytes = OriginEntity.pattern(300_000)
            for name in 0..<8 { app.serve("/\(name)", bytes) }
            app.origin.on("/moved") { _ in OriginReply(302, [("Location", "/0")]) }
            let handles = try await app.ledger.enqueue(
                (0..<8).map { DownloadRequest(try app.url("/\($0)")) } + [DownloadRequest(try app.url("/moved"))])
            for handle in handles { #expect(try app.contents(try await handle.get().value) == bytes) }
            let sent = try #require(app.origin.requests.first)
            #expect(sent["user-agent"] == "DownloadLedger" && sent["accept-encoding"] == "identity")
        }
    }

    @Test func `a body that was cut is carried on where it ended`() async throws {
        try await run { app in
            let bytes = OriginEntity.pattern(300_000)
            app.origin.on("/a") { request in
                let reply = OriginEntity(bytes).reply(to: request)
                return request["range"] == nil ? reply.cut(after: 100_000) : reply
            }
            let file = try await app.ledger.enqueue(try app.url("/a")).value
            #expect(try app.contents(file) == bytes)
            #expect(app.origin.requests.map { $0["range"] } == [nil, "bytes=100000-"])
        }
    }

    @Test func `what URLSession can not do is refused with words`() async throws {
        try await run { app in
            app.origin.on("/packed") { _ in
                OriginReply(200, [("Content-Encoding", "gzip")], body: [UInt8](repeating: 0, count: 100))
            }
            await #expect { try await app.ledger.enqueue(try app.url("/packed")).value } throws: { error in
                (error as? DownloadError)?.code == "unsupported"
            }
            await #expect { try await app.ledger.enqueue(try app.url("/none")).value } throws: { error in
                (error as? DownloadError)?.category == .status
            }
        }
    }

    @Test func `a limit holds, and what waited for it arrives`() async throws {
        try await run { configuration in
            configuration.bytesPerSecondMax = 12 << 20
        } _: { app in
            let bytes = OriginEntity.pattern(16 << 20)
            app.serve("/a", bytes)
            let file = try await app.ledger.enqueue(try app.url("/a")).value
            #expect(try app.contents(file) == bytes)
        }
    }
}
