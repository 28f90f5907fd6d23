import LedgerModel
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
