import LedgerHTTP
import LedgerModel
import LedgerTestSupport
import LedgerTransfer
import Testing

/// Ways through a proxy on a real socket: what it sees, what the origin sees, and what is said when it refuses.
@Suite struct ProxyTests {
    let body = OriginEntity.pattern(200_000)
    private static let password = "eve:s3cret with space"

    /// A kind of proxy, and whether the origin behind it speaks TLS.
    struct Way: Sendable, CustomTestStringConvertible {
        let kind: Proxy.Kind
        let isSecure: Bool

        var testDescription: String { "\(kind.rawValue) to \(isSecure ? "https" : "http")" }
    }

    static let ways: [Way] = Proxy.Kind.allCases.flatMap { kind in
        [Way(kind: kind, isSecure: false), Way(kind: kind, isSecure: true)]
    }

    /// A download through a proxy of a URL whose host is `host`, which only the proxy takes for this machine.
    private func download(
        _ bench: Bench, _ proxy: ProxyServer, _ kind: Proxy.Kind, host: String = "localhost",
        credentials: String? = ProxyTests.password, _ change: (inout TransferOptions) -> Void = { _ in }
    ) throws -> Assignment {
        var assignment = try bench.assignment("/a.bin") { change(&$0) }
        assignment.order.url = try bench.origin.url("/a.bin?x=1", host: host)
        assignment.url = assignment.order.url
        // TLS checks the name of the proxy.
        assignment.proxy = try Proxy.parse("\(kind.rawValue)://localhost:\(proxy.port)")
        assignment.proxy?.credentials = credentials
        return assignment
    }

    @Test(arguments: ways) func `a file comes through`(way: Way) async throws {
        try await Bench.run(isSecure: way.isSecure) { bench in
            bench.origin.on("/a.bin") { OriginEntity(body).reply(to: $0) }
            let proxy = try await ProxyServer.start(credentials: Self.password, isSecure: way.kind == .https)
            let authorities = bench.path("ca.pem")
            try bench.put("ca.pem", Array(OriginCertificate.certificate.utf8))
            let assignment = try download(bench, proxy, way.kind) { $0.certificateAuthorityFile = authorities }
            await bench.completes(assignment, as: "a.bin")
            #expect(try bench.file("a.bin") == body)
            let host = "localhost:\(bench.origin.port)"
            let request = try #require(bench.origin.requests.first)
            #expect(request["host"] == host && request.target == "/a.bin?x=1")
            #expect(request["proxy-authorization"] == nil)
            let asked = try #require(proxy.requests.first)
            switch way.kind {
            case .http, .https:
                #expect(asked.line == (way.isSecure ? "CONNECT \(host)" : "GET http://\(host)/a.bin?x=1"))
                #expect(asked.authorization == "Basic ZXZlOnMzY3JldCB3aXRoIHNwYWNl")
            case .socks5h:
                #expect(asked.line == "SOCKS \(host)" && asked.authorization == Self.password)
            case .socks5:
                // The name was looked up here, on either family.
                #expect(asked.line != "SOCKS \(host)" && asked.line.hasSuffix(":\(bench.origin.port)"))
            }
            try await proxy.stop()
        }
    }

    @Test(arguments: [Proxy.Kind.http, .socks5h])
    func `a name that only the proxy knows is looked up by it`(kind: Proxy.Kind) async throws {
        try await Bench.run { bench in
            bench.origin.on("/a.bin") { OriginEntity(body).reply(to: $0) }
            let proxy = try await ProxyServer.start()
            await bench.completes(
                try download(bench, proxy, kind, host: "origin.invalid", credentials: nil), as: "a.bin")
            #expect(proxy.requests.count == 1)
            try await proxy.stop()
        }
    }

    @Test func `a download that was cut is continued through the proxy`() async throws {
        try await Bench.run { bench in
            bench.origin.script(
                "/a.bin",
                [
                    { OriginEntity(body).reply(to: $0).cut(after: 100_000) },
                    { OriginEntity(body).reply(to: $0) },
                ])
            let proxy = try await ProxyServer.start()
            await bench.completes(try download(bench, proxy, .http, credentials: nil), as: "a.bin")
            #expect(try bench.file("a.bin") == body)
            #expect(proxy.requests.count == 2 && bench.origin.requests.last?.rangeStart == 100_000)
            try await proxy.stop()
        }
    }

