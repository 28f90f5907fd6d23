import FoundationEssentials
import LedgerModel
import LedgerTestSupport
import LedgerTransfer
import Synchronization
import Testing

/// Answers that look like the rest of what is held, and are of another entity.
@Suite struct SpliceTests {
    let old = OriginEntity.pattern(300_000, seed: 1)
    let new = OriginEntity.pattern(300_000, seed: 2)

    static let dates = ["Sun, 01 Mar 2026 10:00:00 GMT", "Mon, 02 Mar 2026 10:00:00 GMT"]

    /// What another process left of the old entity.
    private func left(
        _ bench: Bench, _ assignment: inout Assignment, of path: String = "/disk.iso", length: UInt64? = 300_000,
        _ change: (inout LedgerModel.Origin) -> Void = { _ in }
    ) throws {
        var known = try bench.known(path, length: length)
        change(&known)
        try bench.left(Array(old[..<200_000]), of: known, for: &assignment)
    }

    @Test(arguments: [true, false])
    func `one validator that is the same proves nothing where the other tells of a change`(isTagSame: Bool) async throws
    {
        try await Bench.run { bench in
            var served = OriginEntity(
                new, entityTag: isTagSame ? "\"v1\"" : "W/\"2\"", lastModified: Self.dates[isTagSame ? 1 : 0])
            served.obeysIfRange = false
            bench.origin.on("/disk.iso") { [served] in served.reply(to: $0) }
            var assignment = try bench.assignment("/disk.iso")
            try left(bench, &assignment) { known in
                if isTagSame {
                    known.lastModified = Self.dates[0]
                } else {
                    (known.validator, known.entityTag) = (.lastModified(Self.dates[0]), "W/\"1\"")
                }
            }
            await bench.completes(assignment, as: "disk.iso")
            #expect(bench.origin.requests.map { $0["range"] } == ["bytes=200000-", nil])
            #expect(try bench.file("disk.iso") == new)
        }
    }

    @Test func `a tag where there was none tells of a change, also beside the same date`() async throws {
        try await Bench.run { bench in
            var served = OriginEntity(new, entityTag: "\"new\"", lastModified: Self.dates[0])
            served.obeysIfRange = false
            bench.origin.on("/disk.iso") { [served] in served.reply(to: $0) }
            var assignment = try bench.assignment("/disk.iso")
            try left(bench, &assignment) { $0.validator = .lastModified(Self.dates[0]) }
            await bench.completes(assignment, as: "disk.iso")
            #expect(bench.origin.requests.map { $0["range"] } == ["bytes=200000-", nil])
            #expect(try bench.file("disk.iso") == new)
        }
    }

    @Test(arguments: ["Sunday, 01-Mar-26 10:00:00 GMT", "Tue, 03 Mar 2026 10:00:00 GMT"])
    func `the same date in other words, or one that goes with the clock, tells of no change`(date: String) async throws
    {
        try await Bench.run { bench in
            bench.origin.on("/disk.iso") { OriginEntity(old, lastModified: date).reply(to: $0) }
            var assignment = try bench.assignment("/disk.iso")
            try left(bench, &assignment) { known in
                (known.lastModified, known.answeredAt) = (Self.dates[0], Bench.start)
            }
            await bench.completes(assignment, as: "disk.iso")
            #expect(bench.origin.requests.map { $0["range"] } == ["bytes=200000-"])
            #expect(try bench.file("disk.iso") == old)
        }
    }

    @Test func `a stream that tells of another date under the same tag gives nothing`() async throws {
        try await Bench.run { bench in
            let (gate, whole) = (OriginGate(), OriginEntity.pattern(4 << 20, seed: 1))
            let first = OriginEntity(whole, lastModified: Self.dates[0])
            let other = OriginEntity(OriginEntity.pattern(4 << 20, seed: 2), lastModified: Self.dates[1])
            bench.origin.on("/disk.iso") { request in
                guard request["range"] != nil else { return first.reply(to: request).holding(at: gate, after: 200_000) }
                gate.open()
                return other.reply(to: request)
            }
            await bench.completes(try bench.assignment("/disk.iso") { $0.rangesMax = 4 }, as: "disk.iso")
            #expect(bench.origin.requests.count > 1)
            #expect(try bench.file("disk.iso") == whole)
        }
    }

