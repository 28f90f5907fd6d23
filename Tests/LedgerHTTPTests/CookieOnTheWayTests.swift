import LedgerModel
import LedgerTestSupport
import LedgerTransfer
import Testing

/// Cookies that redirects set: the place they lead to may ask for them.
struct CookieOnTheWayTests {
    private let body = OriginEntity.pattern(2_000_000)

    /// A page that sets a cookie, and a file that is served to who has it.
    private func serve(on bench: Bench, from page: String, to file: String, setting cookie: String) {
        let entity = OriginEntity(body)
        bench.origin.on(page) { request in
            if page == file, request["cookie"]?.contains("sess=42") ?? false { return entity.reply(to: request) }
            let cookies = [cookie, "other=1; Path=/else"].map { ("Set-Cookie", $0) }
            return OriginReply(302, [("Location", file)] + cookies)
        }
        guard page != file else { return }
        bench.origin.on(file) { request in
            let has = request["cookie"].map { $0.split(separator: "; ").contains("sess=42") } ?? false
            return has ? entity.reply(to: request) : OriginReply(403)
        }
    }

    @Test(arguments: [("/a", "/b", UInt32(1)), ("/a", "/b", 4), ("/a", "/a", 1)])
    func `what a redirect sets goes along to where it leads`(page: String, file: String, ranges: UInt32) async throws {
        try await Bench.run { bench in
            serve(on: bench, from: page, to: file, setting: "sess=42; Path=/; HttpOnly")
            let assignment = try bench.assignment(page, name: "x") { ($0.retriesMax, $0.rangesMax) = (0, ranges) }
            await bench.completes(assignment, as: "x")
            #expect(try bench.file("x") == body)
            #expect(bench.origin.requests.allSatisfy { !($0["cookie"]?.contains("other") ?? false) })
        }
    }

    @Test func `it takes the place of what the user gave under its name, and of nothing else`() async throws {
        try await Bench.run { bench in
            serve(on: bench, from: "/a", to: "/b", setting: "sess=42; Path=/")
            var assignment = try bench.assignment("/a", name: "x") { $0.retriesMax = 0 }
            assignment.headers = [Assignment.Header(name: "Cookie", value: "sess=1; own=2")]
            await bench.completes(assignment, as: "x")
            #expect(bench.origin.requests.map { $0["cookie"] } == ["sess=1; own=2", "own=2; sess=42"])
        }
    }

    @Test func `what is taken back is not sent, and what the user gave stays`() async throws {
        try await Bench.run { bench in
            bench.origin.on("/a") { _ in
                OriginReply(302, [("Location", "/b"), ("Set-Cookie", "sid=gone; Max-Age=0; Path=/")])
            }
            bench.origin.on("/b") { OriginEntity(body).reply(to: $0) }
            var assignment = try bench.assignment("/a", name: "x") { ($0.retriesMax, $0.rangesMax) = (0, 1) }
            assignment.headers = [Assignment.Header(name: "Cookie", value: "sid=good; x=1")]
            await bench.completes(assignment, as: "x")
            #expect(bench.origin.requests.allSatisfy { $0["cookie"] == "sid=good; x=1" })
        }
    }

    @Test func `two that set a cookie each, and redirect to each other, are a circle`() async throws {
        try await Bench.run { bench in
            for (page, other, cookie) in [("/a", "/b", "a=1"), ("/b", "/a", "b=1")] {
                bench.origin.on(page) { _ in
                    OriginReply(302, [("Location", other), ("Set-Cookie", cookie + "; Path=/")])
                }
            }
            let end = await bench.run(try bench.assignment("/a", name: "x") { $0.retriesMax = 0 })
            #expect(end.failure?.message.contains("in a circle") == true && bench.origin.requests.count <= 4, "\(end)")
        }
    }

    @Test func `a circle stays one, whatever it sets the first time`() async throws {
        try await Bench.run { bench in
            bench.origin.on("/a") { _ in OriginReply(302, [("Location", "/a"), ("Set-Cookie", "sess=1; Path=/")]) }
            let end = await bench.run(try bench.assignment("/a", name: "x") { $0.retriesMax = 0 })
            #expect(end.failure?.code == .redirect && bench.origin.requests.count == 2)
        }
    }
}
