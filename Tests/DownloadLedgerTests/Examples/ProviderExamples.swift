import AppTestSupport
import DownloadLedger
import DownloadLedgerURLSession
import FoundationEssentials
import LedgerTestSupport
import Testing

private func sample(named name: String) throws -> [UInt8] { Array(name.utf8) }

/// The examples of other ways for bytes to arrive.
struct ProviderExamples {
    @Test func `an app brings its own bytes along`() async throws {
        var configuration = LedgerConfiguration()
        struct Samples: TransferProvider {
            func answer(_ request: TransferProviderRequest) async throws -> TransferProviderAnswer {
                TransferProviderAnswer(status: 200, body: [try sample(named: request.url.lastPathComponent)])
            }
        }
        configuration.provider = Samples()
        let provider = configuration.provider
        try await AppFixture.run(configured: .by { $0.provider = provider }) { app in
            let file = try await app.ledger.enqueue(try app.url("/song")).value
            #expect(try app.contents(file) == Array("song".utf8))
            #expect(app.origin.requests.isEmpty)
        }
    }

    @Test func `bytes arrive by URLSession`() async throws {
        let urlSession = AppFixture.Settings.by { configuration in
            configuration.useURLSession()
        }
        try await AppFixture.run(configured: urlSession) { app in
            app.serve("/song", [1, 2, 3])
            let file = try await app.ledger.enqueue(try app.url("/song")).value
            #expect(try app.contents(file) == [1, 2, 3])
            #expect(app.origin.requests.map { $0["accept-language"] == nil } == [false])
        }
    }
}
