import LedgerModel
import LedgerTestSupport
import LedgerTransfer
import Synchronization
import Testing

/// Pieces whose hashes a publisher states, over real sockets.
@Suite struct PieceTests {
    static let body = OriginEntity.pattern(1000)
    static let sum = PieceTests.sha256(body[...])

    static func sha256(_ bytes: ArraySlice<UInt8>) -> Digest {
        let digest = RunningDigest(stated: nil)
        digest.absorb(Array(bytes).span.bytes, at: 0)
        return digest.finish().sha256
    }

    /// What the pieces of `bytes` hash to.
    static func hashes(_ bytes: [UInt8], pieceLength: Int) throws -> PieceHashes {
        let sums = stride(from: 0, to: bytes.count, by: pieceLength).flatMap { start in
            sha256(bytes[start..<min(start + pieceLength, bytes.count)]).bytes
        }
        return try #require(PieceHashes(.sha256, pieceLength: UInt64(pieceLength), bytes: sums))
    }

    /// The body with one byte of its second piece wrong.
    static let spoiled: [UInt8] = {
        var bytes = body
        bytes[350] ^= 1
        return bytes
    }()

    private func assignment(_ bench: Bench, mirrors: [String] = []) throws -> Assignment {
        var assignment = try bench.assignment("/f.bin")
        assignment.order.pieces = Shared(try Self.hashes(Self.body, pieceLength: 300))
        assignment.mirrors = try mirrors.map { Assignment.Mirror(try bench.origin.url($0)) }
        return assignment
    }

    @Test func `a wrong piece is fetched again, alone`() async throws {
        try await Bench.run { bench in
            bench.origin.script(
                "/f.bin", [Self.spoiled, Self.body].map { bytes in { OriginEntity(bytes).reply(to: $0) } })
            await bench.completes(try assignment(bench), as: "f.bin")
            #expect(try bench.file("f.bin") == Self.body)
            #expect(bench.origin.requests.map { $0["range"] } == [nil, "bytes=300-599"])
            #expect(bench.reports.all.kinds == ["resolved 1", "verified 1000 f.bin", "completed 1000"])
        }
    }

    @Test func `the source that gave a wrong piece is blamed, and another gives it`() async throws {
        try await Bench.run { bench in
            bench.origin.on("/f.bin") { OriginEntity(Self.spoiled).reply(to: $0) }
            bench.origin.on("/mirror.bin") { OriginEntity(Self.body, entityTag: "\"m\"").reply(to: $0) }
            await bench.completes(try assignment(bench, mirrors: ["/mirror.bin"]), as: "f.bin")
            #expect(try bench.file("f.bin") == Self.body)
            #expect(bench.origin.requests.map(\.target) == ["/f.bin", "/mirror.bin"])
            #expect(bench.origin.requests.last?["range"] == "bytes=300-599")
            let blamed = bench.reports.all.compactMap { report -> Failure? in
                if case .blamed(let source, let failure) = report, source.path == "/f.bin" { failure } else { nil }
            }
            #expect(blamed.map(\.code) == [.digestMismatch])
            #expect(blamed.map(\.message) == ["piece 2 of 4 (bytes 300 to 599) is not what it must hash to"])
        }
    }

    @Test func `a piece that stays wrong fails the download for good, and is not claimed`() async throws {
        try await Bench.run { bench in
            bench.origin.on("/f.bin") { OriginEntity(Self.spoiled).reply(to: $0) }
            let end = await bench.run(try assignment(bench))
            guard case .failed(let failure, retryAt: nil) = end else { return #expect(Bool(false), "\(end)") }
            #expect(failure.code == .digestMismatch)
            #expect(failure.message == "piece 2 of 4 (bytes 300 to 599) is not what it must hash to")
            #expect(bench.origin.requests.count == 3)
            #expect(
                bench.reports.all.kinds == ["resolved 1", "progressed 700", "failed digest-mismatch for good"])
            #expect(try bench.file("f.bin") == nil)
        }
    }