    @Test func `a host that is to be reached without the proxy is, also after a redirect`() async throws {
        try await Bench.run { bench in
            let target = try bench.origin.url("/b.bin", host: "127.0.0.1").text
            bench.origin.on("/a.bin") { _ in .redirect(302, to: target) }
            bench.origin.on("/b.bin") { OriginEntity(body).reply(to: $0) }
            let proxy = try await ProxyServer.start()
            let assignment = try download(bench, proxy, .http, credentials: nil) { $0.noProxy = "127.0.0.0/8" }
            await bench.completes(assignment, as: "b.bin")
            #expect(proxy.requests.map(\.line) == ["GET \(assignment.url.text)"])
            #expect(bench.origin.requests.count == 2)
            try await proxy.stop()
        }
    }

    struct Refusal: Sendable {
        let way: Way
        let given: String?
        let words: String
    }

    @Test(
        arguments: ways.flatMap { way in
            [
                Refusal(way: way, given: nil, words: "asks for a user and a password"),
                Refusal(way: way, given: "eve:wrong", words: "does not take the user and the password"),
            ]
        }) func `a proxy that wants a password says so`(row: Refusal) async throws
    {
        try await Bench.run(isSecure: row.way.isSecure) { bench in
            let proxy = try await ProxyServer.start(credentials: Self.password, isSecure: row.way.kind == .https)
            let assignment = try download(bench, proxy, row.way.kind, credentials: row.given) { $0.isInsecure = true }
            guard case .failed(let failure, nil) = await bench.run(assignment) else {
                return #expect(Bool(false), "tried again or completed")
            }
            #expect(failure.code == .unreachable && failure.message.contains(row.words), "\(failure.message)")
            #expect(failure.message.contains("localhost:\(proxy.port)") && !failure.message.contains("wrong"))
            #expect(bench.origin.requests.isEmpty)
            try await proxy.stop()
        }
    }

    @Test func `what a proxy refuses is told with its status, and a passing one is tried again`() async throws {
        for (status, isRetried) in [(403, false), (503, true)] {
            try await Bench.run(isSecure: true) { bench in
                let proxy = try await ProxyServer.start(connectStatus: status)
                let assignment = try download(bench, proxy, .http, credentials: nil) { $0.isInsecure = true }
                guard case .failed(let failure, let retryAt) = await bench.run(assignment) else {
                    return #expect(Bool(false))
                }
                #expect(failure.message.contains("answers \(status)"), "\(failure.message)")
                #expect((retryAt != nil) == isRetried)
                try await proxy.stop()
            }
        }
    }

    @Test(arguments: ways) func `a proxy that is not there is named`(way: Way) async throws {
        try await Bench.run(isSecure: way.isSecure) { bench in
            let proxy = try await ProxyServer.start()
            let assignment = try download(bench, proxy, way.kind) { $0.isInsecure = true }
            try await proxy.stop()
            guard case .failed(let failure, .some) = await bench.run(assignment) else { return #expect(Bool(false)) }
            #expect(
                failure.message.contains("the proxy '\(assignment.proxy?.authority ?? "")' refused"),
                "\(failure.message)")
        }
    }

    @Test(arguments: ways) func `what is no proxy is told as such`(way: Way) async throws {
        try await Bench.run(isSecure: way.isSecure) { bench in
            let other = try await OriginServer.start(isSecure: true)
            var assignment = try bench.assignment("/a.bin") {
                $0.isInsecure = true
                // Some of them wait for more, and say nothing.
                $0.silenceMillisecondsMax = 1000
            }
            assignment.proxy = try Proxy.parse("\(way.kind.rawValue)://127.0.0.1:\(other.port)")
            guard case .failed(let failure, _) = await bench.run(assignment) else { return #expect(Bool(false)) }
            #expect(!failure.message.isEmpty && bench.origin.requests.isEmpty, "\(failure.message)")
            try await other.stop()
        }
    }

    @Test func `an untrusted certificate behind a proxy is the origin's, and told so`() async throws {
        try await Bench.run(isSecure: true) { bench in
            let proxy = try await ProxyServer.start()
            guard
                case .failed(let failure, nil) = await bench.run(
                    try download(bench, proxy, .socks5h, credentials: nil))
            else { return #expect(Bool(false)) }
            #expect(
                failure.code == .tls && failure.message.contains("certificate of 'localhost'"), "\(failure.message)")
            try await proxy.stop()
        }
    }

    @Test func `the certificate of an address is not taken on trust behind a proxy`() async throws {
        try await Bench.run(isSecure: true) { bench in
            let proxy = try await ProxyServer.start()
            let assignment = try download(bench, proxy, .http, host: "127.0.0.1", credentials: nil)
            guard case .failed(let failure, nil) = await bench.run(assignment) else { return #expect(Bool(false)) }
            #expect(failure.code == .tls && failure.message.contains("use its name"), "\(failure.message)")
            #expect(proxy.requests.isEmpty)
            try await proxy.stop()
        }
    }
}
