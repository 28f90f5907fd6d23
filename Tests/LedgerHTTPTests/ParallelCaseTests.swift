import LedgerModel
import LedgerTestSupport
import LedgerTransfer
import Testing

/// Rows 40 to 42: several sources, and several ranges at once.
@Suite struct ParallelCaseTests {
    @Test(arguments: [nil, 4] as [UInt32?])
    func `of many mirrors the good ones finish the file, and each of the others is blamed`(
        ranges: UInt32?
    ) async throws {
        let theCase = try Bench.named("40-mirrors")
        try await Bench.run(isRealTime: true) { bench in
            let assignment = try bench.assignment(theCase, name: "x", expected: theCase.file.digest) { options in
                options.rangesMax = ranges
                options.silenceMillisecondsMax = 2000
            }
            await bench.completes(assignment, as: "x")
            #expect(try bench.holds(theCase, under: "x"))
            let blamed = bench.reports.all.compactMap { report -> String? in
                guard case .blamed(let source, let failure) = report else { return nil }
                return "\(source.lastPathComponent) \(failure.code.rawValue)"
            }
            if ranges == nil {
                // One after the other, in the order they were given.
                #expect(
                    blamed == ["dead.iso connection-lost", "slow.iso low-speed", "other.iso digest-mismatch"])
                // The one that came from several, and then the one that came from the wrong mirror alone.
                #expect(try bench.names.sorted() == ["x", "x (1).rejected", "x.rejected"])
            } else {
                #expect(blamed.contains("dead.iso connection-lost"))
                #expect(!blamed.contains { $0.hasPrefix("good") || $0.hasPrefix("best") })
            }
            #expect(bench.reports.all.kinds.suffix(2) == ["verified 700001 x", "completed 700001"])
        }
    }

    @Test func `a mirror that lives but is far slower than another is left, and blamed while the rest comes`()
        async throws
    {
        let body = OriginEntity.pattern(16 << 20)
        try await Bench.run(isRealTime: true) { bench in
            // The slow one would take an hour; the good one half a minute, however seldom a busy machine looks at
            // them, and no time at all once the other is left.
            let left = OriginGate()
            bench.origin.on("/slow.iso") {
                OriginEntity(body).reply(to: $0).paced(pieces: 16_384, everyMilliseconds: 200)
            }
            bench.origin.on("/good.iso") { request in
                let pieces = (RangeTests.range(request)?.count ?? body.count) / 50_000
                return OriginEntity(body).reply(to: request).paced(
                    pieces: max(1, pieces), everyMilliseconds: 100, until: left)
            }
            // Refuses nothing: it is told of everything.
            bench.reports.refuse { report in
                for case .blamed in report.reports { left.open() }
                return nil
            }
            let good = try bench.origin.url("/good.iso")
            let sum = RangeTests.sha256(body)
            let assignment = try bench.assignment("/slow.iso", name: "x", expected: sum) { options in
                options.mirrors = [good]
                options.rangesMax = 2
            }
            await bench.completes(assignment, as: "x")
            #expect(try bench.file("x") == body)
            let blamed = bench.reports.all.compactMap { report -> String? in
                guard case .blamed(let source, let failure) = report else { return nil }
                return "\(source.lastPathComponent) \(failure.code.rawValue) \(failure.isRetryable)"
            }
            #expect(blamed == ["slow.iso low-speed true"])
            #expect(bench.reports.all.kinds.suffix(2) == ["verified 16777216 x", "completed 16777216"])
        }
    }

    @Test(arguments: ["41-one-connection", "41-resets-others"])
    func `an origin that allows one connection is read over one`(slug: String) async throws {
        let theCase = try Bench.named(slug)
        try await Bench.run(isRealTime: true) { bench in
            // The one connection may be given up for another before the origin has seen the end of it.
            let ends = await bench.follow(try bench.assignment(theCase) { $0.rangesMax = 4 })
            #expect(ends.last == .completed(path: bench.path("disk.iso")))
            #expect(try bench.holds(theCase, under: "disk.iso"))
            let seen = bench.seen(theCase)
            #expect(seen.connections > 1, "others were tried")
            #expect(seen.requests.count <= 12, "and not again and again")
        }
    }

    @Test(arguments: ["42-slow-range", "42-dead-range"])
    func `the rest of a range that is slow or dies is given to the others`(slug: String) async throws {
        let theCase = try Bench.named(slug)
        try await Bench.run(isRealTime: true) { bench in
            // The slow one would take months, and nobody calls it silent.
            let assignment = try bench.assignment(theCase) { options in
                options.rangesMax = 4
                options.silenceMillisecondsMax = .max
            }
            await bench.completes(assignment, as: "disk.iso")
            #expect(try bench.holds(theCase, under: "disk.iso"))
            #expect(bench.seen(theCase).connections > 1)
            #expect(!bench.reports.all.kinds.contains { $0.hasPrefix("failed") })
        }
    }
}
