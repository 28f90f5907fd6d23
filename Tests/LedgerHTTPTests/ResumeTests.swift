import LedgerModel
import LedgerSystem
import LedgerTestSupport
import LedgerTransfer
import Testing

/// Parts on record: what is claimed of them, and when. What origins do to them is in EntityCaseTests.
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

    @Test(arguments: ["\"v1\"", nil], [1, 4] as [UInt32])
    func `a chunked 200 with the rest alone is not the file`(tag: String?, ranges: UInt32) async throws {
        try await Bench.run { bench in
            bench.origin.on("/disk.iso") { request in
                let part = request["range"] == nil ? body[...] : body[200_000...]
                return OriginReply(200, tag.map { [("ETag", $0)] } ?? [], body: Array(part), framing: .chunked)
            }
            var assignment = try bench.assignment("/disk.iso") {
                ($0.rangesMax, $0.resumesUnvalidated) = (ranges, true)
            }
            let known = try bench.known("/disk.iso", length: nil, validator: tag.map { .entityTag($0) })
            try bench.left(Array(body[..<200_000]), of: known, for: &assignment)
            #expect(await bench.follow(assignment).last == .completed(path: bench.path("disk.iso")))
            #expect(try bench.file("disk.iso") == body)
        }
    }

    /// The same coding under two names, under its tag or a date alone, other codings, and none.
    static let packed: [(first: String, then: String?, hasTag: Bool, isContinued: Bool)] = [
        ("gzip", "gzip", true, true), ("x-gzip", "gzip", true, true), ("br", "br", true, true),
        ("gzip", "br", true, false), ("gzip", nil, true, false), ("gzip", "gzip", false, false),
    ]

    @Test(arguments: packed.indices)
    func `what is kept as it is served packed is carried on under its tag, packed alike`(row: Int) async throws {
        let (first, then, hasTag, isContinued) = Self.packed[row]
        let date = "Sun, 01 Mar 2026 10:00:00 GMT"
        @Sendable func served(_ coding: String?) -> OriginEntity {
            var entity = OriginEntity(body, entityTag: hasTag ? "\"v1\"" : nil, lastModified: date)
            entity.obeysIfRange = false
            entity.fields += coding.map { [("Content-Encoding", $0)] } ?? []
            return entity
        }
        try await Bench.run { bench in
            bench.origin.script(
                "/disk.tgz", [{ served(first).reply(to: $0).cut(after: 200_000) }, { served(then).reply(to: $0) }])
            let ends = await bench.follow(try bench.assignment("/disk.tgz") { $0.rangesMax = 1 })
            #expect(ends.last == .completed(path: bench.path("disk.tgz")), "\(ends)")
            #expect(try bench.file("disk.tgz") == body)
            let ranges = bench.origin.requests.map { $0["range"] != nil }
            #expect(isContinued ? ranges == [false, true] : ranges.last == false, "\(ranges)")
            if isContinued { #expect(bench.reports.origins.first?.contentCoding == (first == "br" ? "br" : "gzip")) }
        }
    }

    /// A run by hand begins no count; a retry goes on with it.
    @Test(arguments: [nil, "\"v1\""], [(0, 0), (1, 3)] as [(UInt32, UInt32)])
    func `what an origin can not continue is no progress, however far it comes`(
        tag: String?, failed: (attempts: UInt32, beginnings: UInt32)
    ) async throws {
        try await Bench.run { bench in
            bench.origin.on("/disk.iso") { _ in
                OriginReply(200, tag.map { [("ETag", $0)] } ?? [], body: body).cut(after: 200_000)
            }
            var assignment = try bench.assignment("/disk.iso") { $0.retriesMax = 3 }
            let known = try bench.known("/disk.iso", length: 300_000, validator: tag.map { .entityTag($0) })
            try bench.left(Array(body[..<100_000]), of: known, for: &assignment)
            assignment.attemptsFailed = failed.attempts
            assignment.origin?.beginnings = 2
            let end = await bench.run(assignment)
            #expect(end.failure?.code == .connectionLost && (end.retryAt == nil) == (failed.beginnings == 3), "\(end)")
            #expect(bench.reports.origins.last?.beginnings == failed.beginnings)
        }
    }

    @Test func `a file that changed keeps its retries, however often another was begun`() async throws {
        try await Bench.run { bench in
            bench.origin.on("/disk.iso") { _ in OriginReply(200, [("ETag", "\"v2\"")], body: body).cut(after: 200_000) }
            var assignment = try bench.assignment("/disk.iso") { $0.retriesMax = 1 }
            try bench.left(Array(body[..<100_000]), of: bench.known("/disk.iso", length: 300_000), for: &assignment)
            assignment.attemptsFailed = 1
            assignment.origin?.beginnings = 99
            let end = await bench.run(assignment)
            #expect(end.failure?.code == .connectionLost && end.retryAt != nil, "\(end)")
            #expect(bench.reports.origins.last?.beginnings == 0)
        }
    }

    @Test(arguments: [1, 4] as [UInt32])
    func `a web page under the tag of the file is not its rest`(ranges: UInt32) async throws {
        try await Bench.run { bench in
            let page = OriginEntity([UInt8](repeating: UInt8(ascii: "<"), count: body.count))
            bench.origin.script(
                "/disk.iso",
                [
                    { request in
                        var answer = page
                        answer.mediaType = "text/html; charset=utf-8"
                        return answer.reply(to: request)
                    }, { OriginEntity(body).reply(to: $0) },
                ])
            var assignment = try bench.assignment("/disk.iso") { $0.rangesMax = ranges }
            let known = try bench.known("/disk.iso", length: 300_000)
            try bench.left(Array(body[..<200_000]), of: known, for: &assignment)
            let ends = await bench.follow(assignment)
            #expect(ends.first?.failure?.code == .suspicious)
            #expect(ends.last == .completed(path: bench.path("disk.iso")))
            #expect(try bench.file("disk.iso") == body)
        }
    }

    @Test(arguments: ["\"v1\"", nil], [nil, 1, 4] as [UInt32?])
    func `a 200 with the rest alone is not the file`(tag: String?, ranges: UInt32?) async throws {
        try await Bench.run { bench in
            bench.origin.on("/disk.iso") { request in
                // It seeks to where it was asked to, and forgets to say so.
                let start = request["range"].map { $0.split { "=-".contains($0) }.dropFirst() }
                var entity = OriginEntity(Array(body[(start?.first.flatMap { Int($0) } ?? 0)...]), entityTag: tag)
                (entity.servesRanges, entity.fields) = (false, [("Accept-Ranges", "bytes")])
                return entity.reply(to: request)
            }
            var assignment = try bench.assignment("/disk.iso") { $0.rangesMax = ranges }
            let known = try bench.known("/disk.iso", length: 300_000, validator: tag.map { .entityTag($0) })
            try bench.left(Array(body[..<200_000]), of: known, for: &assignment)
            #expect(await bench.follow(assignment).last == .completed(path: bench.path("disk.iso")))
            #expect(try bench.file("disk.iso") == body)
        }
    }

    @Test func `a part that is gone is fetched anew`() async throws {
        try await Bench.run { bench in
            bench.origin.on("/disk.iso") { OriginEntity(body).reply(to: $0) }
            var assignment = try bench.assignment("/disk.iso")
            assignment.origin = try bench.known("/disk.iso", length: 300_000)
            assignment.durable = SummedRanges(ByteRangeSet(0..<1000), sums: [])
            assignment.generation = 3
            #expect(await bench.follow(assignment).last == .completed(path: bench.path("disk.iso")))
            #expect(bench.reports.all.kinds.prefix(3) == ["resolved 4", "failed part-lost", "resolved 5"])
            #expect(try bench.file("disk.iso") == body)
        }
    }

    @Test(arguments: [nil, 4] as [UInt32?], [false, true])
    func `a part that was changed behind our back is fetched anew, and the log says so`(
        ranges: UInt32?, isPoisoned: Bool
    ) async throws {
        try await Bench.run { bench in
            bench.origin.on("/disk.iso") { OriginEntity(body).reply(to: $0) }
            var assignment = try bench.assignment("/disk.iso") { options in
                options.rangesMax = ranges
                // It is no refusal of the origin's.
                options.retriesMax = 0
            }
            let known = try bench.known("/disk.iso", length: 300_000)
            try bench.left(Array(body[..<200_000]), of: known, for: &assignment)
            assignment.isPoisoned = isPoisoned
            let part = try bench.fileSystem.open(bench.partPath(assignment, 1), .update)
            try part.write([body[77_777] ^ 1], at: 77_777)
            part.close()
            let ends = await bench.follow(assignment)
            #expect(ends.last == .completed(path: bench.path("disk.iso")))
            #expect(try bench.file("disk.iso") == body)
            #expect(try bench.names == ["disk.iso"])
            #expect(bench.reports.all.kinds.filter { $0.hasPrefix("failed") } == ["failed part-lost"])
            guard case .failed(let failure, _)? = ends.first else { return #expect(Bool(false)) }
            let part1 = bench.partPath(assignment, 1)
            #expect(
                failure.message == "the part file '\(part1)' was changed by someone else: its bytes are not those that "
                    + "were received; it is fetched anew")
        }
    }

    @Test func `a part that is changed while it is fetched is the end, and claimed no longer`() async throws {
        let body = OriginEntity.pattern(3 << 20)
        try await Bench.run { bench in
            let gate = OriginGate()
            // All that came is hashed but for less than one mebibyte.
            bench.origin.on("/disk.iso") { OriginEntity(body).reply(to: $0).holding(at: gate, after: 2_000_000) }
            let assignment = try bench.assignment("/disk.iso") { $0.rangesMax = 1 }
            async let end = bench.run(assignment)
            await bench.received(2_000_000)
            let part = try bench.fileSystem.open(bench.partPath(assignment, 1), .update)
            for place in stride(from: 0, to: 2_000_000, by: 1000) {
                try part.write([body[place] ^ 1], at: UInt64(place))
            }
            part.close()
            gate.open()
            guard case .failed(let failure, retryAt: nil) = await end else { return #expect(Bool(false)) }
            #expect(failure.code == .partLost && failure.message.hasSuffix("; 'ledger retry' fetches it anew"))
            #expect(bench.reports.all.kinds == ["failed part-lost for good"])
            #expect(try bench.names == [])
        }
    }

    @Test(arguments: [false, true], [false, true])
    func `a part that is cut while it is fetched is no file, whatever was hashed as it came`(
        isExpected: Bool, isShort: Bool
    ) async throws {
        let body = OriginEntity.pattern(3 << 20)
        try await Bench.run { bench in
            let gate = OriginGate()
            bench.origin.on("/disk.iso") { OriginEntity(body).reply(to: $0).holding(at: gate, after: 2_000_000) }
            let expected = isExpected ? RangeTests.sha256(body) : nil
            let assignment = try bench.assignment("/disk.iso", expected: expected) { $0.rangesMax = 1 }
            async let end = bench.run(assignment)
            await bench.received(2_000_000)
            let part = try bench.fileSystem.open(bench.partPath(assignment, 1), .update)
            // What is hashed as it comes is at the start; the rest is read back.
            try part.truncate(to: isShort ? 0 : 4096)
            if !isShort { try part.write(Array(body[800_000..<2_000_000]).span.bytes, at: 800_000) }
            part.close()
            gate.open()
            guard case .failed(let failure, retryAt: nil) = await end else { return #expect(Bool(false)) }
            #expect(failure.code == .partLost || isExpected && isShort && failure.code == .digestMismatch)
            #expect(try !bench.names.contains("disk.iso"))
        }
    }

    @Test func `a part that was changed to what is expected is what is expected`() async throws {
        try await Bench.run { bench in
            bench.origin.on("/disk.iso") { OriginEntity(body).reply(to: $0) }
            var assignment = try bench.assignment("/disk.iso", expected: RangeTests.sha256(body))
            var known = try bench.known("/disk.iso", length: 300_000)
            known.digest = nil
            try bench.left(Array(body[..<200_000]), of: known, for: &assignment)
            assignment.durable = SummedRanges(ByteRangeSet(0..<200_000), sums: [7])
            await bench.completes(assignment, as: "disk.iso")
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

    @Test func `bodies that end within a second, one behind the other, go on record about once a second`() async throws
    {
        try await Bench.run { bench in
            bench.origin.on("/disk.iso") { [body, clock = bench.clock] request in
                clock.advance(by: .milliseconds(600))
                return OriginEntity(body).reply(to: request).cut(after: 80_000)
            }
            await bench.completes(try bench.assignment("/disk.iso"), as: "disk.iso")
            #expect(bench.reports.all.kinds.prefix(2) == ["resolved 1", "progressed 160000"])
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

extension RecordedReports {
    /// What was recorded of origins, in order.
    fileprivate var origins: [LedgerModel.Origin] {
        all.compactMap { if case .resolved(let origin, _) = $0 { origin } else { nil } }
    }
}