    @Test func `a file that is overwritten where it stands while one answer brings it is fetched anew`() async throws {
        try await Bench.run { bench in
            let (first, second) = (OriginEntity.pattern(4 << 20, seed: 1), OriginEntity.pattern(4 << 20, seed: 2))
            let gate = OriginGate()
            // What the leading answer brings, from when it was overwritten.
            let torn = OriginEntity(Array(first[..<200_000] + second[200_000...]))
            let now = OriginEntity(second, entityTag: "\"v2\"")
            let isOverwritten = Atomic(false)
            bench.origin.on("/disk.iso") { request in
                guard request["range"] != nil || isOverwritten.load(ordering: .relaxed) else {
                    return torn.reply(to: request).holding(at: gate, after: 200_000)
                }
                isOverwritten.store(true, ordering: .relaxed)
                return now.reply(to: request)
            }
            await bench.completes(try bench.assignment("/disk.iso") { $0.rangesMax = 2 }, as: "disk.iso")
            #expect(try bench.file("disk.iso") == second)
            #expect(bench.reports.all.kinds.suffix(2) == ["verified 4194304 disk.iso", "completed 4194304"])
            gate.open()
        }
    }

    /// What tells of the new file beside its tag: a date, one that another machine's tag for the old file comes before,
    /// how it is packed; and a digest of the order or of the origin that could only say so at the end.
    enum Sign: String, CaseIterable { case date, afterAnotherTag, packed, ordered, stated }

    @Test(arguments: Sign.allCases)
    func `a file that is overwritten is fetched anew, whatever tells of it`(sign: Sign) async throws {
        try await Bench.run { bench in
            let (first, second) = (OriginEntity.pattern(4 << 20, seed: 1), OriginEntity.pattern(4 << 20, seed: 2))
            let gate = OriginGate()
            var torn = OriginEntity(Array(first[..<200_000] + second[200_000...]), lastModified: Self.dates[0])
            var now = OriginEntity(second, entityTag: "\"v2\"", lastModified: Self.dates[1])
            if sign == .packed { now.fields = [("Content-Encoding", "br")] }
            if sign == .stated {
                torn.fields = [("Repr-Digest", Self.field(first))]
                now.fields = [("Repr-Digest", Self.field(second))]
            }
            let asked = Mutex(0)
            bench.origin.on("/disk.iso") { [torn, now] request in
                let number = asked.withLock { asked in
                    asked += 1
                    return asked
                }
                if number == 1 { return torn.reply(to: request).holding(at: gate, after: 200_000) }
                if sign == .afterAnotherTag, number < 4 {
                    let tag = number == 2 ? "\"other\"" : "\"v1\""
                    return OriginEntity(first, entityTag: tag, lastModified: number == 2 ? nil : Self.dates[0])
                        .reply(to: request)
                }
                return now.reply(to: request)
            }
            let expected = sign == .ordered ? RangeTests.sha256(second) : nil
            let assignment = try bench.assignment("/disk.iso", expected: expected) { $0.rangesMax = 2 }
            await bench.completes(assignment, as: "disk.iso")
            #expect(try bench.file("disk.iso") == second)
            gate.open()
        }
    }

    private static func field(_ bytes: [UInt8]) -> String {
        "sha-256=:\(Data(RangeTests.sha256(bytes).bytes).base64EncodedString()):"
    }

    /// How often another machine answers that calls the same file otherwise: a stream is told right when it asks again,
    /// or not before the leading one does, or not then either.
    @Test(arguments: [1, 3, 4, 5])
    func `machines behind one name that call a file their own way cost it once at most`(others: Int) async throws {
        try await Bench.run { bench in
            let (gate, body) = (OriginGate(), OriginEntity.pattern(4 << 20))
            let asked = Atomic(0)
            bench.origin.on("/disk.iso") { request in
                guard request["range"] != nil else {
                    let reply = OriginEntity(body).reply(to: request)
                    return asked.load(ordering: .relaxed) < others ? reply.holding(at: gate, after: 200_000) : reply
                }
                if asked.add(1, ordering: .relaxed).newValue <= others {
                    return OriginEntity(body, entityTag: "\"other\"").reply(to: request)
                }
                gate.open()
                return OriginEntity(body).reply(to: request)
            }
            await bench.completes(try bench.assignment("/disk.iso") { $0.rangesMax = 2 }, as: "disk.iso")
            #expect(try bench.file("disk.iso") == body)
            let whole = bench.origin.requests.count { $0["range"] == nil }
            #expect(whole == 1 || others == 5 && whole == 2)
            gate.open()
        }
    }

    @Test(arguments: ["text/html", "application/json"])
    func `a page that all but the first answer are is no other file`(type: String) async throws {
        try await Bench.run { bench in
            let (gate, body) = (OriginGate(), OriginEntity.pattern(4 << 20))
            let asked = Mutex(0)
            bench.origin.on("/disk.iso") { request in
                let isFirst = asked.withLock { asked in
                    asked += 1
                    return asked == 1
                }
                guard !isFirst else { return OriginEntity(body).reply(to: request).holding(at: gate, after: 200_000) }
                gate.open()
                return OriginReply(200, [("Content-Type", type), ("ETag", "\"p\"")], body: Array("one at a time".utf8))
            }
            await bench.completes(try bench.assignment("/disk.iso") { $0.rangesMax = 2 }, as: "disk.iso")
            #expect(try bench.file("disk.iso") == body)
        }
    }

