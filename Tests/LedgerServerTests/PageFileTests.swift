import LedgerTestSupport
import Testing

@testable import LedgerServer

/// The page and its parts, as a browser gets them.
@Suite(.timeLimit(.minutes(30))) struct PageFileTests {
    @Test func `every part that the service worker keeps is served, and the page may do nothing but what is written`()
        async throws
    {
        try await ServerFixture.run(
            .with {
                $0.works = false
            }
        ) { fixture in
            let worker = try await fixture.ask("GET", "/app/worker.js").text
            let list = try #require(worker.split(separator: "];").first)
            let names = list.split(separator: "\"").filter { $0.hasSuffix(".js") || $0.hasSuffix(".css") }
            #expect(names.count > 30)
            for path in ["/"] + names.map({ "/app/\($0)" }) {
                let answer = try await fixture.ask("GET", path)
                #expect(answer.status == 200, "\(path)")
                #expect(answer["x-content-type-options"] == "nosniff", "\(path)")
                let policy = answer["content-security-policy"] ?? ""
                #expect(policy.hasPrefix("default-src 'self';") && !policy.contains("unsafe"), "\(path)")
                #expect(policy.contains("frame-ancestors 'none'"), "\(path)")
            }
            #expect(try await fixture.ask("GET", "/app/../openapi.json").status == 404)
            #expect(try await fixture.ask("GET", "/app/none.js").status == 404)
        }
    }

    /// What is written into a page by the text of a script or a style would be what the policy keeps out.
    @Test func `no part makes a page out of text, or brings a script or a style inline`() async throws {
        try await ServerFixture.run(
            .with {
                $0.works = false
            }
        ) { fixture in
            let worker = try await fixture.ask("GET", "/app/worker.js").text
            for name in worker.split(separator: "\"") where name.hasSuffix(".js") {
                let text = try await fixture.ask("GET", "/app/\(name)").text
                for word in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function"]
                {
                    #expect(!text.contains(word), "\(name): \(word)")
                }
            }
            let page = try await fixture.ask("GET", "/").text
            #expect(!page.contains("<style") && !page.contains(" style=") && !page.contains("onclick"))
        }
    }
}
