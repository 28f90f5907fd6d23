import LedgerModel
import LedgerTestSupport
import LedgerTransfer
import Testing

/// Rows 27 to 30 and 44: where a redirect may lead, and what goes along.
@Suite struct RedirectCaseTests {
    static let followed = [
        ("27-absolute", "real.bin"), ("27-relative", "real.bin"), ("27-parent", "real.bin"),
        ("27-query", "disk.iso?real.bin"), ("27-same-scheme", "real.bin"), ("27-spaces", "with%20space.bin"),
        ("27-fragment", "real.bin"), ("27-nine-deep", "9"), ("27-301", "real.bin"), ("27-302", "real.bin"),
        ("27-303", "real.bin"), ("27-307", "real.bin"), ("27-308", "real.bin"),
    ]

    @Test(arguments: followed) func `a redirect is followed within http`(slug: String, arrives: String) async throws {
        let theCase = try Bench.named(slug)
        try await Bench.run { bench in
            await bench.completes(try bench.assignment(theCase, name: "x"), as: "x")
            let targets = bench.seen(theCase).requests.map(\.request.target)
            #expect(targets.first == theCase.path(Bench.token))
            #expect(targets.last == theCase.path(Bench.token, arrives))
            #expect(targets.count == (slug == "27-nine-deep" ? 10 : 2))
            #expect(try bench.holds(theCase, under: "x"))
            #expect(bench.reports.all.kinds == ["resolved 1", "verified 700001 x", "completed 700001"])
        }
    }

    @Test func `where a redirect ends names the file`() async throws {
        let theCase = try Bench.named("27-302")
        try await Bench.run { bench in await bench.completes(try bench.assignment(theCase), as: "real.bin") }
    }

    @Test(arguments: [
        ("27-no-location", "without saying where to"), ("27-file", "can not be fetched"),
        ("27-loop", "in a circle"), ("27-twenty-deep", "more than 10 redirects"),
        ("27-empty-location", "can not be fetched"),
    ])
    func `other redirects are errors that say why`(slug: String, words: String) async throws {
        let theCase = try Bench.named(slug)
        try await Bench.run { bench in
            let end = await bench.run(try bench.assignment(theCase))
            #expect(end.failure?.code == .redirect)
            #expect(end.failure?.message.contains(words) == true, "\(end)")
            #expect(end.retryAt == nil)
            #expect(bench.reports.all.kinds == ["failed redirect for good"])
            #expect(bench.seen(theCase).requests.count <= 11)
            #expect(try bench.names == [])
        }
    }

