import LedgerModel
import LedgerTestSupport
import LedgerTransfer
import Testing

/// Rows 39 and 40: digests, and mirrors.
@Suite struct DigestTests {
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

    @Test func `the same wrong bytes are kept once, however often they come`() async throws {
        try await Bench.run { bench in
            let bodies = ["abd", "abd", "abe", "abd", "abe"].map { Array($0.utf8) }
            bench.origin.script("/disk.iso", bodies.map { body in { OriginEntity(body).reply(to: $0) } })
            let wrong = try #require(Digest(.sha256, [UInt8](repeating: 1, count: 32)))
            for (number, name) in zip(UInt64(1)..., ["x.rejected", "x.rejected", "x (1).rejected", "x.rejected"]) {
                let end = await bench.run(
                    try bench.assignment("/disk.iso", name: "x", id: number, expected: wrong))
                #expect(end.failure?.message.hasSuffix("it is kept as '\(bench.path(name))'") ?? false, "\(end)")
            }
            #expect(try bench.names == ["x (1).rejected", "x.rejected"])
            #expect(try bench.file("x.rejected") == bodies[0] && bench.file("x (1).rejected") == bodies[2])
        }
    }

    @Test func `a file with another digest is kept aside, never under the name, and is not asked for again`()
        async throws
    {
        let theCase = try Bench.named("39-wrong-digest")
        try await Bench.run { bench in
            let end = await bench.run(try bench.assignment(theCase, expected: theCase.file.digest))
            #expect(end.failure?.code == .digestMismatch)
            #expect(end.retryAt == nil)
            #expect(bench.reports.all.kinds == ["failed digest-mismatch for good"])
            #expect(bench.seen(theCase).requests.count == 1)
            #expect(try bench.names == ["disk.iso.rejected"])
            let isKept = try bench.file("disk.iso.rejected") == CaseFile.v1.bytes
            #expect(isKept)
        }
    }

    @Test func `after a wrong digest the next mirror is asked`() async throws {
        let theCase = try Bench.named("39-next-mirror")
        try await Bench.run { bench in
            let assignment = try bench.assignment(theCase, name: "x", expected: theCase.file.digest)
            await bench.completes(assignment, as: "x")
            #expect(try bench.holds(theCase, under: "x"))
            #expect(try bench.names == ["x", "x.rejected"])
            #expect(bench.seen(theCase)["range"] == [nil, nil])
        }
    }

    @Test func `a part on record that has the wrong digest is claimed no longer, whatever is blamed`() async throws {
        try await Bench.run { bench in
            bench.origin.on("/busy.iso") { _ in OriginReply(503) }
            bench.origin.on("/x") { OriginEntity(Array("abd".utf8)).reply(to: $0) }
            let sum = "sha-256=ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
            let mirrors = [try bench.origin.url("/busy.iso")]
            var assignment = try bench.assignment("/x", expected: Digest(parsing: sum)) { $0.mirrors = mirrors }
            try bench.left(Array("abd".utf8), of: bench.known("/x", length: 3), for: &assignment)
            guard case .failed(let failure, .some) = await bench.run(assignment) else { return #expect(Bool(false)) }
            #expect(failure.status == 503)
            #expect(
                bench.reports.all.kinds == [
                    "resolved 2", "blamed 127.0.0.1 digest-mismatch", "blamed 127.0.0.1 status", "resolved 3",
                    "failed status",
                ])
            #expect(try bench.names == ["x.rejected"])
        }
    }
}
