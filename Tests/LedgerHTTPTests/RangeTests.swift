import LedgerModel
import LedgerTestSupport
import LedgerTransfer
import Synchronization
import Testing

/// Ranges in parallel, over real sockets.
@Suite struct RangeTests {
    static let body = OriginEntity.pattern(4 << 20)
    static let sum = RangeTests.sha256(body)

    static func sha256(_ bytes: [UInt8]) -> Digest {
        let digest = RunningDigest(stated: nil)
        digest.absorb(bytes.span.bytes, at: 0)
        return digest.finish().sha256
    }

    /// The bytes of a `Range` field.
    static func range(_ request: OriginRequest) -> Range<Int>? {
        guard let start = request.rangeStart else { return nil }
        return start..<(request.rangeLast.map { $0 + 1 } ?? body.count)
    }

    @Test func `four ranges are fetched beside each other, all under the validator of the first answer`() async throws {
        try await Bench.run { bench in
            let gate = OriginGate()
            let seen = Atomic(0)
            bench.origin.on("/disk.iso") { request in
                let reply = OriginEntity(Self.body).reply(to: request)
                // The leading answer waits until three others are under way.
                guard request["range"] != nil else { return reply.holding(at: gate, after: 200_000) }
                if seen.add(1, ordering: .relaxed).newValue == 3 { gate.open() }
                return reply
            }
            await bench.completes(try bench.assignment("/disk.iso") { $0.rangesMax = 4 }, as: "disk.iso")
            #expect(try bench.file("disk.iso") == Self.body)
            let ranges = bench.origin.requests.compactMap(Self.range)
            #expect(ranges.count >= 3)
            #expect(bench.origin.requests.allSatisfy { $0["range"] == nil || $0["if-range"] == "\"v1\"" })
            // A short range may be over, and its connection free, before the next one begins.
            #expect(bench.origin.connectionCount >= 2)
            #expect(bench.reports.all.kinds == ["resolved 1", "verified 4194304 disk.iso", "completed 4194304"])
        }
    }

    @Test(arguments: [nil, 1] as [UInt32?]) func `a small file is fetched in one`(_ rangesMax: UInt32?) async throws {
        try await Bench.run { bench in
            bench.origin.on("/disk.iso") { OriginEntity(Self.body).reply(to: $0) }
            await bench.completes(try bench.assignment("/disk.iso") { $0.rangesMax = rangesMax }, as: "disk.iso")
            #expect(bench.origin.requests.map { $0["range"] } == [nil])
            #expect(try bench.file("disk.iso") == Self.body)
        }
    }

    @Test func `an origin that serves one connection is read over one`() async throws {
        try await Bench.run { bench in
            let gate = OriginGate()
            let refused = Atomic(0)
            bench.origin.on("/disk.iso") { request in
                let reply = OriginEntity(Self.body).reply(to: request)
                guard request["range"] != nil else { return reply.holding(at: gate, after: 200_000) }
                // Beside the leading answer there is room for nobody.
                guard refused.add(1, ordering: .relaxed).newValue <= 3 else { return reply }
                gate.open()
                return OriginReply(503)
            }
            await bench.completes(try bench.assignment("/disk.iso") { $0.rangesMax = 4 }, as: "disk.iso")
            #expect(try bench.file("disk.iso") == Self.body)
            #expect(bench.origin.requests.filter { $0["range"] == nil }.count == 1)
            // A busy machine takes longer, and more is tried meanwhile: eight when it is not.
            #expect(bench.origin.requests.count <= 12)
        }
    }

    @Test func `holes are filled, and nothing else is asked for`() async throws {
        try await Bench.run { bench in
            bench.origin.on("/disk.iso") { OriginEntity(Self.body).reply(to: $0) }
            var assignment = try bench.assignment("/disk.iso") { $0.rangesMax = 1 }
            var left = Self.body
            left.replaceSubrange(1 << 20..<2 << 20, with: repeatElement(0, count: 1 << 20))
            left.replaceSubrange(3 << 20..<4 << 20, with: repeatElement(0, count: 1 << 20))
            try bench.left(left, of: bench.known("/disk.iso", length: 4 << 20), for: &assignment)
            assignment.durable = SummedRanges(ByteRangeSet([0..<1 << 20, 2 << 20..<3 << 20]), sums: [])
            await bench.completes(assignment, as: "disk.iso")
            #expect(bench.origin.requests.map { $0["range"] } == ["bytes=1048576-2097151", "bytes=3145728-"])
            #expect(try bench.file("disk.iso") == Self.body)
            #expect(bench.live.now.resumedFrom == 2 << 20)
        }
    }

