import AppTestSupport
import DownloadLedger
import FoundationEssentials
import LedgerTestSupport
import Testing

private func sample(named name: String) throws -> [UInt8] { Array(name.utf8) }

/// The example of a provider of the app's own.
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
}