    @Test(arguments: [false, true])
    func `while it is not known whether a file was changed, all but its last byte goes on record`(
        isBound: Bool
    ) async throws {
        try await Bench.run { bench in
            let (gate, body) = (OriginGate(), OriginEntity.pattern(4 << 20))
            let asked = Mutex(0)
            bench.origin.on("/disk.iso") { request in
                guard request["range"] != nil else {
                    return OriginEntity(body).reply(to: request).holding(at: gate, after: 200_000)
                }
                let number = asked.withLock { asked in
                    asked += 1
                    return asked
                }
                // A stream is told of another file, and nobody is told more before all of it has come.
                if number == 1 { return OriginEntity(body, entityTag: "\"other\"").reply(to: request) }
                gate.open()
                return OriginReply(503)
            }
            let expected = isBound ? RangeTests.sha256(body) : nil
            let assignment = try bench.assignment("/disk.iso", expected: expected) {
                ($0.rangesMax, $0.retriesMax) = (2, 3)
            }
            let end = await bench.run(assignment)
            #expect(end.failure?.status == 503 && end.retryAt != nil, "\(end)")
            let durable = bench.reports.all.compactMap { report in
                if case .progressed(let bytes, _) = report { bytes.ranges } else { nil }
            }
            #expect(durable.last == [0..<UInt64(body.count - 1)], "\(durable)")
        }
    }

    @Test func `what another path or another origin calls its file proves nothing`() async throws {
        try await Bench.run { bench in
            let elsewhere = try await OriginServer.start()
            for origin in [bench.origin, elsewhere] { origin.serve("/other.iso", OriginEntity(new)) }
            let target = try elsewhere.url("/other.iso").text
            bench.origin.on("/moved") { _ in OriginReply(302, [("Location", target)]) }
            for (id, path) in [(1, "/other.iso"), (2, "/moved")] as [(UInt64, String)] {
                var assignment = try bench.assignment(path, id: id)
                try left(bench, &assignment)
                let name = id == 1 ? "other.iso" : "other (1).iso"
                await bench.completes(assignment, as: name)
                #expect(try bench.file(name) == new)
            }
            #expect(elsewhere.requests.map { $0["range"] } == ["bytes=200000-", nil])
            try await elsewhere.stop()
        }
    }

    @Test(arguments: ["/disk.iso?signature=2", "/disk.iso"])
    func `the same place under another query is the same`(path: String) async throws {
        try await Bench.run { bench in
            bench.origin.on("/disk.iso") { OriginEntity(old).reply(to: $0) }
            var assignment = try bench.assignment(path)
            try left(bench, &assignment, of: "/disk.iso?signature=1") { $0.suggestedName = "disk.iso" }
            await bench.completes(assignment, as: "disk.iso")
            #expect(bench.origin.requests.map { $0["range"] } == ["bytes=200000-"])
            #expect(try bench.file("disk.iso") == old)
        }
    }

    @Test(arguments: [true, false])
    func `what was continued for its digest alone, and has another, is fetched once more from the start`(
        isElsewhere: Bool
    ) async throws {
        try await Bench.run { bench in
            var served = OriginEntity(new, entityTag: nil)
            served.obeysIfRange = false
            bench.origin.on("/disk.iso") { [served] in served.reply(to: $0) }
            var assignment = try bench.assignment("/disk.iso", expected: RangeTests.sha256(new))
            try left(bench, &assignment, of: isElsewhere ? "/elsewhere.iso" : "/disk.iso") {
                if !isElsewhere { $0.validator = nil }
            }
            await bench.completes(assignment, as: "disk.iso")
            #expect(bench.origin.requests.map { $0["range"] } == ["bytes=200000-", nil])
            #expect(try bench.file("disk.iso") == new)
        }
    }

    @Test(arguments: [true, false])
    func `a 416 that does not say of what entity it is finishes nothing: the last byte does`(
        isSame: Bool
    ) async throws {
        try await Bench.run { bench in
            let bytes = Array((isSame ? old : new)[..<200_000])
            var served = OriginEntity(bytes, entityTag: isSame ? "\"v1\"" : "\"v2\"")
            served.obeysIfRange = false
            bench.origin.on("/disk.iso") { [served] request in
                if request["range"] == "bytes=200000-" {
                    return OriginReply(416, [("Content-Range", "bytes */200000")])
                }
                return served.reply(to: request)
            }
            var assignment = try bench.assignment("/disk.iso")
            try left(bench, &assignment, length: nil)
            await bench.completes(assignment, as: "disk.iso")
            let asked = ["bytes=200000-", "bytes=199999-"] as [String?]
            #expect(bench.origin.requests.map { $0["range"] } == asked + (isSame ? [] : [nil]))
            #expect(try bench.file("disk.iso") == bytes)
        }
    }
}