    @Test func `a stopped transfer records its ranges, and the next fills their holes`() async throws {
        try await Bench.run { bench in
            let (gate, held) = (OriginGate(), OriginGate())
            bench.origin.on("/disk.iso") { request in
                let reply = OriginEntity(Self.body).reply(to: request)
                return reply.holding(at: request["range"] == nil ? gate : held, after: 300_000)
            }
            let assignment = try bench.assignment("/disk.iso") { $0.rangesMax = 2 }
            let run = Task { await bench.run(assignment) }
            await bench.received(600_000)
            run.cancel()
            #expect(await run.value == .stopped)
            gate.open()
            held.open()
            guard case .progressed(let durable, let sums)? = bench.reports.all.last else { return #expect(Bool(false)) }
            #expect(durable.ranges.map { $0.upperBound - $0.lowerBound } == [300_000, 300_000])
            #expect(durable.ranges.first?.lowerBound == 0)
            var next = assignment
            next.durable = SummedRanges(durable, sums: sums)
            next.generation = 1
            next.origin = try bench.known("/disk.iso", length: 4 << 20)
            bench.origin.on("/disk.iso") { OriginEntity(Self.body).reply(to: $0) }
            await bench.completes(next, as: "disk.iso")
            #expect(try bench.file("disk.iso") == Self.body)
            let asked = bench.origin.requests.dropFirst(2).compactMap(Self.range)
            #expect(!asked.isEmpty)
            for range in durable.ranges {
                #expect(!asked.contains { $0.overlaps(Int(range.lowerBound)..<Int(range.upperBound)) })
            }
        }
    }

    @Test func `a range of another entity is not spliced in`() async throws {
        try await Bench.run { bench in
            let gate = OriginGate()
            let other = OriginEntity.pattern(4 << 20, seed: 2)
            bench.origin.on("/disk.iso") { request in
                guard request["range"] != nil else {
                    return OriginEntity(Self.body).reply(to: request).holding(at: gate, after: 200_000)
                }
                gate.open()
                var entity = OriginEntity(other, entityTag: "\"v2\"")
                entity.obeysIfRange = false
                return entity.reply(to: request)
            }
            await bench.completes(try bench.assignment("/disk.iso") { $0.rangesMax = 4 }, as: "disk.iso")
            #expect(try bench.file("disk.iso") == Self.body)
        }
    }

    @Test func `the rest of a range that stands still is given to another stream`() async throws {
        try await Bench.run { bench in
            bench.origin.on("/disk.iso") { request in
                let reply = OriginEntity(Self.body).reply(to: request)
                return request["range"] == nil ? reply.cut(after: 100_000, .stall) : reply
            }
            let assignment = try bench.assignment("/disk.iso") { options in
                options.rangesMax = 2
                // Nobody else ends it.
                options.silenceMillisecondsMax = .max
            }
            // A few looks show that nothing comes there any more.
            await bench.clock.passes { await bench.completes(assignment, as: "disk.iso") }
            #expect(try bench.file("disk.iso") == Self.body)
        }
    }

    @Test(.timeLimit(.minutes(5))) func `a stream that was refused for now comes back`() async throws {
        try await Bench.run { bench in
            let gate = OriginGate()
            let isRefused = Atomic(false)
            bench.origin.on("/disk.iso") { request in
                let reply = OriginEntity(Self.body).reply(to: request)
                guard request["range"] != nil else { return reply.cut(after: 100_000, .stall) }
                return isRefused.exchange(true, ordering: .relaxed)
                    ? reply : OriginReply(steps: [.gate(gate)] + OriginReply(503).steps)
            }
            let assignment = try bench.assignment("/disk.iso") { options in
                options.rangesMax = 2
                // Longer than a refusal is remembered.
                options.silenceMillisecondsMax = 120_000
            }
            let run = Task { await bench.run(assignment) }
            // Time stands until the refusal is known: an answer that is late is waited for no longer than that.
            await bench.streams(2)
            gate.open()
            await bench.streams(1)
            let end = await bench.clock.passes { await run.value }
            #expect(end == .completed(path: bench.path("disk.iso")))
            #expect(try bench.file("disk.iso") == Self.body)
            #expect(bench.clock.uptime() >= StreamCeiling.restMin)
        }
    }

    @Test func `a place that is busy with other downloads of ours is asked until they are through`() async throws {
        try await Bench.run(settings: Self.oneRetry) { bench in
            let gate = OriginGate()
            bench.origin.on("/disk.iso") { OriginEntity(Self.body).reply(to: $0).holding(at: gate, after: 100) }
            bench.origin.on("/other.iso") { _ in OriginReply(503) }
            let first = Task { await bench.run(try bench.assignment("/disk.iso") { $0.rangesMax = 1 }) }
            await bench.received(100)
            var assignment = try bench.assignment("/other.iso", id: 2)
            assignment.attemptsFailed = 9
            guard case .failed(_, retryAt: .some) = await bench.worker.run(assignment, live: LiveProgress()) else {
                return #expect(Bool(false), "the last retry was the last one")
            }
            gate.open()
            #expect(try await first.value == .completed(path: bench.path("disk.iso")))
            guard case .failed(_, retryAt: nil) = await bench.worker.run(assignment, live: LiveProgress()) else {
                return #expect(Bool(false), "nobody else is served, and it is tried again")
            }
            assignment.isExcused = true
            guard case .failed(_, retryAt: .some) = await bench.worker.run(assignment, live: LiveProgress()) else {
                return #expect(Bool(false), "the first failure behind those that do not count was the last one")
            }
        }
    }

    static let oneRetry: TransferSettings = {
        var settings = TransferSettings()
        settings.retry.retriesMax = 1
        return settings
    }()

    @Test func `a stream that is never answered does not hold up the end`() async throws {
        try await Bench.run { bench in
            let ranges = Mutex(0)
            bench.origin.on("/disk.iso") { request in
                let number = ranges.withLock { count in
                    count += request["range"] == nil ? 0 : 1
                    return count
                }
                if request["range"] != nil, number == 1 { return OriginReply(steps: [.stall]) }
                return OriginEntity(Self.body).reply(to: request)
            }
            let assignment = try bench.assignment("/disk.iso") { options in
                options.rangesMax = 3
                // Nobody else ends it.
                options.silenceMillisecondsMax = .max
            }
            await bench.clock.passes { await bench.completes(assignment, as: "disk.iso") }
            #expect(try bench.file("disk.iso") == Self.body)
        }
    }
}

/// Several sources of one file.
@Suite struct MirrorTests {
    let body = RangeTests.body

