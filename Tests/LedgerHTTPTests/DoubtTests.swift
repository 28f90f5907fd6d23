import LedgerModel
import LedgerTestSupport
import LedgerTransfer
import SystemPackage
import Testing

/// Answers that may be an error that calls itself a success, where a digest tells in the end.
@Suite struct DoubtTests {
    let body = OriginEntity.pattern(300_000)
    private let type = ("Content-Type", "application/octet-stream")

    /// An assignment that holds the first 200,000 bytes.
    private func held(
        _ bench: Bench, _ validator: Validator? = nil, expected bytes: [UInt8]
    ) throws -> Assignment {
        var assignment = try bench.assignment("/disk.iso", expected: RangeTests.sha256(bytes)) { $0.retriesMax = 3 }
        let known = try bench.known("/disk.iso", length: 300_000, validator: validator)
        try bench.left(Array(body[..<200_000]), of: known, for: &assignment)
        return assignment
    }

    @Test(arguments: [nil, Validator.entityTag("\"v1\"")])
    func `what is not the file leaves what is held`(validator: Validator?) async throws {
        let answers = [
            OriginReply(200, [("Content-Type", "application/json")], body: Array("{}".utf8)), OriginReply(204),
            OriginReply(200, [type, ("Content-Encoding", "gzip")], body: [1]),
            OriginReply(200, [type], body: [1], framing: .chunked),
        ]
        for answer in answers {
            try await Bench.run { bench in
                bench.origin.on("/disk.iso") { $0["range"] == nil ? answer : OriginReply(403) }
                let assignment = try held(bench, validator, expected: body)
                let failure = await bench.run(assignment).failure
                #expect(failure?.code == .suspicious && failure?.isRetryable == true, "\(String(describing: failure))")
                #expect(try bench.names == [bench.partPath(assignment, 1).lastComponent?.string])
                #expect(try bench.file(#require(bench.names.first)) == Array(body[..<200_000]))
                // What is held is gone on with once the origin gives it again.
                bench.origin.on("/disk.iso") { OriginEntity(body).reply(to: $0) }
                await bench.completes(assignment, as: "disk.iso")
                #expect(bench.origin.requests.last?["range"] == "bytes=200000-")
                #expect(try bench.file("disk.iso") == body)
            }
        }
    }

    @Test(arguments: [nil, Validator.entityTag("\"v1\"")])
    func `what is less than is held is the file where the digest says so`(validator: Validator?) async throws {
        for file in [Array(body[..<100_000]), []] {
            try await Bench.run { bench in
                bench.origin.on("/disk.iso") { request in
                    request["range"] == nil ? OriginReply(200, [type], body: file) : OriginReply(403)
                }
                await bench.completes(try held(bench, validator, expected: file), as: "disk.iso")
                #expect(try bench.file("disk.iso") == file)
                #expect(try bench.names == ["disk.iso"])
                let kinds = bench.reports.all.kinds
                #expect(kinds.first == "resolved 2" && kinds.last == "completed \(file.count)", "\(kinds)")
            }
        }
    }

    @Test func `a mirror goes on with what is held when the first gave something else`() async throws {
        try await Bench.run { bench in
            bench.origin.on("/disk.iso") { _ in OriginReply(200, [type], body: [1], framing: .chunked) }
            bench.origin.on("/mirror") { OriginEntity(body).reply(to: $0) }
            var assignment = try held(bench, expected: body)
            assignment.mirrors = [Assignment.Mirror(try bench.origin.url("/mirror"))]
            await bench.completes(assignment, as: "disk.iso")
            #expect(bench.origin.requests.last?["range"] == "bytes=200000-")
            #expect(try bench.file("disk.iso") == body)
        }
    }

    /// What a mirror put behind it would be neither.
    @Test func `a mirror goes on with what is held when what else the first gave was cut`() async throws {
        try await Bench.run { bench in
            let whole = OriginReply(200, [type], body: Array("{\"error\":1}".utf8), framing: .chunked)
            bench.origin.on("/mirror") { OriginEntity(body).reply(to: $0) }
            var assignment = try held(bench, .entityTag("\"v1\""), expected: body)
            bench.origin.on("/disk.iso") { _ in whole.cut(after: 8) }
            assignment.mirrors = [Assignment.Mirror(try bench.origin.url("/mirror"))]
            await bench.completes(assignment, as: "disk.iso")
            #expect(bench.origin.requests.last?["range"] == "bytes=200000-")
            #expect(try bench.file("disk.iso") == body)
            #expect(try bench.names == ["disk.iso"])
        }
    }

