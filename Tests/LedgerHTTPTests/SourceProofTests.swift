import LedgerModel
import LedgerTestSupport
import LedgerTransfer
import Synchronization
import Testing

/// What proves that the bytes of two places belong together, and what does not.
@Suite struct SourceProofTests {
    private let one = OriginEntity.pattern(3 << 20)
    private let two = OriginEntity.pattern(3 << 20, seed: 2)

    private func blamed(_ bench: Bench) -> [String] {
        bench.reports.all.compactMap { report in
            guard case .blamed(let source, let failure) = report else { return nil }
            return (source.lastPathComponent) + " " + failure.code.rawValue
        }
    }

    @Test(arguments: [nil, 4] as [UInt32?])
    func `the same entity tag at two places proves nothing`(ranges: UInt32?) async throws {
        try await Bench.run { bench in
            // Cut after some, so that the rest might be asked for elsewhere.
            bench.origin.script(
                "/one.bin", [{ OriginEntity(one).reply(to: $0).cut(after: 900_000) }, { _ in .init(404) }])
            bench.origin.on("/two.bin") { OriginEntity(two).reply(to: $0) }
            let mirrors = [try bench.origin.url("/two.bin")]
            let assignment = try bench.assignment("/one.bin", name: "x") { options in
                options.rangesMax = ranges
                options.mirrors = mirrors
            }
            await bench.completes(assignment, as: "x")
            #expect(try bench.file("x") == two)
        }
    }

    @Test func `what a killed attempt left of a mirror is not continued from another place`() async throws {
        try await Bench.run { bench in
            bench.origin.on("/one.bin") { OriginEntity(one).reply(to: $0) }
            bench.origin.on("/two.bin") { OriginEntity(two).reply(to: $0) }
            let mirrors = [try bench.origin.url("/two.bin")]
            var assignment = try bench.assignment("/one.bin", name: "x") { $0.mirrors = mirrors }
            let known = try bench.known("/two.bin", length: UInt64(two.count))
            try bench.left(Array(two.prefix(1_000_000)), of: known, for: &assignment)
            await bench.completes(assignment, as: "x")
            #expect(try bench.file("x") == two)
            #expect(bench.origin.requests.map(\.path) == ["/two.bin"])
        }
    }

    @Test(arguments: [1, 4] as [UInt32])
    func `a mirror with other bytes than the digest that was stated gives way, and is blamed`(
        ranges: UInt32
    ) async throws {
        try await Bench.run { bench in
            let gate = OriginGate()
            let stated = ("Repr-Digest", "sha-256=:" + base64(PieceTests.sha256(one[...]).bytes) + ":")
            let link = ("Link", "</two.bin>; rel=duplicate")
            bench.origin.on("/one.bin") { request in
                var entity = OriginEntity(one)
                entity.fields = [stated, link]
                let reply = entity.reply(to: request)
                return request["range"] == nil && ranges > 1 ? reply.holding(at: gate, after: 500_000) : reply
            }
            bench.origin.on("/two.bin") { request in
                gate.open()
                return OriginEntity(two, entityTag: "\"two\"").reply(to: request)
            }
            let assignment = try bench.assignment("/one.bin", name: "x") { $0.rangesMax = ranges }
            let end = await bench.run(assignment)
            gate.open()
            #expect(end == .completed(path: bench.path("x")))
            #expect(try bench.file("x") == one)
            #expect(blamed(bench) == (ranges > 1 ? ["two.bin digest-mismatch"] : []))
        }
    }

    /// What passes is waited for once: what is held is worth that.
    @Test(arguments: [OriginEntity.pattern(2 << 20, seed: 3), OriginEntity.pattern(3 << 20, seed: 2)], [false, true])
    func `what is held is not given up for another file when its source fails for a moment`(
        other: [UInt8], isJudged: Bool
    ) async throws {
        for servesRanges in [true, false] {
            try await Bench.run { bench in
                bench.origin.script(
                    "/one.bin",
                    [
                        { OriginEntity(one).reply(to: $0).cut(after: 900_000) }, { _ in OriginReply(steps: [.close]) },
                        { OriginEntity(one).reply(to: $0) },
                    ])
                bench.origin.on("/two.bin") { request in
                    var entity = OriginEntity(other, entityTag: "\"two\"")
                    entity.servesRanges = servesRanges
                    return entity.reply(to: request)
                }
                let digest = isJudged ? PieceTests.sha256(one[...]) : nil
                let mirrors = [try bench.origin.url("/two.bin")]
                let assignment = try bench.assignment("/one.bin", name: "x", expected: digest) {
                    ($0.mirrors, $0.rangesMax) = (mirrors, 1)
                }
                #expect(await bench.follow(assignment).last == .completed(path: bench.path("x")))
                #expect(try bench.file("x") == one)
                let isOfOneLength = isJudged && servesRanges && other.count == one.count
                let whole = bench.origin.requests.filter { $0["range"] == nil }
                #expect(whole.map(\.path) == ["/one.bin"] || isOfOneLength, "\(bench.origin.requests.map(\.path))")
            }
        }
    }