    @Test func `mirrors serve ranges too when a digest judges the whole, and one with another file is blamed`()
        async throws
    {
        try await Bench.run { bench in
            let gate = OriginGate()
            let seen = Atomic(0)
            // The first and the good one wait until a fourth stream comes, in the place of the one that is wrong.
            @Sendable func held(_ reply: OriginReply) -> OriginReply {
                if bench.origin.requests.count > 3 { gate.open() }
                return reply.holding(at: gate, after: 200_000)
            }
            bench.origin.on("/disk.iso") { held(OriginEntity(body).reply(to: $0)) }
            bench.origin.on("/good.iso") { request in
                seen.add(1, ordering: .relaxed)
                return held(OriginEntity(body, entityTag: "\"mirror\"").reply(to: request))
            }
            bench.origin.on("/other.iso") { OriginEntity(Array(body.dropLast()), entityTag: "\"o\"").reply(to: $0) }
            let mirrors = [try bench.origin.url("/other.iso"), try bench.origin.url("/good.iso")]
            let assignment = try bench.assignment("/disk.iso", expected: RangeTests.sum) {
                $0.rangesMax = 3
                $0.mirrors = mirrors
            }
            await bench.completes(assignment, as: "disk.iso")
            #expect(try bench.file("disk.iso") == body)
            #expect(seen.load(ordering: .relaxed) > 0)
            #expect(
                bench.reports.all.contains { report in
                    guard case .blamed(let source, let failure) = report else { return false }
                    return source == mirrors[0] && failure.code == .entityChanged && !failure.isRetryable
                })
        }
    }

    /// Who is wrong is not known before the whole is there.
    @Test(arguments: [false, true])
    func `a mirror with another file than the first has the right one where a hash says so`(
        byPieces: Bool
    ) async throws {
        try await Bench.run { bench in
            let gate = OriginGate()
            let wrong = OriginEntity.pattern(body.count - 1, seed: 9)
            bench.origin.on("/disk.iso") { request in
                let reply = OriginEntity(wrong).reply(to: request)
                return request["range"] == nil ? reply.holding(at: gate, after: 200_000) : reply
            }
            bench.origin.on("/right.iso") { request in
                gate.open()
                return OriginEntity(body, entityTag: "\"r\"").reply(to: request)
            }
            let mirrors = [try bench.origin.url("/right.iso")]
            let sum = byPieces ? nil : RangeTests.sum
            var assignment = try bench.assignment("/disk.iso", name: "disk.iso", expected: sum) {
                $0.rangesMax = 2
                $0.mirrors = mirrors
            }
            if byPieces { assignment.order.pieces = Shared(try PieceTests.hashes(body, pieceLength: 1 << 20)) }
            await bench.completes(assignment, as: "disk.iso")
            #expect(try bench.file("disk.iso") == body)
            let blamed = bench.reports.all.compactMap { if case .blamed(let url, _) = $0 { url.path } else { nil } }
            #expect(blamed == ["/disk.iso"])
        }
    }

