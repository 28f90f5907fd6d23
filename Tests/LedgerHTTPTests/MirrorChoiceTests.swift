import LedgerModel
import LedgerTestSupport
import LedgerTransfer
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

    @Test func `after a restart the place on record is asked, without what was the user's`() async throws {
        try await Bench.run { bench in
            try choose(bench, host: "localhost")
            bench.origin.script("/x.bin", [{ _ in .redirect(302, to: "/two.bin") }])
            bench.origin.on("/one.bin") { OriginEntity(one).reply(to: $0) }
            var assignment = try bench.assignment("/x.bin", name: "x")
            assignment.headers = [Assignment.Header(name: "X-Token", value: "hidden")]
            var known = try bench.known("/one.bin", length: UInt64(one.count))
            known.url = try bench.origin.url("/one.bin", host: "localhost")
            try bench.left(Array(one.prefix(1_000_000)), of: known, for: &assignment)
            await bench.completes(assignment, as: "x")
            #expect(try bench.file("x") == one)
            let last = try #require(bench.origin.requests.last)
            #expect(last.path == "/one.bin" && last["range"] == "bytes=1000000-" && last["x-token"] == nil)
        }
    }
}
