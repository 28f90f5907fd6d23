import LedgerModel
import LedgerTestSupport
import LedgerTransfer
import Testing

/// Rows 1 to 4, 10, 13 and 15 of the table of misbehaving origins: the entity and its ranges.
@Suite struct ResumeTests {
    let body = OriginEntity.pattern(300_000)

    @Test func `a small file arrives whole under the name of its URL`() async throws {
        try await Bench.run { bench in
            bench.origin.on("/disk.iso") { OriginEntity(body).reply(to: $0) }
            let end = await bench.run(try bench.assignment("/disk.iso"))
            #expect(end == .completed(path: bench.path("disk.iso")))
            #expect(try bench.file("disk.iso") == body)
            #expect(try bench.names == ["disk.iso"])
            #expect(bench.reports.all.kinds == ["resolved 1", "verified 300000 disk.iso", "completed 300000"])
            #expect(bench.reports.batches.map(\.count) == [1, 1])
            let request = try #require(bench.origin.requests.first)
            #expect(request["accept-encoding"] == "identity")
            #expect(request["range"] == nil)
            #expect(request["user-agent"] == "ledger")
        }
    }

    @Test func `what is held is continued with one request under its validator`() async throws {
        try await Bench.run { bench in
            bench.origin.on("/disk.iso") { OriginEntity(body).reply(to: $0) }
            var assignment = try bench.assignment("/disk.iso")
            try bench.left(Array(body[..<100_000]), of: bench.known("/disk.iso", length: 300_000), for: &assignment)
            let end = await bench.run(assignment)
            #expect(end == .completed(path: bench.path("disk.iso")))
            #expect(try bench.file("disk.iso") == body)
            #expect(bench.origin.requests.map { $0["range"] } == ["bytes=100000-"])
            #expect(bench.origin.requests.map { $0["if-range"] } == ["\"v1\""])
            #expect(bench.reports.all.kinds == ["verified 300000 disk.iso", "completed 300000"])
            #expect(bench.live.now.resumedFrom == 100_000)
        }
    }