    /// What is held may be right.
    @Test func `a mirror with another file is not asked for it as long as the first may serve again`() async throws {
        try await Bench.run { bench in
            let gate = OriginGate()
            bench.origin.on("/disk.iso") { request in
                guard request["range"] == nil else { return OriginReply(503) }
                return OriginEntity(body).reply(to: request).holding(at: gate, after: 200_000).cut(after: 300_000)
            }
            bench.origin.on("/other.iso") { request in
                gate.open()
                return OriginEntity(Array(body.dropLast()), entityTag: "\"o\"").reply(to: request)
            }
            let mirrors = [try bench.origin.url("/other.iso")]
            let assignment = try bench.assignment("/disk.iso", name: "disk.iso", expected: RangeTests.sum) {
                $0.rangesMax = 2
                $0.mirrors = mirrors
            }
            let end = await bench.run(assignment)
            #expect(end.failure?.isRetryable == true && end.retryAt != nil, "\(end)")
            let others = bench.origin.requests.filter { $0.path == "/other.iso" }
            #expect(!others.isEmpty && others.allSatisfy { $0["range"] != nil })
            #expect(!bench.reports.all.kinds.contains { $0.hasSuffix("entity-changed") }, "\(bench.reports.all.kinds)")
        }
    }

    @Test func `what does not fit together is fetched anew from who gave most of it`() async throws {
        try await Bench.run { bench in
            var assignment = try bench.assignment("/disk.iso", expected: RangeTests.sum)
            assignment.mirrors = [Assignment.Mirror(try bench.origin.url("/fast.iso"))]
            for (given, path) in [
                ([0: 1, 1: 2], "/fast.iso"), ([0: 2, 1: 1], "/disk.iso"), ([0: 1, 1: 1], "/disk.iso"),
            ] {
                var machine = WorkerStateMachine(assignment, settings: TransferSettings(), held: nil)
                let action = machine.mismatched(Failure(.digestMismatch, "", isRetryable: false), given: given)
                guard case .request(let request) = action else { return #expect(Bool(false), "\(action)") }
                #expect(request.url.path == path)
            }
        }
    }

    @Test func `once it is known whose bytes were wrong, the others give together again`() async throws {
        try await Bench.run { bench in
            var assignment = try bench.assignment("/disk.iso", expected: RangeTests.sum)
            assignment.mirrors = [
                Assignment.Mirror(try bench.origin.url("/wrong.iso")),
                Assignment.Mirror(try bench.origin.url("/other.iso")),
            ]
            var machine = WorkerStateMachine(assignment, settings: TransferSettings(), held: nil)
            #expect(machine.mixesSources)
            let mismatch = Failure(.digestMismatch, "", isRetryable: false)
            _ = machine.mismatched(mismatch, given: [0: 1, 1: 2, 2: 1])
            #expect(!machine.mixesSources)
            let action = machine.mismatched(mismatch, given: [1: 4])
            guard case .request(let request) = action else { return #expect(Bool(false), "\(action)") }
            #expect(request.url.path == "/disk.iso" && machine.mixesSources)
        }
    }

    @Test func `what came from several sources and does not fit together is fetched anew from one`() async throws {
        try await Bench.run { bench in
            let gate = OriginGate()
            let wrong = OriginEntity.pattern(4 << 20, seed: 9)
            bench.origin.on("/disk.iso") { OriginEntity(body).reply(to: $0).holding(at: gate, after: 200_000) }
            bench.origin.on("/wrong.iso") { request in
                gate.open()
                return OriginEntity(wrong, entityTag: "\"w\"").reply(to: request)
            }
            let mirrors = [try bench.origin.url("/wrong.iso")]
            let assignment = try bench.assignment("/disk.iso", expected: RangeTests.sum) {
                $0.rangesMax = 2
                $0.mirrors = mirrors
            }
            await bench.completes(assignment, as: "disk.iso")
            #expect(try bench.file("disk.iso") == body)
        }
    }
}
