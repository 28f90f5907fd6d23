import LedgerModel
import LedgerTestSupport
import LedgerTransfer
import Testing

/// Rows 13 to 21: how bodies end, or do not.
@Suite struct FramingCaseTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let slug: String
        /// The `Range` of each request.
        let ranges: [String?]

        init(_ slug: String, _ ranges: [String?]) {
            self.slug = slug
            self.ranges = ranges
        }

        var testDescription: String { slug }
    }

    static let whole = [
        Row("14-too-much", [nil]), Row("14-slice-too-long", [nil, "bytes=300000-"]),
        // The chunk's own size, on its line, is no part of the 300,000 bytes that came.
        Row("15-cut-chunk", [nil, "bytes=299993-"]),
        Row("16-chunked-and-length", [nil]), Row("18-clean-close", [nil]), Row("19-gzip", [nil]),
        Row("20-empty", [nil]), Row("20-no-content", [nil]),
    ]

    @Test(arguments: whole) func `a body is whole when its framing says so, within one run`(row: Row) async throws {
        let theCase = try Bench.named(row.slug)
        try await Bench.run { bench in
            await bench.completes(try bench.assignment(theCase), as: "disk.iso")
            #expect(try bench.holds(theCase, under: "disk.iso"))
            #expect(try bench.names == ["disk.iso"])
            let length = theCase.file.bytes.count
            #expect(bench.reports.all.kinds == ["resolved 1", "verified \(length) disk.iso", "completed \(length)"])
            let seen = bench.seen(theCase)
            #expect(seen["range"] == row.ranges)
            #expect(seen["accept-encoding"].allSatisfy { $0 == "identity" })
            #expect(seen["user-agent"].allSatisfy { $0 == "ledger" })
        }
    }

    @Test(arguments: ["13-cut", "13-reset"]) func `a body that is cut is continued from what came of it`(
        slug: String
    ) async throws {
        let theCase = try Bench.named(slug)
        try await Bench.run { bench in
            // The end may overtake bytes, so that how much came is not known beforehand.
            let ends = await bench.follow(try bench.assignment(theCase))
            #expect(ends.last == .completed(path: bench.path("disk.iso")))
            #expect(try bench.holds(theCase, under: "disk.iso"))
            let seen = bench.seen(theCase)
            #expect(seen["range"].count >= 4 && seen["range"].count { $0 == nil } == 1)
            #expect(zip(seen["range"], seen["if-range"]).allSatisfy { $0 == nil || $1 == "\"v1\"" })
        }
    }

    @Test(arguments: ["13-cut", "21-stalls"])
    func `who wants no attempt made again is told of the first that ends early`(slug: String) async throws {
        let theCase = try Bench.named(slug)
        try await Bench.run { bench in
            let assignment = try bench.assignment(theCase) {
                $0.retriesMax = 0
                $0.silenceMillisecondsMax = 2000
            }
            guard case .failed(let failure, retryAt: nil) = await bench.run(assignment) else {
                return #expect(Bool(false))
            }
            #expect(failure.code == (slug == "13-cut" ? .connectionLost : .silence))
            #expect(bench.seen(theCase)["range"].count == 1)
        }
    }

    @Test(arguments: ["13-cut-always", "15-no-last-chunk", "18-reset"])
    func `a body that never ends as it should is tried again, and is never a file`(slug: String) async throws {
        let theCase = try Bench.named(slug)
        try await Bench.run { bench in
            let ends = await bench.follow(try bench.assignment(theCase) { $0.retriesMax = 2 })
            #expect(ends.map { $0.failure?.code } == [.connectionLost, .connectionLost, .connectionLost])
            #expect(ends.first?.retryAt == Bench.start.advanced(by: .milliseconds(125)))
            let lost = "failed connection-lost"
            #expect(bench.reports.all.kinds == [lost, lost, lost + " for good"])
            #expect(try bench.names == [])
        }
    }

    @Test func `what is beyond the length reaches neither the file nor the next answer`() async throws {
        let theCase = try Bench.named("14-too-much")
        try await Bench.run { bench in
            await bench.completes(try bench.assignment(theCase), as: "disk.iso")
            await bench.completes(try bench.assignment(theCase.path("again"), id: 2), as: "disk (1).iso")
            let connections = [bench.seen(theCase), bench.cases.seen(theCase.slug, "again")].map {
                $0.requests.first?.request.connection
            }
            #expect(connections[0] != connections[1], "the connection that brought too much is not used again")
            #expect(try bench.holds(theCase, under: "disk (1).iso"))
        }
    }

    @Test(arguments: Catalogue.slugs(row: 17))
    func `nonsense in place of an answer is refused at once`(slug: String) async throws {
        let theCase = try Bench.named(slug)
        try await Bench.run { bench in
            let end = await bench.run(try bench.assignment(theCase))
            #expect(end.failure?.code == .protocolViolation)
            #expect(end.retryAt == nil)
            #expect(bench.reports.all.kinds == ["failed protocol for good"])
            #expect(bench.seen(theCase).requests.count == 1)
            #expect(try bench.names == [])
        }
    }

    @Test func `over TLS only TLS's own end makes a body without a length whole`() async throws {
        let (cut, clean) = (try Bench.named("18-no-close-notify"), try Bench.named("18-clean-close"))
        try await Bench.run(isSecure: true) { bench in
            let end = await bench.run(try bench.assignment(cut) { $0.isInsecure = true })
            #expect(end.failure?.code == .connectionLost)
            #expect(end.retryAt != nil)
            #expect(bench.reports.all.kinds == ["failed connection-lost"])
            #expect(try bench.names == [])
            await bench.completes(try bench.assignment(clean) { $0.isInsecure = true }, as: "disk.iso")
            #expect(try bench.holds(clean, under: "disk.iso"))
        }
    }

    @Test func `bytes that came compressed are kept as served, and carried on from as many as were`() async throws {
        let theCase = try Bench.named("19-gzip-cut")
        try await Bench.run { bench in
            let ends = await bench.follow(try bench.assignment(theCase))
            #expect(ends.last == .completed(path: bench.path("disk.iso")))
            #expect(try bench.holds(theCase, under: "disk.iso"))
            #expect(bench.seen(theCase)["range"] == [nil, "bytes=\(CaseFile.cutBytes)-"])
            #expect(bench.seen(theCase)["if-range"].last == "\"v1\"")
            #expect(bench.reports.all.kinds.first == "resolved 1")
        }
    }

    @Test(arguments: [
        ("21-no-answer", "no answer from '127.0.0.1' within 2 s"),
        ("21-drips", "bytes from '127.0.0.1' in 2 s: the origin is too slow"),
    ])
    func `an origin that is silent is left after its limit, told, and asked again`(
        slug: String, words: String
    ) async throws {
        let theCase = try Bench.named(slug)
        try await Bench.run { bench in
            let ends = await bench.follow(try bench.assignment(theCase) { $0.silenceMillisecondsMax = 2000 })
            #expect(ends.first?.failure?.message.hasSuffix(words) == true, "\(ends)")
            #expect(ends.first?.retryAt == Bench.start.advanced(by: .milliseconds(125)))
            #expect(ends.last == .completed(path: bench.path("disk.iso")))
            #expect(try bench.holds(theCase, under: "disk.iso"))
        }
    }

    @Test func `an origin that stops in the middle is left, and the rest asked for at once`() async throws {
        let theCase = try Bench.named("21-stalls")
        try await Bench.run { bench in
            let assignment = try bench.assignment(theCase) { $0.silenceMillisecondsMax = 2000 }
            await bench.completes(assignment, as: "disk.iso")
            #expect(try bench.holds(theCase, under: "disk.iso"))
            #expect(bench.seen(theCase)["range"] == [nil, "bytes=300000-"])
        }
    }

    @Test func `an origin that stops for good is left in the end, and what came is on record`() async throws {
        let theCase = try Bench.named("21-stalls-always")
        try await Bench.run { bench in
            let end = await bench.run(try bench.assignment(theCase) { $0.silenceMillisecondsMax = 2000 })
            #expect(end.failure?.message == "no byte from '127.0.0.1' for 2 s")
            #expect(end.retryAt == Bench.start.advanced(by: .milliseconds(125)))
            #expect(bench.reports.all.kinds == ["resolved 1", "progressed 300000", "failed silence"])
            #expect(try bench.names == ["disk.iso.1-0badcafe.1.part"])
        }
    }
}