    @Test func `what an earlier attempt left is checked too`() async throws {
        try await Bench.run { bench in
            bench.origin.on("/f.bin") { OriginEntity(Self.body).reply(to: $0) }
            var assignment = try assignment(bench)
            try bench.left(Array(Self.spoiled[..<700]), of: bench.known("/f.bin", length: 1000), for: &assignment)
            let ends = await bench.follow(assignment)
            #expect(ends.last == .completed(path: bench.path("f.bin")))
            #expect(try bench.file("f.bin") == Self.body)
            #expect(bench.origin.requests.map { $0["range"] } == ["bytes=700-", "bytes=300-599"])
            guard case .failed(let failure, .some)? = ends.first else { return #expect(Bool(false)) }
            #expect(failure.message.hasPrefix("1 of the pieces on record in the part file"))
            #expect(bench.reports.all.kinds.prefix(3) == ["resolved 1", "progressed 700", "failed part-lost"])
        }
    }

    /// Nobody else gives it: one has another file, one may serve again.
    @Test(arguments: [500, 404])
    func `a piece that stays wrong ends the attempt, whoever else there is`(status: Int) async throws {
        try await Bench.run { bench in
            let gate = OriginGate()
            let asked = Atomic(0)
            let body = RangeTests.body
            let spoiled = body.dropLast() + [~body.last!]
            bench.origin.on("/f.bin") { request in
                let reply = OriginEntity(Array(spoiled)).reply(to: request)
                return request["range"] == nil ? reply.holding(at: gate, after: 200_000) : reply
            }
            for (path, answer) in [("/busy.bin", OriginReply(status)), ("/other.bin", nil)] {
                bench.origin.on(path) { request in
                    if asked.add(1, ordering: .relaxed).newValue == 2 { gate.open() }
                    return answer ?? OriginEntity(Array(body.dropFirst()), entityTag: "\"o\"").reply(to: request)
                }
            }
            var assignment = try bench.assignment("/f.bin") { $0.rangesMax = 3 }
            assignment.order.pieces = Shared(try Self.hashes(body, pieceLength: 1 << 20))
            assignment.mirrors = try ["/busy.bin", "/other.bin"].map { Assignment.Mirror(try bench.origin.url($0)) }
            let failure = await bench.run(assignment).failure
            #expect(failure != nil)
            #expect(bench.origin.requests.count < 30, "\(bench.origin.requests.count)")
        }
    }

    @Test func `nobody is blamed for a piece of which an earlier attempt left some`() async throws {
        try await Bench.run { bench in
            bench.origin.on("/f.bin") { OriginEntity(Self.body).reply(to: $0) }
            bench.origin.on("/mirror.bin") { OriginEntity(Self.body, entityTag: "\"m\"").reply(to: $0) }
            var assignment = try assignment(bench, mirrors: ["/mirror.bin"])
            try bench.left(Array(Self.spoiled[..<500]), of: bench.known("/f.bin", length: 1000), for: &assignment)
            let ends = await bench.follow(assignment)
            #expect(ends.last == .completed(path: bench.path("f.bin")))
            #expect(try bench.file("f.bin") == Self.body)
            #expect(bench.reports.all.kinds.contains("failed part-lost"))
            #expect(!bench.reports.all.kinds.contains { $0.hasPrefix("blamed") })
        }
    }

    @Test func `what is on record as altered ends no second attempt`() async throws {
        try await Bench.run { bench in
            bench.origin.on("/f.bin") { OriginEntity(Self.body).reply(to: $0) }
            var assignment = try assignment(bench)
            try bench.left(Array(Self.spoiled[..<700]), of: bench.known("/f.bin", length: 1000), for: &assignment)
            assignment.isLossOnRecord = true
            await bench.completes(assignment, as: "f.bin")
            #expect(try bench.file("f.bin") == Self.body)
            #expect(bench.reports.all.kinds == ["verified 1000 f.bin", "completed 1000"])
        }
    }

    @Test func `a piece that is the whole is fetched anew`() async throws {
        try await Bench.run { bench in
            bench.origin.script(
                "/f.bin", [Self.spoiled, Self.body].map { bytes in { OriginEntity(bytes).reply(to: $0) } })
            var assignment = try assignment(bench)
            assignment.order.pieces = Shared(try Self.hashes(Self.body, pieceLength: 4096))
            await bench.completes(assignment, as: "f.bin")
            #expect(try bench.file("f.bin") == Self.body)
            #expect(bench.origin.requests.count == 2)
        }
    }

    @Test func `hashes of another file are not looked at where a digest says what is right`() async throws {
        try await Bench.run { bench in
            bench.origin.on("/f.bin") { OriginEntity(Self.body).reply(to: $0) }
            var assignment = try assignment(bench)
            assignment.order.pieces = Shared(try Self.hashes(Self.spoiled + [0, 0], pieceLength: 250))
            let end = await bench.run(assignment)
            #expect(end.failure?.message.contains("1000 bytes where 5 pieces of 250") ?? false, "\(end)")
            assignment.order.expected = Self.sum
            await bench.completes(assignment, as: "f.bin")
        }
    }

    /// Beside a mirror with wrong pieces, who refuses ranges for good or for a while gives the file in the end.
    @Test(arguments: [403, 500])
    func `a source that refuses ranges gives what others give wrong`(status: Int) async throws {
        try await Bench.run { bench in
            bench.origin.on("/f.bin") { request in
                request["range"] == nil ? OriginEntity(Self.body).reply(to: request) : OriginReply(status)
            }
            bench.origin.on("/mirror.bin") { OriginEntity(Self.spoiled, entityTag: "\"m\"").reply(to: $0) }
            var assignment = try assignment(bench, mirrors: ["/mirror.bin"])
            try bench.left(Array(Self.body[..<300]), of: bench.known("/f.bin", length: 1000), for: &assignment)
            let ends = await bench.follow(assignment, runsMax: 40)
            #expect(ends.last == .completed(path: bench.path("f.bin")), "\(String(describing: ends.last))")
            #expect(status == 500 || ends.count == 1)
            #expect(try bench.file("f.bin") == Self.body)
        }
    }

    @Test func `a piece that is the whole, and wrong as often as it comes, is the end`() async throws {
        try await Bench.run { bench in
            bench.origin.on("/f.bin") { OriginEntity(Self.spoiled).reply(to: $0) }
            var assignment = try assignment(bench)
            assignment.order.pieces = Shared(try Self.hashes(Self.body, pieceLength: 4096))
            let end = await bench.run(assignment)
            #expect(end.failure?.code == .digestMismatch && end.retryAt == nil, "\(end)")
            #expect(bench.origin.requests.count == 3)
        }
    }
}
