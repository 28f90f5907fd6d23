import LedgerModel
import LedgerTestSupport
import LedgerTransfer
import Synchronization
import Testing

/// A URL that leads to another mirror each time it is asked: what one mirror began is carried on there.
@Suite struct MirrorChoiceTests {
    private let one = OriginEntity.pattern(3 << 20)
    private let two = OriginEntity.pattern(3 << 20, seed: 2)

    /// Leads to the first mirror once, and then to the second, which calls other bytes by the same tag.
    private func choose(_ bench: Bench, host: String = "127.0.0.1") throws {
        let first = try bench.origin.url("/one.bin", host: host).text
        let second = try bench.origin.url("/two.bin", host: host).text
        bench.origin.script("/x.bin", [{ _ in .redirect(302, to: first) }, { _ in .redirect(302, to: second) }])
        bench.origin.on("/two.bin") { OriginEntity(two).reply(to: $0) }
    }

    /// Gives one answer and the other, by turns.
    private func inTurn(_ bench: Bench, _ first: @escaping OriginServer.Answer, _ second: @escaping OriginServer.Answer)
    {
        let isSecond = Mutex(false)
        bench.origin.on("/x.bin") { request in
            let answer = isSecond.withLock { isSecond in
                defer { isSecond.toggle() }
                return isSecond ? second : first
            }
            return answer(request)
        }
    }