    @Test func `of another length than is expected, it is told at once, and for now`() async throws {
        try await Bench.run { bench in
            bench.origin.on("/disk.iso") { request in
                request["range"] == nil ? OriginReply(200, [type], body: [1]) : OriginReply(403)
            }
            var assignment = try bench.assignment("/disk.iso", expected: RangeTests.sha256(body)) {
                ($0.retriesMax, $0.expectedLength) = (3, 300_000)
            }
            let known = try bench.known("/disk.iso", length: 300_000, validator: nil)
            try bench.left(Array(body[..<200_000]), of: known, for: &assignment)
            let failure = await bench.run(assignment).failure
            #expect(failure?.code == .suspicious && failure?.isRetryable == true, "\(String(describing: failure))")
        }
    }

    /// Pieces tell before the digest does.
    @Test func `wrong pieces of it leave what is held`() async throws {
        try await Bench.run { bench in
            let other = OriginEntity.pattern(300_000, seed: 9)
            bench.origin.on("/disk.iso") { request in
                guard request["range"] == nil else { return OriginReply(403) }
                return OriginReply(
                    200, [("Content-Type", "text/plain")], body: Array(body[..<100_000]) + other[100_000...])
            }
            var assignment = try held(bench, .entityTag("\"v1\""), expected: body)
            assignment.order.pieces = Shared(try PieceTests.hashes(body, pieceLength: 50_000))
            let failure = await bench.run(assignment).failure
            #expect(failure?.code == .suspicious && failure?.isRetryable == true, "\(String(describing: failure))")
            #expect(try bench.file(#require(bench.names.first)) == Array(body[..<200_000]))
        }
    }

    @Test func `what else comes is gone on with as long as each connection brings some of it`() async throws {
        try await Bench.run { bench in
            let other = OriginEntity.pattern(100_000, seed: 9)
            bench.origin.on("/disk.iso") { OriginEntity(other, entityTag: nil).reply(to: $0).cut(after: 40_000) }
            await bench.completes(try held(bench, expected: other), as: "disk.iso")
            #expect(try bench.file("disk.iso") == other)
            #expect(try bench.names == ["disk.iso"])
            let ranges = bench.origin.requests.map { $0["range"] }
            #expect(ranges == ["bytes=200000-", nil, "bytes=40000-", "bytes=80000-"])
        }
    }

    /// The rest of the file behind an error that was cut is neither.
    @Test(arguments: [OriginReply.Framing.chunked, .length])
    func `an error that was cut and the rest of the file leave what is held`(framing: OriginReply.Framing) async throws
    {
        try await Bench.run { bench in
            let error = OriginReply(200, [type], body: Array("{\"error\":1}".utf8), framing: framing)
            bench.origin.script(
                "/disk.iso",
                [{ _ in OriginReply(416) }, { _ in error.cut(after: 8) }, { OriginEntity(body).reply(to: $0) }])
            let assignment = try held(bench, .entityTag("\"v1\""), expected: body)
            let failure = await bench.run(assignment).failure
            #expect(failure?.code == .suspicious && failure?.isRetryable == true, "\(String(describing: failure))")
            #expect(try bench.file(#require(bench.names.first)) == Array(body[..<200_000]))
            await bench.completes(assignment, as: "disk.iso")
            #expect(bench.origin.requests.last?["range"] == "bytes=200000-")
        }
    }

    @Test func `an error that was cut and all of the file leave what is held`() async throws {
        try await Bench.run { bench in
            let error = OriginReply(200, [type], body: Array("{\"error\":1}".utf8))
            bench.origin.script(
                "/disk.iso",
                [
                    { _ in OriginReply(416) }, { _ in error.cut(after: 8) },
                    { _ in OriginReply(200, [type, ("ETag", "\"v1\"")], body: body) },
                    { OriginEntity(body).reply(to: $0) },
                ])
            let ends = await bench.follow(try held(bench, .entityTag("\"v1\""), expected: body))
            #expect(ends.last == .completed(path: bench.path("disk.iso")))
            #expect(bench.origin.requests.last?["range"] == "bytes=200000-")
        }
    }

    @Test func `what else came and was cut is the file in the end, however much of it came`() async throws {
        try await Bench.run { bench in
            let other = OriginEntity.pattern(250_000, seed: 9)
            bench.origin.script(
                "/disk.iso",
                [
                    { _ in OriginReply(403) },
                    { _ in OriginReply(200, [type], body: other, framing: .chunked).cut(after: 240_000) },
                    { OriginEntity(other, entityTag: nil).reply(to: $0) },
                ])
            let ends = await bench.follow(try held(bench, expected: other))
            #expect(ends.last == .completed(path: bench.path("disk.iso")))
            #expect(try bench.file("disk.iso") == other)
            #expect(try bench.names == ["disk.iso"])
        }
    }
}
