import LedgerModel
import LedgerTestSupport
import LedgerTransfer
import Testing

/// Rows 22 to 26, 39 and 40: answers that are not the file.
@Suite struct AnswerTests {
    let body = OriginEntity.pattern(200_000)

    @Test(arguments: [500, 502, 504, 408])
    func `a passing error is tried again at an instant that is on record`(status: Int) async throws {
        try await Bench.run { bench in
            bench.origin.on("/disk.iso") { _ in OriginReply(status, [], body: Array("sorry".utf8)) }
            var assignment = try bench.assignment("/disk.iso")
            assignment.attemptsFailed = 2
            guard case .failed(let failure, let retryAt?) = await bench.run(assignment) else {
                return #expect(Bool(false))
            }
            #expect(failure.status == UInt16(status))
            #expect(retryAt == Bench.start.advanced(by: .seconds(1)))
            #expect(bench.reports.all == [.failed(failure, retryAt: retryAt)])
            assignment.attemptsFailed = 5
            #expect(await bench.run(assignment) == .failed(failure, retryAt: nil))
        }
    }

    @Test func `a reset before the answer is tried again`() async throws {
        try await Bench.run { bench in
            bench.origin.on("/disk.iso") { _ in OriginReply(steps: [.reset]) }
            let end = await bench.run(try bench.assignment("/disk.iso"))
            guard case .failed(let failure, .some) = end else { return #expect(Bool(false), "\(end)") }
            #expect(failure.code == .connectionLost && failure.isRetryable)
        }
    }

    @Test(arguments: [
        (503, "7", 7), (429, "7", 7), (429, "Tue, 03 Mar 2026 10:00:09 GMT", 9), (503, "99999999", 3600),
        (503, "soon", 0),
    ])
    func `an origin that says when to come back is obeyed, within bounds`(
        status: Int, value: String, seconds: Int
    ) async throws {
        try await Bench.run { bench in
            bench.origin.on("/disk.iso") { _ in OriginReply(status, [("Retry-After", value)]) }
            guard case .failed(_, let retryAt?) = await bench.run(try bench.assignment("/disk.iso")) else {
                return #expect(Bool(false))
            }
            #expect(retryAt == Bench.start.advanced(by: .seconds(seconds) + .milliseconds(125)))
        }
    }

    @Test(arguments: [400, 401, 403, 404, 410, 451])
    func `a final refusal fails at once with the status in its words`(status: Int) async throws {
        try await Bench.run { bench in
            bench.origin.on("/disk.iso") { _ in OriginReply(status, [("Content-Type", "text/html")], body: [65]) }
            guard case .failed(let failure, nil) = await bench.run(try bench.assignment("/disk.iso")) else {
                return #expect(Bool(false))
            }
            #expect(failure.message.contains("answered \(status) "))
            #expect(bench.origin.requests.count == 1)
            #expect(try bench.names == [])
        }
    }

    @Test func `a mirror is asked when the first URL refuses`() async throws {
        try await Bench.run { bench in
            bench.origin.on("/mirror.iso") { OriginEntity(body).reply(to: $0) }
            let mirrors = [try bench.origin.url("/gone.iso"), try bench.origin.url("/mirror.iso")]
            let end = await bench.run(try bench.assignment("/disk.iso", name: "disk.iso") { $0.mirrors = mirrors })
            #expect(end == .completed(path: bench.path("disk.iso")))
            #expect(bench.origin.requests.map(\.path) == ["/disk.iso", "/gone.iso", "/mirror.iso"])
            #expect(try bench.file("disk.iso") == body)
        }
    }

    @Test func `when every mirror fails, each has its words`() async throws {
        try await Bench.run { bench in
            let mirrors = [try bench.origin.url("/busy.iso")]
            bench.origin.on("/busy.iso") { _ in OriginReply(503) }
            let end = await bench.run(try bench.assignment("/disk.iso") { $0.mirrors = mirrors })
            guard case .failed(let failure, let retryAt) = end else { return #expect(Bool(false)) }
            let each = ["the origin answered 404 Not Found", "the origin answered 503 Service Unavailable"]
            #expect(failure.message == "all 2 URLs failed: " + each.joined(separator: "; "))
            #expect(failure.isRetryable && retryAt != nil)
        }
    }

    @Test(arguments: [404, 500])
    func `an error's page is never written over what is held`(status: Int) async throws {
        try await Bench.run { bench in
            bench.origin.on("/disk.iso") { _ in OriginReply(status, [], body: [UInt8](repeating: 66, count: 9000)) }
            var assignment = try bench.assignment("/disk.iso")
            let held = Array(body[..<100_000])
            try bench.left(held, of: bench.known("/disk.iso", length: 200_000), for: &assignment)
            guard case .failed = await bench.run(assignment) else { return #expect(Bool(false)) }
            #expect(try bench.file("disk.iso.1-0badcafe.1.part") == held)
        }
    }

    @Test func `a web page where a file was being fetched is reported and changes nothing`() async throws {
        try await Bench.run { bench in
            bench.origin.on("/disk.iso") { _ in
                OriginReply(200, [("Content-Type", "text/html; charset=utf-8")], body: Array("<h1>Log in".utf8))
            }
            var assignment = try bench.assignment("/disk.iso")
            let held = Array(body[..<100_000])
            try bench.left(held, of: bench.known("/disk.iso", length: 200_000), for: &assignment)
            guard case .failed(let failure, _) = await bench.run(assignment) else { return #expect(Bool(false)) }
            #expect(failure.code == .suspicious)
            #expect(try bench.file("disk.iso.1-0badcafe.1.part") == held)
            let expecting = try bench.assignment(
                "/disk.iso", id: 2, expected: Digest(.md5, [UInt8](repeating: 0, count: 16)))
            guard case .failed(let other, _) = await bench.run(expecting) else { return #expect(Bool(false)) }
            #expect(other.code == .suspicious)
        }
    }

    @Test(arguments: Digest.Algorithm.allCases)
    func `an expected digest is compared, and another one sets the part aside`(algorithm: Digest.Algorithm) async throws
    {
        try await Bench.run { bench in
            bench.origin.on("/disk.iso") { OriginEntity(Array("abc".utf8)).reply(to: $0) }
            let right = [
                Digest.Algorithm.md5: "900150983cd24fb0d6963f7d28e17f72",
                .sha1: "a9993e364706816aba3e25717850c26c9cd0d89d",
                .sha256: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
                .sha512: "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                    + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
            ]
            let expected = try #require(Digest(parsing: algorithm.rawValue + "=" + (right[algorithm] ?? "")))
            let end = await bench.run(try bench.assignment("/disk.iso", expected: expected))
            #expect(end == .completed(path: bench.path("disk.iso")))
            let wrong = try #require(Digest(algorithm, [UInt8](repeating: 1, count: algorithm.byteCount)))
            try bench.put("b.iso.rejected", [7])
            let other = await bench.run(try bench.assignment("/disk.iso", name: "b.iso", id: 2, expected: wrong))
            guard case .failed(let failure, nil) = other else { return #expect(Bool(false), "\(other)") }
            #expect(failure.code == .digestMismatch)
            #expect(failure.message.hasSuffix("it is kept as '\(bench.path("b.iso (1).rejected"))'"))
            #expect(try bench.names == ["b.iso (1).rejected", "b.iso.rejected", "disk.iso"])
            #expect(try bench.file("b.iso.rejected") == [7], "what is not ours stays as it is")
        }
    }

    @Test func `after a wrong digest the next mirror is asked`() async throws {
        try await Bench.run { bench in
            bench.origin.on("/bad.iso") { OriginEntity(Array("abd".utf8)).reply(to: $0) }
            bench.origin.on("/good.iso") { OriginEntity(Array("abc".utf8)).reply(to: $0) }
            let sum = "sha-256=ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
            let mirrors = [try bench.origin.url("/good.iso")]
            let end = await bench.run(
                try bench.assignment("/bad.iso", name: "x", expected: Digest(parsing: sum)) { $0.mirrors = mirrors })
            #expect(end == .completed(path: bench.path("x")))
            #expect(try bench.file("x") == Array("abc".utf8))
            #expect(try bench.file("x.rejected") == Array("abd".utf8))
            #expect(try bench.names == ["x", "x.rejected"])
        }
    }

    @Test func `a part on record that has the wrong digest is claimed no longer, whatever is blamed`() async throws {
        try await Bench.run { bench in
            bench.origin.on("/busy.iso") { _ in OriginReply(503) }
            let sum = "sha-256=ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
            let mirrors = [try bench.origin.url("/busy.iso")]
            var assignment = try bench.assignment("/x", expected: Digest(parsing: sum)) { $0.mirrors = mirrors }
            try bench.left(Array("abd".utf8), of: bench.known("/x", length: 3), for: &assignment)
            guard case .failed(let failure, .some) = await bench.run(assignment) else { return #expect(Bool(false)) }
            #expect(failure.status == 503)
            #expect(
                bench.reports.all.kinds == [
                    "blamed 127.0.0.1 digest-mismatch", "blamed 127.0.0.1 status", "resolved 2", "failed status",
                ])
            #expect(try bench.names == ["x.rejected"])
        }
    }
}