    @Test func `what is cut is carried on where it began`() async throws {
        try await Bench.run { bench in
            try choose(bench)
            bench.origin.script(
                "/one.bin",
                [{ OriginEntity(one).reply(to: $0).cut(after: 900_000) }, { OriginEntity(one).reply(to: $0) }])
            await bench.completes(try bench.assignment("/x.bin", name: "x"), as: "x")
            #expect(try bench.file("x") == one)
            #expect(
                bench.origin.requests.map(\.path) == ["/x.bin", "/one.bin", "/x.bin", "/two.bin", "/one.bin"])
            #expect(bench.origin.requests.last?["range"] == "bytes=900000-")
        }
    }

    @Test func `it is carried on there however often it is cut`() async throws {
        try await Bench.run { bench in
            try choose(bench)
            bench.origin.on("/one.bin") { OriginEntity(one).reply(to: $0).cut(after: 300_000) }
            await bench.completes(try bench.assignment("/x.bin", name: "x"), as: "x")
            #expect(try bench.file("x") == one)
        }
    }

    @Test(arguments: [404, 302, 200])
    func `a mirror that gives no more leaves the file to the next, from its beginning`(status: Int) async throws {
        try await Bench.run { bench in
            try choose(bench)
            bench.origin.script(
                "/one.bin",
                [
                    { OriginEntity(one).reply(to: $0).cut(after: 900_000) },
                    { _ in
                        switch status {
                        case 302: .redirect(302, to: "/x.bin")
                        case 200: OriginReply(200, [("ETag", "\"v1\"")], body: Array(one.prefix(1000)))
                        default: OriginReply(status)
                        }
                    },
                ])
            let end = await bench.run(try bench.assignment("/x.bin", name: "x"))
            #expect(end == .completed(path: bench.path("x")))
            #expect(try bench.file("x") == two)
        }
    }

    @Test func `ranges beside each other all come from where the first began`() async throws {
        try await Bench.run { bench in
            let gate = OriginGate()
            try choose(bench)
            bench.origin.on("/one.bin") { request in
                if request["range"]?.hasPrefix("bytes=0-") ?? true {
                    return OriginEntity(one).reply(to: request).holding(at: gate, after: 500_000)
                }
                gate.open()
                return OriginEntity(one).reply(to: request)
            }
            let end = await bench.run(try bench.assignment("/x.bin", name: "x") { $0.rangesMax = 3 })
            gate.open()
            #expect(end == .completed(path: bench.path("x")))
            #expect(try bench.file("x") == one)
            let ranges = bench.origin.requests.filter { $0.path == "/one.bin" }.compactMap { $0["range"] }
            #expect(ranges.contains { !$0.hasPrefix("bytes=0-") }, "\(ranges)")
        }
    }

    /// What the second mirror answers the request for the rest with.
    enum Other: String, CaseIterable { case sameTag, ownTag, noRanges, notFound, busy, unsatisfied, page, dead }

    @Test(arguments: Other.allCases, [false, true])
    func `whatever another mirror answers, the first is asked for the rest`(other: Other, isSure: Bool) async throws {
        try await Bench.run { bench in
            try choose(bench)
            bench.origin.script(
                "/one.bin",
                [{ OriginEntity(one).reply(to: $0).cut(after: 900_000) }, { OriginEntity(one).reply(to: $0) }])
            bench.origin.on("/two.bin") { request in
                switch other {
                case .sameTag: return OriginEntity(two).reply(to: request)
                case .ownTag: return OriginEntity(two, entityTag: "\"own\"").reply(to: request)
                case .noRanges: return OriginReply(200, [("ETag", "\"v1\"")], body: two)
                case .notFound: return OriginReply(404)
                case .busy: return OriginReply(503, [("Retry-After", "1")])
                case .unsatisfied: return OriginReply(416, [("Content-Range", "bytes */\(two.count)")])
                case .page: return OriginReply(200, [("Content-Type", "text/html")], body: Array("<html>".utf8))
                case .dead: return OriginReply(steps: [.reset])
                }
            }
            let digest = isSure ? PieceTests.sha256(one[...]) : nil
            await bench.completes(try bench.assignment("/x.bin", name: "x", expected: digest), as: "x")
            #expect(try bench.file("x") == one)
        }
    }

    @Test(arguments: [false, true])
    func `a mirror that died leaves the file to the one that answers`(isSure: Bool) async throws {
        try await Bench.run { bench in
            inTurn(bench, { _ in .redirect(302, to: "/one.bin") }, { _ in .redirect(302, to: "/two.bin") })
            bench.origin.script(
                "/one.bin",
                [{ OriginEntity(one).reply(to: $0).cut(after: 900_000) }, { _ in OriginReply(steps: [.reset]) }])
            bench.origin.on("/two.bin") { OriginEntity(two).reply(to: $0) }
            let digest = isSure ? PieceTests.sha256(two[...]) : nil
            let ends = await bench.follow(try bench.assignment("/x.bin", name: "x", expected: digest))
            #expect(ends.last == .completed(path: bench.path("x")))
            #expect(try bench.file("x") == two)
        }
    }

    @Test func `with a digest, mirrors that cut in turn still give the file of the right one`() async throws {
        try await Bench.run { bench in
            inTurn(bench, { _ in .redirect(302, to: "/one.bin") }, { _ in .redirect(302, to: "/two.bin") })
            bench.origin.on("/one.bin") { OriginEntity(one).reply(to: $0).cut(after: 400_000) }
            bench.origin.on("/two.bin") { OriginEntity(two).reply(to: $0).cut(after: 400_000) }
            let digest = PieceTests.sha256(one[...])
            await bench.completes(try bench.assignment("/x.bin", name: "x", expected: digest), as: "x")
            #expect(try bench.file("x") == one)
        }
    }

    @Test func `what was put together on the word of a digest before a restart is fetched once more`() async throws {
        try await Bench.run { bench in
            bench.origin.on("/x.bin") { _ in .redirect(302, to: "/one.bin") }
            bench.origin.on("/one.bin") { OriginEntity(one).reply(to: $0) }
            let digest = PieceTests.sha256(one[...])
            var assignment = try bench.assignment("/x.bin", name: "x", expected: digest)
            var known = try bench.known("/one.bin", length: UInt64(one.count))
            known.source = assignment.url
            try bench.left(Array(one.prefix(500_000)) + two[500_000..<1_000_000], of: known, for: &assignment)
            await bench.completes(assignment, as: "x")
            #expect(try bench.file("x") == one)
        }
    }

    @Test func `a URL that took the place of another is asked alone, whatever it says`() async throws {
        try await Bench.run { bench in
            bench.origin.on("/two.bin") { OriginEntity(two).reply(to: $0) }
            bench.origin.on("/one.bin") { OriginEntity(one).reply(to: $0) }
            for entry in ["/two.bin", "/x.bin"] {
                bench.origin.on("/x.bin") { _ in .redirect(302, to: "/two.bin") }
                var assignment = try bench.assignment(entry, name: "x\(entry.count)")
                var known = try bench.known("/one.bin", length: UInt64(one.count))
                known.url = try bench.origin.url("/one.bin", host: "localhost")
                known.source = try bench.origin.url("/before.bin")
                try bench.left(Array(one.prefix(1_000_000)), of: known, for: &assignment)
                await bench.completes(assignment, as: "x\(entry.count)")
                #expect(try bench.file("x\(entry.count)") == two)
            }
            #expect(!bench.origin.requests.contains { $0.path == "/one.bin" })
        }
    }

    @Test(arguments: [["/k;key=one/x.bin", "/k;key=two/x.bin"], ["/get?file=one", "/get?file=two"]])
    func `a place is told from another by a secret in its path, and by its query`(places: [String]) async throws {
        try await Bench.run { bench in
            bench.origin.script(
                "/x.bin", [{ _ in .redirect(302, to: places[0]) }, { _ in .redirect(302, to: places[1]) }])
            let cut = Mutex(false)
            for path in Set(places.map { String($0.prefix { $0 != "?" }) }) {
                bench.origin.on(path) { request in
                    guard request.target == places[0] else { return OriginEntity(two).reply(to: request) }
                    let isFirst = cut.withLock { isCut in
                        defer { isCut = true }
                        return !isCut
                    }
                    return isFirst ? OriginEntity(one).reply(to: request).cut(after: 900_000) : OriginReply(404)
                }
            }
            await bench.completes(try bench.assignment("/x.bin", name: "x"), as: "x")
            #expect(try bench.file("x") == two)
        }
    }

    @Test func `a signed query is good for one request only`() async throws {
        try await Bench.run { bench in
            bench.origin.script(
                "/x.bin",
                [
                    { _ in .redirect(302, to: "/y.bin?expires=1&signature=a") },
                    { _ in .redirect(302, to: "/y.bin?expires=2&signature=b") },
                ])
            bench.origin.script(
                "/y.bin",
                [{ OriginEntity(one).reply(to: $0).cut(after: 900_000) }, { OriginEntity(one).reply(to: $0) }])
            await bench.completes(try bench.assignment("/x.bin", name: "x"), as: "x")
            #expect(try bench.file("x") == one)
            #expect(bench.origin.requests.count == 4)
        }
    }

    @Test func `a URL whose path holds a secret is carried on after a restart`() async throws {
        try await Bench.run { bench in
            bench.origin.on("/k;key=one/x.bin") { OriginEntity(one).reply(to: $0) }
            var assignment = try bench.assignment("/k;key=one/x.bin", name: "x")
            var known = try bench.known("/x.bin", length: UInt64(one.count))
            known.url = assignment.url.redacted
            try bench.left(Array(one.prefix(1_000_000)), of: known, for: &assignment)
            await bench.completes(assignment, as: "x")
            #expect(try bench.file("x") == one)
            #expect(bench.origin.requests.map { $0["range"] } == ["bytes=1000000-"])
        }
    }

    @Test func `a redirector that serves the file itself now and then is passed by`() async throws {
        try await Bench.run { bench in
            inTurn(bench, { _ in .redirect(302, to: "/one.bin") }, { OriginEntity(two).reply(to: $0) })
            bench.origin.on("/one.bin") { OriginEntity(one).reply(to: $0).cut(after: 300_000) }
            await bench.completes(try bench.assignment("/x.bin", name: "x") { $0.rangesMax = 1 }, as: "x")
            #expect(try bench.file("x") == one)
        }
    }

    @Test(arguments: [0, 100] as [Int64])
    func `a date that goes with the clock proves nothing`(secondsAhead: Int64) async throws {
        try await Bench.run { bench in
            let later = secondsAhead == 0 ? "Tue, 03 Mar 2026 10:00:00 GMT" : "Tue, 03 Mar 2026 10:01:40 GMT"
            bench.origin.script(
                "/x.bin",
                [
                    { request in
                        OriginEntity(one, entityTag: nil, lastModified: "Mon, 02 Mar 2026 10:00:00 GMT")
                            .reply(to: request).cut(after: 900_000)
                    },
                    { request in
                        var entity = OriginEntity(two, entityTag: nil, lastModified: later)
                        entity.obeysIfRange = false
                        return entity.reply(to: request)
                    },
                ])
            await bench.completes(try bench.assignment("/x.bin", name: "x"), as: "x")
            #expect(try bench.file("x") == two)
        }
    }

    @Test func `after a restart the place on record is asked, without what was the user's`() async throws {
        try await Bench.run { bench in
            try choose(bench, host: "localhost")
            bench.origin.script("/x.bin", [{ _ in .redirect(302, to: "/two.bin") }])
            bench.origin.on("/one.bin") { OriginEntity(one).reply(to: $0) }
            var assignment = try bench.assignment("/x.bin", name: "x")
            assignment.headers = [Assignment.Header(name: "X-Token", value: "hidden")]
            var known = try bench.known("/one.bin", length: UInt64(one.count))
            known.url = try bench.origin.url("/one.bin", host: "localhost")
            known.source = try bench.origin.url("/x.bin")
            try bench.left(Array(one.prefix(1_000_000)), of: known, for: &assignment)
            await bench.completes(assignment, as: "x")
            #expect(try bench.file("x") == one)
            let last = try #require(bench.origin.requests.last)
            #expect(last.path == "/one.bin" && last["range"] == "bytes=1000000-" && last["x-token"] == nil)
        }
    }
}
