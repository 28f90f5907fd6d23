import LedgerModel
import LedgerTestSupport
import LedgerTransfer
import Testing

/// The first request to an origin that is known to serve ranges, over real sockets.
@Suite struct OpeningTests {
    static let body = RangeTests.body
    static let opening = Int(RangePlan.openingBytes)

    /// An origin whose first file has shown that it serves ranges.
    private static func withKnownOrigin(_ body: (Bench) async throws -> Void) async throws {
        try await Bench.run { bench in
            let gate = OriginGate()
            bench.origin.on("/first.bin") { request in
                let reply = OriginEntity(Self.body).reply(to: request)
                guard request["range"] != nil else { return reply.holding(at: gate, after: 200_000) }
                gate.open()
                return reply
            }
            await bench.completes(try bench.assignment("/first.bin") { $0.rangesMax = 2 }, as: "first.bin")
            try await body(bench)
        }
    }

    /// Fetches the second file, and returns the ranges it was asked for.
    private static func fetch(_ entity: OriginEntity, _ bench: Bench, rangesMax: UInt32? = 4) async throws -> [String?]
    {
        let before = bench.origin.requests.count
        bench.origin.on("/second.bin") { entity.reply(to: $0) }
        await bench.completes(
            try bench.assignment("/second.bin", id: 2) { $0.rangesMax = rangesMax }, as: "second.bin")
        #expect(try bench.file("second.bin") == entity.bytes)
        return bench.origin.requests.dropFirst(before).map { $0["range"] }
    }

    @Test(arguments: [OriginReply.Framing.length, .chunked])
    func `a 200 with the first bytes alone is not the file`(framing: OriginReply.Framing) async throws {
        try await Self.withKnownOrigin { bench in
            bench.origin.on("/second.bin") { request in
                let part = request["range"] == nil ? Self.body[...] : Self.body[..<Self.opening]
                return OriginReply(200, [("ETag", "\"v2\"")], body: Array(part), framing: framing)
            }
            await bench.completes(try bench.assignment("/second.bin", id: 2) { $0.rangesMax = 4 }, as: "second.bin")
            #expect(try bench.file("second.bin") == Self.body)
        }
    }

    @Test(arguments: [OriginReply.Framing.length, .chunked])
    func `of a slice with more bytes than it says, what it says is kept`(framing: OriginReply.Framing) async throws {
        try await Self.withKnownOrigin { bench in
            bench.origin.on("/second.bin") { _ in
                let fields = [("ETag", "\"v2\""), ("Content-Range", "bytes 0-99/100")]
                return OriginReply(206, fields, body: Array(Self.body[..<5000]), framing: framing)
            }
            await bench.completes(try bench.assignment("/second.bin", id: 2) { $0.rangesMax = 4 }, as: "second.bin")
            #expect(try bench.file("second.bin") == Array(Self.body[..<100]))
        }
    }

    @Test func `it asks for the first bytes alone, and others fetch the rest`() async throws {
        try await Self.withKnownOrigin { bench in
            let ranges = try await Self.fetch(OriginEntity(Self.body), bench)
            #expect(ranges.first == "bytes=0-\(Self.opening - 1)")
            #expect(ranges.dropFirst().contains { $0?.hasPrefix("bytes=\(Self.opening)-") == true })
            #expect(ranges.dropFirst().allSatisfy { $0 != nil } && ranges.count >= 2)
        }
    }

    @Test func `one stream asks for everything`() async throws {
        try await Self.withKnownOrigin { bench in
            let ranges = try await Self.fetch(OriginEntity(Self.body), bench, rangesMax: 1)
            #expect(ranges == [nil])
        }
    }

    @Test func `a file that is shorter needs no second request`() async throws {
        try await Self.withKnownOrigin { bench in
            let ranges = try await Self.fetch(OriginEntity(OriginEntity.pattern(70_000, seed: 3)), bench)
            #expect(ranges == ["bytes=0-\(Self.opening - 1)"])
        }
    }

    @Test func `a file without a byte has no first ones: it is asked for whole`() async throws {
        try await Self.withKnownOrigin { bench in
            let ranges = try await Self.fetch(OriginEntity([]), bench)
            #expect(ranges == ["bytes=0-\(Self.opening - 1)", nil])
        }
    }

    @Test func `what has no validator is asked for whole, for nothing could follow its first bytes`() async throws {
        try await Self.withKnownOrigin { bench in
            let entity = OriginEntity(OriginEntity.pattern(3 << 20, seed: 4), entityTag: nil)
            let ranges = try await Self.fetch(entity, bench)
            #expect(ranges == ["bytes=0-\(Self.opening - 1)", nil])
        }
    }

    @Test func `an answer with everything is taken`() async throws {
        try await Self.withKnownOrigin { bench in
            var entity = OriginEntity(OriginEntity.pattern(3 << 20, seed: 5))
            entity.servesRanges = false
            let ranges = try await Self.fetch(entity, bench)
            // Who asks for four tries the others in any case.
            #expect(ranges.first == "bytes=0-\(Self.opening - 1)" && !ranges.contains(nil))
        }
    }

    @Test(arguments: ["bytes 0-2097151/*", "nothing"])
    func `an answer that does not say how long the whole is, or refuses the range, is asked for whole`(
        _ range: String
    ) async throws {
        try await Self.withKnownOrigin { bench in
            let entity = OriginEntity(OriginEntity.pattern(3 << 20, seed: 7))
            let before = bench.origin.requests.count
            bench.origin.on("/second.bin") { request in
                var answer = entity.response(to: request)
                guard request.rangeStart == 0 else { return entity.reply(to: request) }
                if range == "nothing" { return OriginReply(403, [], body: []) }
                answer.fields.removeAll { $0.0 == "Content-Range" }
                return OriginReply(answer.status, answer.fields + [("Content-Range", range)], body: answer.body)
            }
            await bench.completes(
                try bench.assignment("/second.bin", id: 2) { $0.rangesMax = 4 }, as: "second.bin")
            #expect(try bench.file("second.bin") == entity.bytes)
            let ranges = bench.origin.requests.dropFirst(before).map { $0["range"] }
            #expect(Array(ranges.prefix(2)) == ["bytes=0-\(Self.opening - 1)", nil])
        }
    }

    @Test func `an answer that can not be read as the range is asked for whole`() async throws {
        try await Self.withKnownOrigin { bench in
            let entity = OriginEntity(OriginEntity.pattern(3 << 20, seed: 6))
            let before = bench.origin.requests.count
            bench.origin.on("/second.bin") { request in
                var answer = entity.response(to: request)
                if request["range"] != nil { answer.fields.removeAll { $0.0 == "Content-Range" } }
                return OriginReply(answer.status, answer.fields, body: answer.body)
            }
            await bench.completes(
                try bench.assignment("/second.bin", id: 2) { $0.rangesMax = 4 }, as: "second.bin")
            #expect(try bench.file("second.bin") == entity.bytes)
            let ranges = bench.origin.requests.dropFirst(before).map { $0["range"] }
            #expect(Array(ranges.prefix(2)) == ["bytes=0-\(Self.opening - 1)", nil])
        }
    }
}