    @Test func `who can not go on with what is held is not waited for`() async throws {
        try await Bench.run { bench in
            bench.origin.script(
                "/one.bin",
                [
                    { OriginEntity(one).reply(to: $0).cut(after: 900_000) },
                    { _ in OriginReply(503, [("Retry-After", "3600")]) },
                ])
            bench.origin.on("/busy.bin") { _ in OriginReply(503) }
            bench.origin.on("/two.bin") { OriginEntity(two).reply(to: $0) }
            let mirrors = [try bench.origin.url("/busy.bin"), try bench.origin.url("/two.bin")]
            await bench.completes(try bench.assignment("/one.bin", name: "x") { $0.mirrors = mirrors }, as: "x")
            #expect(try bench.file("x") == two)
        }
    }

    @Test(arguments: [true, false])
    func `what is held is not given up as long as another source may go on with it`(servesRanges: Bool) async throws {
        try await Bench.run { bench in
            bench.origin.script(
                "/one.bin", [{ OriginEntity(one).reply(to: $0).cut(after: 900_000) }, { _ in .init(404) }])
            bench.origin.on("/other.bin") { request in
                var entity = OriginEntity(servesRanges ? Array(one.dropLast()) : one, entityTag: "\"o\"")
                entity.servesRanges = servesRanges
                return entity.reply(to: request)
            }
            bench.origin.on("/good.bin") { OriginEntity(one, entityTag: "\"g\"").reply(to: $0) }
            let mirrors = [try bench.origin.url("/other.bin"), try bench.origin.url("/good.bin")]
            let assignment = try bench.assignment("/one.bin", name: "x", expected: PieceTests.sha256(one[...])) {
                ($0.mirrors, $0.rangesMax) = (mirrors, 1)
            }
            await bench.completes(assignment, as: "x")
            #expect(try bench.file("x") == one)
            #expect(bench.origin.requests.last?["range"] == "bytes=900000-")
            #expect(blamed(bench) == ["one.bin status"] + (servesRanges ? ["other.bin entity-changed"] : []))
        }
    }

    /// What the source that gave what is held has now.
    enum Now: String, CaseIterable { case longer, other, empty, unranged, unsatisfied }

    @Test(arguments: Now.allCases)
    func `what is held is gone on with elsewhere when its source has another file`(now: Now) async throws {
        try await Bench.run { bench in
            bench.origin.on("/one.bin") { request in
                switch now {
                case .longer: OriginEntity(one + one, entityTag: "\"v2\"").reply(to: request)
                case .other: OriginEntity(two, entityTag: "\"v2\"").reply(to: request)
                case .empty: OriginReply(200, [("ETag", "\"v2\"")])
                case .unranged: OriginReply(200, [("ETag", "\"v1\"")], body: one)
                case .unsatisfied: OriginReply(416)
                }
            }
            bench.origin.on("/good.bin") { OriginEntity(one, entityTag: "\"g\"").reply(to: $0) }
            let mirrors = [try bench.origin.url("/good.bin")]
            var assignment = try bench.assignment("/one.bin", name: "x", expected: PieceTests.sha256(one[...])) {
                ($0.mirrors, $0.rangesMax) = (mirrors, 1)
            }
            let known = try bench.known("/one.bin", length: UInt64(one.count))
            try bench.left(Array(one.prefix(1_000_000)), of: known, for: &assignment)
            await bench.completes(assignment, as: "x")
            #expect(try bench.file("x") == one)
            #expect(bench.origin.requests.last?["range"] == "bytes=1000000-")
        }
    }