    @Test(arguments: [true, false])
    func `an entity that changed is fetched anew and never spliced`(obeysIfRange: Bool) async throws {
        try await Bench.run { bench in
            let other = OriginEntity.pattern(300_000, seed: 2)
            bench.origin.on("/disk.iso") { request in
                var entity = OriginEntity(other, entityTag: "\"v2\"")
                entity.obeysIfRange = obeysIfRange
                return entity.reply(to: request)
            }
            var assignment = try bench.assignment("/disk.iso")
            try bench.left(Array(body[..<100_000]), of: bench.known("/disk.iso", length: 300_000), for: &assignment)
            let end = await bench.run(assignment)
            #expect(end == .completed(path: bench.path("disk.iso")))
            #expect(try bench.file("disk.iso") == other)
            #expect(try bench.names == ["disk.iso"])
            #expect(
                bench.reports.all.kinds == ["resolved 2", "verified 300000 disk.iso", "completed 300000"])
        }
    }

    @Test func `an entity with another date is fetched anew, though its origin ignores If-Range`() async throws {
        try await Bench.run { bench in
            let other = OriginEntity.pattern(300_000, seed: 2)
            bench.origin.on("/disk.iso") { request in
                var entity = OriginEntity(
                    other, entityTag: nil, lastModified: "Mon, 02 Mar 2026 10:00:00 GMT")
                entity.obeysIfRange = false
                return entity.reply(to: request)
            }
            var assignment = try bench.assignment("/disk.iso")
            let known = try bench.known(
                "/disk.iso", length: 300_000, validator: .lastModified("Sun, 01 Mar 2026 10:00:00 GMT"))
            try bench.left(Array(body[..<100_000]), of: known, for: &assignment)
            await bench.completes(assignment, as: "disk.iso")
            #expect(bench.origin.requests.map { $0["range"] } == ["bytes=100000-", nil])
            #expect(bench.origin.requests.first?["if-range"] == "Sun, 01 Mar 2026 10:00:00 GMT")
            #expect(try bench.file("disk.iso") == other)
        }
    }

    @Test func `a part without any validator is continued when a digest will judge the whole`() async throws {
        try await Bench.run { bench in
            bench.origin.on("/abc") { OriginEntity(Array("abc".utf8), entityTag: nil).reply(to: $0) }
            let sum = "sha-256=ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
            var assignment = try bench.assignment("/abc", expected: Digest(parsing: sum))
            try bench.left(Array("ab".utf8), of: bench.known("/abc", length: 3, validator: nil), for: &assignment)
            await bench.completes(assignment, as: "abc")
            #expect(bench.origin.requests.map { $0["range"] } == ["bytes=2-"])
            #expect(try bench.file("abc") == Array("abc".utf8))
        }
    }

    @Test func `a part without any validator is not continued on trust`() async throws {
        try await Bench.run { bench in
            bench.origin.on("/disk.iso") { OriginEntity(body, entityTag: nil).reply(to: $0) }
            var assignment = try bench.assignment("/disk.iso")
            let known = try bench.known("/disk.iso", length: 300_000, validator: nil)
            try bench.left(Array(body[..<100_000]), of: known, for: &assignment)
            #expect(await bench.run(assignment) == .completed(path: bench.path("disk.iso")))
            #expect(bench.origin.requests.map { $0["range"] } == [nil])
            #expect(try bench.file("disk.iso") == body)
        }
    }

    @Test func `a part without any validator is continued when the user said so`() async throws {
        try await Bench.run { bench in
            bench.origin.on("/disk.iso") { OriginEntity(body, entityTag: nil).reply(to: $0) }
            var assignment = try bench.assignment("/disk.iso") { $0.resumesUnvalidated = true }
            let known = try bench.known("/disk.iso", length: 300_000, validator: nil)
            try bench.left(Array(body[..<100_000]), of: known, for: &assignment)
            #expect(await bench.run(assignment) == .completed(path: bench.path("disk.iso")))
            #expect(bench.origin.requests.map { $0["range"] } == ["bytes=100000-"])
            #expect(try bench.file("disk.iso") == body)
        }
    }

    @Test func `an origin without ranges is taken from the first byte into a fresh part`() async throws {
        try await Bench.run { bench in
            bench.origin.on("/disk.iso") { request in
                var entity = OriginEntity(body)
                entity.servesRanges = false
                return entity.reply(to: request)
            }
            var assignment = try bench.assignment("/disk.iso")
            // What the part holds is not the entity's: bytes that stayed would show.
            let stale = [UInt8](repeating: 7, count: 100_000)
            try bench.left(stale, of: bench.known("/disk.iso", length: 300_000), for: &assignment)
            #expect(await bench.run(assignment) == .completed(path: bench.path("disk.iso")))
            #expect(try bench.file("disk.iso") == body)
            #expect(bench.origin.requests.count == 1)
            #expect(try bench.names == ["disk.iso"])
        }
    }

    @Test func `416 to a part that is whole completes it`() async throws {
        try await Bench.run { bench in
            bench.origin.on("/disk.iso") { OriginEntity(body).reply(to: $0) }
            var assignment = try bench.assignment("/disk.iso")
            try bench.left(body, of: bench.known("/disk.iso", length: nil), for: &assignment)
            #expect(await bench.run(assignment) == .completed(path: bench.path("disk.iso")))
            #expect(bench.origin.requests.map { $0["range"] } == ["bytes=300000-"])
            #expect(try bench.file("disk.iso") == body)
        }
    }

    @Test func `416 of another entity of the same length starts over`() async throws {
        try await Bench.run { bench in
            let other = OriginEntity.pattern(300_000, seed: 2)
            bench.origin.on("/disk.iso") { request in
                guard request["range"] == nil else {
                    return OriginReply(416, [("Content-Range", "bytes */300000"), ("ETag", "\"v2\"")])
                }
                return OriginEntity(other, entityTag: "\"v2\"").reply(to: request)
            }
            var assignment = try bench.assignment("/disk.iso")
            try bench.left(body, of: bench.known("/disk.iso", length: nil), for: &assignment)
            await bench.completes(assignment, as: "disk.iso")
            #expect(bench.origin.requests.map { $0["range"] } == ["bytes=300000-", nil])
            #expect(try bench.file("disk.iso") == other)
        }
    }

    @Test func `416 to a part that is longer than the entity starts over`() async throws {
        try await Bench.run { bench in
            let shorter = Array(body[..<50_000])
            bench.origin.on("/disk.iso") { OriginEntity(shorter, entityTag: "\"v1\"").reply(to: $0) }
            var assignment = try bench.assignment("/disk.iso")
            try bench.left(Array(body[..<100_000]), of: bench.known("/disk.iso", length: nil), for: &assignment)
            #expect(await bench.run(assignment) == .completed(path: bench.path("disk.iso")))
            #expect(try bench.file("disk.iso") == shorter)
        }
    }

    @Test func `a part that is gone is fetched anew`() async throws {
        try await Bench.run { bench in
            bench.origin.on("/disk.iso") { OriginEntity(body).reply(to: $0) }
            var assignment = try bench.assignment("/disk.iso")
            assignment.origin = try bench.known("/disk.iso", length: 300_000)
            assignment.durable = ByteRangeSet(0..<1000)
            assignment.generation = 3
            #expect(await bench.run(assignment) == .completed(path: bench.path("disk.iso")))
            #expect(bench.reports.all.kinds.first == "resolved 4")
            #expect(try bench.file("disk.iso") == body)
        }
    }

    @Test func `about once a second what is durable goes on record, and a later worker carries on from there`()
        async throws
    {
        try await Bench.run { bench in
            let gate = OriginGate()
            bench.origin.on("/disk.iso") { OriginEntity(body).reply(to: $0).holding(at: gate, after: 120_000) }
            let assignment = try bench.assignment("/disk.iso")
            let run = Task { await bench.run(assignment) }
            await gate.reached()
            await bench.received(120_000)
            await bench.clock.untilSleepers(1)
            bench.clock.advance(by: .seconds(1))
            await bench.reports.until { $0.kinds.contains("progressed 120000") }
            #expect(bench.reports.all.kinds == ["resolved 1", "progressed 120000"])
            // All of it came within the first second.
            #expect(bench.live.now.bytesPerSecond == 120_000)
            run.cancel()
            #expect(await run.value == .stopped)
            gate.open()
            #expect(try bench.names == ["disk.iso.1-0badcafe.1.part"])
        }
    }

    @Test func `a worker whose lease has passed stops silently and leaves its part`() async throws {
        try await Bench.run { bench in
            let gate = OriginGate()
            bench.origin.on("/disk.iso") { OriginEntity(body).reply(to: $0).holding(at: gate, after: 120_000) }
            bench.reports.refuse { _ in .stale }
            let assignment = try bench.assignment("/disk.iso")
            let run = Task { await bench.run(assignment) }
            await gate.reached()
            await bench.received(120_000)
            await bench.clock.untilSleepers(1)
            bench.clock.advance(by: .seconds(1))
            #expect(await run.value == .stopped)
            gate.open()
            #expect(bench.reports.all.isEmpty)
            #expect(try bench.names == ["disk.iso.1-0badcafe.1.part"])
        }
    }
}
