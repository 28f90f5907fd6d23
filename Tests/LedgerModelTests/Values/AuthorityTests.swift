import Testing

@testable import LedgerModel

/// Which URLs are of one host and port.
@Suite struct AuthorityTests {
    private func url(_ text: String) -> ResourceURL { ResourceURL(recorded: text) }

    @Test func `scheme, host and port make it, and nothing behind them`() {
        let same = ["http://a.b:8080/", "http://a.b:8080/x", "http://a.b:8080", "http://a.b:8080/x//y"]
        let others = [
            "https://a.b:8080/", "http://a.b/", "http://a.b:80/", "http://a.bc:8080/", "http://", "http://a.b:8080x/",
        ]
        for one in same {
            for other in same {
                #expect(url(one).hasOrigin(of: url(other)), "\(one) \(other)")
                #expect(url(one).authorityHash == url(other).authorityHash && url(one).origin == url(other).origin)
            }
            for other in others {
                #expect(!url(one).hasOrigin(of: url(other)), "\(one) \(other)")
                #expect(!url(other).hasOrigin(of: url(one)) && url(one).origin != url(other).origin, "\(one) \(other)")
            }
        }
    }
}