    /// The tag of one place is nothing to ask another under where a hash will judge.
    @Test func `where redirects lead elsewhere today, what is held is gone on with for a digest`() async throws {
        try await Bench.run { bench in
            bench.origin.on("/x.bin") { _ in .redirect(302, to: "/two.bin") }
            bench.origin.on("/two.bin") { OriginEntity(one, entityTag: "\"two\"").reply(to: $0) }
            bench.origin.on("/one.bin") { _ in .init(404) }
            var assignment = try bench.assignment("/x.bin", name: "x", expected: PieceTests.sha256(one[...]))
            var known = try bench.known("/one.bin", length: UInt64(one.count))
            known.source = try bench.origin.url("/x.bin")
            try bench.left(Array(one.prefix(1_000_000)), of: known, for: &assignment)
            await bench.completes(assignment, as: "x")
            #expect(try bench.file("x") == one)
            #expect(bench.origin.requests.allSatisfy { $0["range"] == "bytes=1000000-" })
        }
    }

    /// Each place has a tag of its own for the file; what both say of its date tells whether it is the same.
    @Test(arguments: [true, false])
    func `where redirects lead to another mirror after a restart, the first is asked for the rest`(
        isSame: Bool
    ) async throws {
        let dates = ["Sun, 01 Mar 2026 10:00:00 GMT", "Mon, 02 Mar 2026 10:00:00 GMT"]
        try await Bench.run { bench in
            let elsewhere = try await OriginServer.start()
            let first = OriginEntity(one, lastModified: dates[0])
            let second = OriginEntity(
                isSame ? one : two, entityTag: "\"two\"", lastModified: isSame ? dates[0] : dates[1])
            elsewhere.on("/x.bin") { first.reply(to: $0) }
            bench.origin.on("/two.bin") { second.reply(to: $0) }
            bench.origin.on("/x.bin") { _ in .redirect(302, to: "/two.bin") }
            var assignment = try bench.assignment("/x.bin", name: "x") { $0.rangesMax = 1 }
            var known = try bench.known("/x.bin", length: UInt64(one.count))
            (known.url, known.source) = (try elsewhere.url("/x.bin"), try bench.origin.url("/x.bin"))
            known.lastModified = dates[0]
            try bench.left(Array(one.prefix(1_000_000)), of: known, for: &assignment)
            await bench.completes(assignment, as: "x")
            #expect(try bench.file("x") == (isSame ? one : two))
            #expect(elsewhere.requests.map { $0["range"] } == (isSame ? ["bytes=1000000-"] : []))
            try await elsewhere.stop()
        }
    }

    @Test func `a mirror that is busy for long is not waited for where only the first can go on`() async throws {
        try await Bench.run { bench in
            bench.origin.on("/busy.bin") { _ in OriginReply(503, [("Retry-After", "3600")]) }
            bench.origin.script(
                "/one.bin",
                [
                    { OriginEntity(one).reply(to: $0).cut(after: 900_000) }, { _ in OriginReply(500) },
                    { OriginEntity(one).reply(to: $0) },
                ])
            let mirrors = [try bench.origin.url("/one.bin")]
            let before = bench.clock.now()
            let ends = await bench.follow(try bench.assignment("/busy.bin", name: "x") { $0.mirrors = mirrors })
            #expect(ends.last == .completed(path: bench.path("x")))
            #expect(before.duration(to: bench.clock.now()) < .seconds(60))
        }
    }

    @Test func `what is held is given up when its source does not come back`() async throws {
        try await Bench.run { bench in
            let isCut = Mutex(false)
            bench.origin.on("/one.bin") { request in
                let isDead = isCut.withLock { isCut in
                    defer { isCut = true }
                    return isCut
                }
                return isDead ? .init(503) : OriginEntity(one).reply(to: request).cut(after: 900_000)
            }
            bench.origin.on("/two.bin") { OriginEntity(two).reply(to: $0) }
            let mirrors = [try bench.origin.url("/two.bin")]
            let ends = await bench.follow(try bench.assignment("/one.bin", name: "x") { $0.mirrors = mirrors })
            #expect(ends.count == 2 && ends.last == .completed(path: bench.path("x")), "\(ends)")
            #expect(try bench.file("x") == two)
        }
    }

    @Test func `an origin that always begins anew and is cut is not asked for ever`() async throws {
        try await Bench.run { bench in
            bench.origin.on("/one.bin") { _ in
                OriginReply(200, [("ETag", "\"v1\"")], body: one).cut(after: 300_000)
            }
            guard case .failed(let failure, .some) = await bench.run(try bench.assignment("/one.bin")) else {
                return #expect(Bool(false))
            }
            #expect(failure.code == .connectionLost)
            #expect(bench.origin.requests.count <= 3, "\(bench.origin.requests.count)")
        }
    }
}