    @Test func `a redirect that says its place twice is followed, and one that names two is not`() async throws {
        try await Bench.run { bench in
            bench.origin.serve("/real.bin", OriginEntity([1, 2, 3]))
            let place = ("Location", "/real.bin")
            bench.origin.on("/twice") { _ in OriginReply(302, [place, place]) }
            bench.origin.on("/two") { _ in OriginReply(302, [place, ("Location", "/other.bin")]) }
            await bench.completes(try bench.assignment("/twice"), as: "real.bin")
            let end = await bench.run(try bench.assignment("/two", id: 2))
            #expect(end.failure?.code == .redirect && end.retryAt == nil, "\(end)")
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

    @Test(arguments: ["28-other-host", "28-other-port", "28-and-back"])
    func `another origin sees neither credentials nor cookies nor any header the user set`(slug: String) async throws {
        let theCase = try Bench.named(slug)
        try await Bench.run { bench in
            await bench.completes(withSecrets(try bench.assignment(theCase)), as: "real.bin")
            let seen = bench.seen(theCase)
            #expect(seen.requests.count == (slug == "28-and-back" ? 3 : 2))
            let nobodyElse = [String?](repeating: nil, count: seen.requests.count - 1)
            #expect(seen["authorization"] == ["Basic YW5uYTpnZWhlaW0="] + nobodyElse)
            #expect(seen["cookie"] == ["session=s3cret"] + nobodyElse)
            #expect(seen["x-token"] == ["t0ken"] + nobodyElse)
            #expect(seen["range"].allSatisfy { $0 == nil }, "ranges are not the user's to ask for")
            #expect(try bench.holds(theCase, under: "real.bin"))
        }
    }

    @Test(arguments: ["27-302", "28-other-host"])
    func `headers go along to the same origin, and to another one when the user said so`(slug: String) async throws {
        let theCase = try Bench.named(slug)
        try await Bench.run { bench in
            let assignment = withSecrets(try bench.assignment(theCase) { $0.forwardsHeaders = slug.hasPrefix("28") })
            await bench.completes(assignment, as: "real.bin")
            #expect(bench.seen(theCase)["x-token"] == ["t0ken", "t0ken"])
        }
    }

    @Test func `from https to http is refused unless allowed`() async throws {
        let theCase = try Bench.named("28-downgrade")
        try await Bench.run(isSecure: true) { bench in
            let end = await bench.run(try bench.assignment(theCase) { $0.isInsecure = true })
            let target = bench.cases.places.plain + theCase.path(Bench.token, "real.bin")
            #expect(end.failure?.message == "the origin redirects from https to http ('\(target)'), which is refused")
            #expect(end.retryAt == nil)
            #expect(bench.seen(theCase).requests.count == 1)
            let allowed = try bench.assignment(theCase) { options in
                options.isInsecure = true
                options.allowsDowngrade = true
            }
            await bench.completes(allowed, as: "real.bin")
        }
    }

    @Test(arguments: [("30-resume", []), ("30-changed", [nil])] as [(String, [String?])])
    func `a redirect on resume keeps the range, and the final origin's validator decides`(
        slug: String, after: [String?]
    ) async throws {
        let theCase = try Bench.named(slug)
        try await Bench.run { bench in
            await bench.completes(try bench.assignment(theCase), as: "real.bin")
            #expect(try bench.holds(theCase, under: "real.bin"))
            // Each time by way of the redirect, which sees the same.
            let (ranges, rest) = try bench.rest(theCase)
            #expect(ranges == ([nil, rest] + after).flatMap { [$0, $0] })
            #expect(
                bench.reports.all.kinds == ["resolved 1", "verified 700001 real.bin", "completed 700001"])
        }
    }

    @Test func `what redirects led elsewhere is carried on where it began`() async throws {
        let theCase = try Bench.named("30-other-mirror")
        try await Bench.run { bench in
            await bench.completes(try bench.assignment(theCase), as: "one.bin")
            #expect(try bench.holds(theCase, under: "one.bin"))
            let (ranges, rest) = try bench.rest(theCase)
            #expect(ranges == [nil, nil, rest, rest, rest])
        }
    }

    @Test(arguments: [0, 1, 2])
    func `where it began is left for where redirects lead, once it gives no more`(how: Int) async throws {
        let body = OriginEntity.pattern(300_000)
        try await Bench.run { bench in
            let entity = OriginEntity(body)
            bench.origin.script(
                "/disk.iso", [{ _ in .redirect(302, to: "/one.bin") }, { _ in .redirect(302, to: "/two.bin") }])
            bench.origin.on("/one.bin") { request in
                guard let start = request.rangeStart else { return entity.reply(to: request).cut(after: 150_000) }
                let slice: [(String, String)] = [
                    ("ETag", "\"v1\""), ("Content-Range", "bytes \(start)-299999/300000"),
                ]
                return switch how {
                // The half that it has, as everything; an empty rest that calls itself whole, and one that does not.
                case 0: OriginReply(200, [("ETag", "\"v1\"")], body: body).cut(after: 150_000)
                case 1: OriginReply(206, slice, body: [])
                default: OriginReply(206, slice, body: [], framing: .chunked)
                }
            }
            bench.origin.on("/two.bin") { entity.reply(to: $0) }
            await bench.completes(try bench.assignment("/disk.iso"), as: "two.bin")
            #expect(try bench.file("two.bin") == body)
            // Of what came before a cut some may be lost with the connection, so that the next one brings more.
            #expect(bench.origin.requests.count <= 16)
        }
    }

    @Test func `no report and no failure holds a secret`() async throws {
        let theCase = try Bench.named("44-secrets")
        try await Bench.run { bench in
            _ = await bench.run(withSecrets(try bench.assignment(theCase)))
            let behind = theCase.path("behind", "real.bin") + "?token=t0ps3cret"
            bench.origin.script(
                theCase.path("behind", "real.bin"), [{ _ in .redirect(302, to: behind) }])
            _ = await bench.run(withSecrets(try bench.assignment(behind, id: 2)))
            let words = "\(bench.reports.all)"
            #expect(bench.reports.all.kinds.suffix(2) == ["completed 700001", "failed redirect for good"])
            #expect(words.contains("REDACTED"))
            for secret in ["t0ps3cret", "t0ken", "s3cret", "geheim"] { #expect(!words.contains(secret)) }
        }
    }
}

extension Bench {
    /// The ranges that were asked for, and the first of them, which is what was missing after the cut: of what the
    /// origin sent before it some may be lost with the connection, where the reader is far behind.
    fileprivate func rest(_ theCase: OriginCase) throws -> (ranges: [String?], rest: String) {
        let ranges = seen(theCase)["range"]
        let rest = try #require(ranges.compactMap(\.self).first)
        let start = try #require(Int(rest.dropFirst("bytes=".count).dropLast()))
        #expect((1...CaseFile.cutBytes).contains(start))
        return (ranges, rest)
    }
}
