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
}
