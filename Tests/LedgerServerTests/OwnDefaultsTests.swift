import LedgerAPI
import LedgerCoding
import LedgerHolder
import LedgerModel
import LedgerTestSupport
import Testing

@testable import LedgerServer

/// What the program's configuration says counts for clients that say nothing, and for those alone.
@Suite(.timeLimit(.minutes(30))) struct OwnDefaultsTests {
    @Test func `a client that asks for no limit has none`() async throws {
        try await ServerFixture.run(.with { $0.service.own.bytesPerSecondMax = 1 << 20 }) { fixture in
            fixture.origin.serve("/f", OriginEntity([1]))
            let url = try fixture.url("/f")
            for (form, rate) in [
                (["url": .string(url)], 1 << 20), (["url": .string(url), "again": true, "limitRate": "0"], nil),
                (["url": .string(url), "again": true, "limitRate": "2M"], 2 << 20),
            ] as [(JSONObject, UInt64?)] {
                let id = try await fixture.fetch([form])[0]
                let held = try await fixture.service.read { state in
                    state.queue[DownloadID(id)].map { $0.order.options.value.bytesPerSecondMax }
                }
                #expect(held == .some(rate), "\(form)")
            }
        }
    }
}
