import HTTPTypes
import LedgerHTTP
import LedgerModel
import LedgerTestSupport
import LedgerTransfer
import Testing

/// Row 29: nobody makes this machine ask what only it can reach.
@Suite struct PrivateRedirectTests {
    /// For someone else, who may not be led into this machine's own network.
    static var guarded: TransferSettings {
        var settings = TransferSettings()
        settings.allowsPrivateRedirects = false
        return settings
    }

    /// The case under a public name: the bench's server is the proxy that fetches it there.
    private func assignment(_ theCase: OriginCase, _ bench: Bench) throws -> Assignment {
        var assignment = try bench.assignment(theCase)
        assignment.url = try ResourceURL.parse("http://files.example.org" + theCase.path(Bench.token)).url
        assignment.proxy = try Proxy.parse(bench.cases.places.main)
        return assignment
    }

    @Test(arguments: ["29-to-loopback", "29-to-name"])
    func `a redirect from a public name into loopback is refused before anything is sent there`(
        slug: String
    ) async throws {
        let theCase = try Bench.named(slug)
        try await Bench.run(settings: Self.guarded) { bench in
            let end = await bench.run(try assignment(theCase, bench))
            #expect(end.failure?.code == .redirect)
            #expect(end.failure?.message.contains("inside a private network, which is refused") == true)
            #expect(end.retryAt == nil)
            #expect(bench.reports.all.kinds == ["failed redirect for good"])
            #expect(bench.seen(theCase).requests.count == 1)
        }
    }

    @Test(arguments: ["29-to-loopback", "29-to-name"])
    func `who fetches for himself may be led anywhere`(slug: String) async throws {
        let theCase = try Bench.named(slug)
        try await Bench.run { bench in
            await bench.completes(try assignment(theCase, bench), as: "real.bin")
            #expect(bench.seen(theCase).requests.count == 2)
        }
    }

    @Test func `who is inside already may be led around there`() async throws {
        let theCase = try Bench.named("29-to-loopback")
        try await Bench.run(settings: Self.guarded) { bench in
            await bench.completes(try bench.assignment(theCase), as: "real.bin")
        }
    }

    @Test func `a name that stands for a private address is found out when the connection is made`() async throws {
        let theCase = try Bench.named("34-taken")
        try await Bench.run { bench in
            var route = TransferRequest.Route(silenceMillisecondsMax: 30_000)
            route.refusesPrivateAddresses = true
            // Any name that the resolver takes for loopback; what it says is not looked at here.
            let url = try bench.origin.url(theCase.path(Bench.token), host: "localhost")
            let request = TransferRequest(url: url, fields: [:], route: route)
            await #expect(throws: Failure.self) {
                try await bench.transport.fetch(request) { _ throws(Failure) in
                    Issue.record("an answer came from a private address")
                    return nil
                }
            }
            #expect(bench.seen(theCase).requests.isEmpty)
        }
    }
}
