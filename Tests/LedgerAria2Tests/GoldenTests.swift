import LedgerAPI
import LedgerEngine
import LedgerHolder
import LedgerModel
import LedgerTestSupport
import Testing

@testable import LedgerAria2

/// What was recorded of an aria2 1.36.0 is asked again, in its order, of a real ledger with a real origin.
struct GoldenTests {
    /// From here on the recorded program was another one, with a secret.
    private static let firstWithSecret = 109

    @Test(.timeLimit(.minutes(30)))
    func `what aria2 was asked is answered as aria2 did, but for what is listed with its reason`() async throws {
        let exchanges = try GoldenExchange.all()
        #expect(exchanges.count == 116)
        try await Aria2Fixture.run { wishes in
            wishes.service.limits.runningMax = 1
            wishes.reported = ["no-conf": "true", "quiet": "true", "rpc-listen-port": "16800"]
        } _: { fixture in
            let stage = GoldenStage(fixture)
            try await stage.set()
            for (index, exchange) in exchanges.enumerated().prefix(Self.firstWithSecret) {
                try await stage.prepare(for: index)
                try await replay(exchange, fixture, fixture.endpoint)
            }
            stage.end()
        }
        let names = Set(exchanges.map(\.name))
        #expect(GoldenException.all.keys.allSatisfy(names.contains), "an exception names no exchange")
    }

    @Test func `with a secret it is answered as aria2 did, a wrong one after a pause`() async throws {
        let clock = ManualClock(Timestamp(milliseconds: 1_800_000_000_000))
        let exchanges = try GoldenExchange.all().dropFirst(Self.firstWithSecret)
        try await Aria2Fixture.run { wishes in
            wishes.works = false
            wishes.secrets = ["s3": .admin]
            wishes.world = .timed(by: clock)
        } _: { fixture in
            for exchange in exchanges {
                let start = clock.uptime()
                try await clock.passes(every: .milliseconds(50)) {
                    try await replay(exchange, fixture, fixture.endpoint)
                }
                let pause = clock.uptime() - start
                if exchange.body.contains("Unauthorized") {
                    #expect(pause >= .seconds(1) && pause <= .seconds(2), "\(exchange.name): \(pause)")
                }
            }
        }
    }

    private func replay(
        _ exchange: GoldenExchange, _ fixture: Aria2Fixture, _ endpoint: Aria2Endpoint
    ) async throws {
        let answer = try await fixture.answer(to: exchange, endpoint)
        let body = answer.map { fixture.masked(String(decoding: $0.body, as: UTF8.self)) }
        let golden = fixture.masked(exchange.body)
        let asAria2 = answer?.status == exchange.status && body == golden
        guard let exception = GoldenException.all[exchange.name] else {
            #expect(answer?.status == exchange.status, "\(exchange.name)")
            #expect(body == golden, "\(exchange.name)")
            #expect(answer?.contentType == exchange.contentType, "\(exchange.name)")
            return
        }
        #expect(!asAria2, "\(exchange.name): no exception is needed any longer: \(exception.reason)")
        switch exception.instead {
        case .changes(let changes):
            let expected = changes.reduce(golden) { text, change in
                #expect(text.contains(change.0), "\(exchange.name): aria2 did not say '\(change.0)'")
                return text.replacing(change.0, with: change.1)
            }
            #expect(answer?.status == exchange.status, "\(exchange.name)")
            #expect(body == expected, "\(exchange.name)")
        case .answer(let status, let text):
            #expect(answer?.status == status, "\(exchange.name)")
            #expect(body == text, "\(exchange.name)")
        case .elsewhere: #expect(answer == nil, "\(exchange.name)")
        }
    }
}
