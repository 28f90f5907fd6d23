import LedgerModel
import LedgerTestSupport
import LedgerTransfer
import Testing

/// Rows 27, 28 and 44: where a redirect may lead, and what goes along.
@Suite struct RedirectTests {
    let body = OriginEntity.pattern(5000)

    struct Row: Sendable {
        let location: String
        let arrives: String

        init(_ location: String, _ arrives: String) {
            self.location = location
            self.arrives = arrives
        }
    }

    @Test(arguments: [
        Row("/dir/file.bin", "/dir/file.bin"), Row("file.bin", "/a/file.bin"), Row("../file.bin", "/file.bin"),
        Row("?v=2", "/a/start?v=2"), Row("/with space.bin", "/with%20space.bin"), Row("/file.bin#part", "/file.bin"),
        Row("//127.0.0.1:PORT/other.bin", "/other.bin"),
    ])
    func `a redirect is followed within http`(row: Row) async throws {
        try await Bench.run { bench in
            let location = row.location.replacing("PORT", with: String(bench.origin.port))
            bench.origin.script(
                "/a/start", [{ _ in .redirect(302, to: location) }, { OriginEntity(body).reply(to: $0) }])
            for path in ["/dir/file.bin", "/a/file.bin", "/file.bin", "/with%20space.bin", "/other.bin"] {
                bench.origin.on(path) { OriginEntity(body).reply(to: $0) }
            }
            await bench.completes(try bench.assignment("/a/start", name: "x"), as: "x")
            #expect(bench.origin.requests.map(\.target) == ["/a/start", row.arrives])
            #expect(try bench.file("x") == body)
        }
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func `every kind of redirect is a redirect`(status: Int) async throws {
        try await Bench.run { bench in
            bench.origin.on("/a") { _ in .redirect(status, to: "/real.bin") }
            bench.origin.on("/real.bin") { OriginEntity(body).reply(to: $0) }
            await bench.completes(try bench.assignment("/a"), as: "real.bin")
        }
    }

    @Test(arguments: [
        (nil, "without saying where to"), ("file:///etc/passwd", "can not be fetched"), ("/a", "in a circle"),
        ("/n?1", "more than 10 redirects"), ("", "can not be fetched"),
    ])
    func `other redirects are errors that say why`(location: String?, words: String) async throws {
        try await Bench.run { bench in
            bench.origin.on("/a") { _ in .redirect(302, to: location) }
            bench.origin.on("/n") { request in
                .redirect(302, to: "/n?" + String((Int(request.target.dropFirst(3)) ?? 0) + 1))
            }
            guard case .failed(let failure, nil) = await bench.run(try bench.assignment("/a")) else {
                return #expect(Bool(false))
            }
            #expect(failure.code == .redirect)
            #expect(failure.message.contains(words), "\(failure.message)")
            #expect(bench.origin.requests.count <= 11)
        }
    }

    private func withSecrets(_ assignment: Assignment) -> Assignment {
        var assignment = assignment
        assignment.credentials = "anna:geheim"
        assignment.headers = [
            Assignment.Header(name: "Cookie", value: "session=s3cret"),
            Assignment.Header(name: "X-Token", value: "t0ken"), Assignment.Header(name: "Range", value: "bytes=5-"),
        ]
        return assignment
    }

    @Test func `another origin sees neither credentials nor cookies nor any header the user set`() async throws {
        try await Bench.run { bench in
            let target = try bench.origin.url("/real.bin", host: "localhost").text
            bench.origin.on("/a") { _ in .redirect(302, to: target) }
            bench.origin.on("/real.bin") { OriginEntity(body).reply(to: $0) }
            let assignment = withSecrets(try bench.assignment("/a"))
            #expect(await bench.run(assignment) == .completed(path: bench.path("real.bin")))
            let first = try #require(bench.origin.requests.first)
            let second = try #require(bench.origin.requests.last)
            #expect(first["authorization"] == "Basic YW5uYTpnZWhlaW0=")
            #expect(first["cookie"] == "session=s3cret")
            #expect(first["x-token"] == "t0ken")
            #expect(first["range"] == nil)
            for name in ["authorization", "cookie", "x-token"] { #expect(second[name] == nil) }
        }
    }

    @Test func `headers go along to the same origin, and to another one when the user said so`() async throws {
        try await Bench.run { bench in
            let target = try bench.origin.url("/real.bin", host: "localhost").text
            bench.origin.on("/a") { _ in .redirect(302, to: "/b") }
            bench.origin.on("/b") { _ in .redirect(302, to: target) }
            bench.origin.on("/real.bin") { OriginEntity(body).reply(to: $0) }
            let assignment = withSecrets(try bench.assignment("/a") { $0.forwardsHeaders = true })
            #expect(await bench.run(assignment) == .completed(path: bench.path("real.bin")))
            #expect(bench.origin.requests.map { $0["x-token"] } == ["t0ken", "t0ken", "t0ken"])
        }
    }

    @Test func `from https to http is refused unless allowed`() async throws {
        try await Bench.run(isSecure: true) { bench in
            let plain = try await OriginServer.start()
            plain.on("/real.bin") { OriginEntity(body).reply(to: $0) }
            let target = try plain.url("/real.bin").text
            bench.origin.on("/a") { _ in .redirect(302, to: target) }
            let end = await bench.run(try bench.assignment("/a") { $0.isInsecure = true })
            guard case .failed(let failure, nil) = end else { return #expect(Bool(false), "\(end)") }
            #expect(failure.message == "the origin redirects from https to http ('\(target)'), which is refused")
            let allowed = try bench.assignment("/a") { options in
                options.isInsecure = true
                options.allowsDowngrade = true
            }
            #expect(await bench.run(allowed) == .completed(path: bench.path("real.bin")))
            try await plain.stop()
        }
    }

    @Test func `no report and no failure holds a secret`() async throws {
        try await Bench.run { bench in
            bench.origin.on("/a") { _ in .redirect(302, to: "/b?token=t0ps3cret&x=1") }
            bench.origin.script(
                "/b", [{ OriginEntity(body).reply(to: $0) }, { _ in .redirect(302, to: "/b?token=t0ps3cret") }])
            _ = await bench.run(withSecrets(try bench.assignment("/a")))
            _ = await bench.run(withSecrets(try bench.assignment("/b", id: 2)))
            let words = "\(bench.reports.all)"
            #expect(words.contains("REDACTED"))
            for secret in ["t0ps3cret", "t0ken", "s3cret", "geheim"] { #expect(!words.contains(secret)) }
        }
    }
}
