import LedgerModel
import LedgerTestSupport
import LedgerTransfer
import Testing

/// Who says what the bytes of a source must be, and for how long that is known.
@Suite struct VouchingTests {
    /// Bodies of the first of two sources that are not what the order's pieces are of.
    /// And how much of them is fetched and kept: what states another length is not.
    static let wrong: [(what: String, reply: OriginReply, kept: Int?)] = [
        ("no length stated", OriginReply(body: PieceTests.spoiled, framing: .chunked), 1000),
        ("no length stated, and longer", OriginReply(body: OriginEntity.pattern(90_000), framing: .chunked), 1201),
        ("longer than the pieces", OriginReply(body: OriginEntity.pattern(1300)), nil),
        ("shorter than the pieces", OriginReply(body: OriginEntity.pattern(500)), nil),
    ]

    @Test(arguments: wrong.indices)
    func `the order's pieces bind where they can not be checked on the way`(_ index: Int) async throws {
        try await Bench.run { bench in
            let reply = Self.wrong[index].reply
            bench.origin.on("/f.bin") { _ in reply }
            bench.origin.on("/mirror.bin") { OriginEntity(PieceTests.body, entityTag: "\"m\"").reply(to: $0) }
            var assignment = try bench.assignment("/f.bin", name: "f.bin")
            assignment.order.pieces = Shared(try PieceTests.hashes(PieceTests.body, pieceLength: 300))
            assignment.mirrors = [Assignment.Mirror(try bench.origin.url("/mirror.bin"))]
            await bench.completes(assignment, as: "f.bin")
            #expect(try bench.file("f.bin") == PieceTests.body, "\(Self.wrong[index].what)")
            #expect(try bench.file("f.bin.rejected")?.count == Self.wrong[index].kept)
        }
    }

    @Test func `pieces that are too long to be checked on the way are checked in the end`() async throws {
        try await Bench.run { bench in
            bench.origin.on("/f.bin") { OriginEntity(PieceTests.spoiled).reply(to: $0) }
            var assignment = try bench.assignment("/f.bin")
            let sum = PieceTests.sum.bytes
            assignment.order.pieces = Shared(
                try #require(PieceHashes(.sha256, pieceLength: PieceChecks.pieceBytesMax + 1, bytes: Array(sum))))
            let end = await bench.run(assignment)
            guard case .failed(let failure, retryAt: nil) = end else { return #expect(Bool(false), "\(end)") }
            #expect(failure.code == .digestMismatch && failure.message.hasPrefix("piece 1 of 1 of the file is not"))
            bench.origin.on("/f.bin") { OriginEntity(PieceTests.body).reply(to: $0) }
            await bench.completes(assignment, as: "f.bin")
        }
    }

    /// A Metalink that states the hashes of a body's pieces, of 1 MiB each, and where else it is.
    private static func description(of body: [UInt8], at place: ResourceURL? = nil) -> String {
        let hashes = stride(from: 0, to: body.count, by: 1 << 20)
            .map { "<hash>\(PieceTests.sha256(body[$0..<$0 + (1 << 20)]).hex)</hash>" }.joined()
        let url = place.map { "<url>\($0.text)</url>" } ?? ""
        return """
            <metalink xmlns="urn:ietf:params:xml:ns:metalink"><file name="f.bin"><size>\(body.count)</size>
            <pieces length="1048576" type="sha-256">\(hashes)</pieces>\(url)</file></metalink>
            """
    }

    @Test(arguments: [1, 4]) func `a description lets nothing of another entity be put behind what is held`(
        ranges: UInt32
    ) async throws {
        let (body, other) = (OriginEntity.pattern(6 << 20, seed: 7), OriginEntity.pattern(6 << 20, seed: 8))
        try await Bench.run { bench in
            let gate = OriginGate()
            var entity = OriginEntity(body)
            entity.fields = [("Link", "</f.meta4>; rel=describedby; type=\"application/metalink4+xml\"")]
            // The next server behind the same name has an older file, no tag, and heeds no `If-Range`.
            bench.origin.script(
                "/f.bin",
                [
                    { [entity] in entity.reply(to: $0).holding(at: gate, after: 5 << 20).cut(after: (5 << 20) + 1) },
                    { OriginEntity(other, entityTag: nil).reply(to: $0) },
                ])
            let document = Self.description(of: body)
            bench.origin.on("/f.meta4") { _ in
                gate.open()
                return OriginReply(body: Array(document.utf8))
            }
            let ends = await bench.follow(try bench.assignment("/f.bin") { $0.rangesMax = ranges })
            #expect(ends.last == .completed(path: bench.path("f.bin")))
            #expect(try bench.file("f.bin") == other)
        }
    }

    @Test func `what only a description vouches for is on record once a hash of it has judged it`() async throws {
        let (body, other) = (OriginEntity.pattern(5 << 20, seed: 7), OriginEntity.pattern(5 << 20, seed: 8))
        let link = ("Link", "</f.meta4>; rel=describedby; type=\"application/metalink4+xml\"")
        try await Bench.run { bench in
            let gate = OriginGate()
            bench.origin.on("/f.bin") { request in
                // So that the other source is asked for the rest.
                guard request["range"] == nil else { return OriginReply(503) }
                var entity = OriginEntity(body)
                entity.fields = [link]
                return entity.reply(to: request).holding(at: gate, after: 1 << 20)
            }
            bench.origin.on("/other.bin") {
                OriginEntity(other, entityTag: "\"o\"").reply(to: $0).holding(at: gate, after: 300_000)
            }
            let document = Self.description(of: body, at: try bench.origin.url("/other.bin"))
            bench.origin.on("/f.meta4") { _ in OriginReply(body: Array(document.utf8)) }
            let assignment = try bench.assignment("/f.bin") { $0.rangesMax = 2 }
            let run = Task { await bench.run(assignment) }
            await bench.received((1 << 20) + 300_000)
            run.cancel()
            #expect(await run.value == .stopped)
            let recorded = bench.reports.all.compactMap { report in
                if case .progressed(let bytes, _) = report { bytes } else { nil }
            }
            #expect(recorded.last == ByteRangeSet(0..<1 << 20))
            #expect(bench.origin.requests.contains { $0.path == "/other.bin" })
        }
    }

    @Test(arguments: [404, 503]) func `a place that an origin named gives nothing that no hash judges`(
        status: Int
    ) async throws {
        let (body, other) = (OriginEntity.pattern(6 << 20, seed: 7), OriginEntity.pattern(5 << 20, seed: 8))
        try await Bench.run { bench in
            let gate = OriginGate()
            var entity = OriginEntity(body, entityTag: nil)
            entity.fields = [("Link", "</f.meta4>; rel=describedby; type=\"application/metalink4+xml\"")]
            bench.origin.script(
                "/f.bin",
                [
                    { [entity] in entity.reply(to: $0).holding(at: gate, after: 3 << 20).cut(after: (3 << 20) + 1) },
                    { _ in OriginReply(status) },
                ])
            bench.origin.on("/other.bin") { OriginEntity(other, entityTag: "\"o\"").reply(to: $0) }
            let document = Self.description(of: body, at: try bench.origin.url("/other.bin"))
            bench.origin.on("/f.meta4") { _ in
                gate.open()
                return OriginReply(body: Array(document.utf8))
            }
            let end = await bench.run(try bench.assignment("/f.bin"))
            guard case .failed = end else { return #expect(Bool(false), "\(end)") }
            #expect(try bench.file("f.bin") == nil)
            #expect(bench.origin.requests.contains { $0.path == "/other.bin" })
        }
    }
}
