import LedgerCoding
import LedgerTestSupport
import Testing

@testable import LedgerServer

/// What origins and clients bring along runs nothing in a browser that looks at it here.
@Suite(.timeLimit(.minutes(30))) struct StoredScriptTests {
    private static let script = "<script>alert(1)</script>"

    @Test func `script in names and titles comes back as JSON that no browser takes for a page`() async throws {
        try await ServerFixture.run(.idle) { fixture in
            let id = try await fixture.addPaused(
                "/" + Self.script,
                [
                    "title": .string(Self.script), "details": .string(Self.script), "group": .string(Self.script),
                    "tags": [.string(Self.script)], "output": .string("<img src=x onerror=alert(1)>.html"),
                ])
            let paths = [
                "/v1/downloads", "/v1/downloads/\(id)", "/v1/downloads/\(id)/explain", "/v1/events", "/v1/state",
                "/v1/diff?from=0&to=1", "/v1/stats", "/v1/library", "/v1/groups", "/v1/storage", "/v1/status",
                "/v1/downloads?state=\(Self.script)", "/v1/\(Self.script)", "/files/\(id)",
                "/v1/downloads?\(Self.script)=1",
                "/healthz", "/readyz", "/metrics", "/v1/openapi.json", "/jsonrpc?method=\(Self.script)&id=1",
            ]
            let types = [
                "application/json", "application/problem+json", "application/x-ndjson", "text/plain",
                "application/json-rpc",
            ]
            for path in paths {
                let answer = try await fixture.ask("GET", path)
                let type = answer["content-type"]?.split(separator: ";").first.map(String.init) ?? ""
                #expect(types.contains(type), "\(path): \(type)")
                #expect(answer["x-content-type-options"] == "nosniff", "\(path)")
            }
            #expect(try await fixture.ask("GET", "/v1/downloads/\(id)").json["title"]?.text == Self.script)
        }
    }

    @Test func `a function's name in a query of aria2's is a name or nothing`() async throws {
        try await ServerFixture.run { fixture in
            let asked = "/jsonrpc?method=aria2.getVersion&id=1&jsoncallback="
            #expect(try await fixture.ask("GET", asked + "go").text.hasPrefix("go("))
            for name in ["alert(1)//", "%3Cscript%3E", "a;b", "a%0Ab", ""] {
                let answer = try await fixture.ask("GET", asked + name)
                #expect(answer.status == 400 && !answer.text.contains("alert"), "\(name)")
                #expect(answer["x-content-type-options"] == "nosniff")
            }
        }
    }

    @Test(arguments: [
        ("text/html", "f.html"), ("text/html; charset=utf-8", "f.mp4"), ("image/svg+xml", "f.svg"),
        ("text/xml", "f.xml"),
        ("application/xhtml+xml", "f.xhtml"), ("application/javascript", "f.js"), ("text/css", "f.css"),
        ("application/octet-stream", "f.html"), ("application/octet-stream", "f.svg"), ("text/plain", "f.txt"),
        ("multipart/x-mixed-replace", "f.bin"), ("application/pdf+html", "f.pdf.html"), ("video", "f.htm"),
    ])
    func `a file that could run something is handed out to be kept, and runs nothing`(
        type: String, name: String
    ) async throws {
        try await ServerFixture.run { fixture in
            var entity = OriginEntity(Array(Self.script.utf8))
            entity.mediaType = type
            fixture.origin.serve("/\(name)", entity)
            let id = try await fixture.fetch([["url": .string(try fixture.url("/\(name)"))]])[0]
            for fields in [[], [("Accept", "text/html")], [("Range", "bytes=0-10")]] {
                let answer = try await fixture.ask("GET", "/files/\(id)", fields)
                #expect([200, 206].contains(answer.status))
                #expect(answer["content-type"] == "application/octet-stream")
                #expect(answer["content-disposition"]?.hasPrefix("attachment; filename=\"\(name)\"") == true)
                #expect(answer["x-content-type-options"] == "nosniff")
                #expect(answer["content-security-policy"]?.hasPrefix("sandbox; default-src 'none'") == true)
            }
        }
    }

    @Test func `a name can break no line of a head, nor out of its quotes`() async throws {
        try await ServerFixture.run { fixture in
            let names = [
                "UTF-8''a%0D%0AX-Evil%3A%201%0D%0A%0D%0A%3Cscript%3E.mp4",
                "UTF-8''a%22%3B%20filename%3Dx.html%3B%20b%22.mp4",
                "UTF-8''%5C%22.mp4", "UTF-8''%E2%80%AEgpj.mp4", "UTF-8''f%C3%BCr%20%E6%97%A5.mp4",
            ]
            for (number, name) in names.enumerated() {
                var entity = OriginEntity([1, 2, 3])
                entity.mediaType = "video/mp4"
                entity.fields = [("Content-Disposition", "attachment; filename*=\(name)")]
                fixture.origin.serve("/\(number)", entity)
            }
            let ids = try await fixture.fetch(try names.indices.map { ["url": .string(try fixture.url("/\($0)"))] })
            for id in ids {
                let answer = try await fixture.ask("GET", "/files/\(id)")
                #expect(answer.status == 200 && answer.body == [1, 2, 3] && answer["x-evil"] == nil)
                let value = try #require(answer["content-disposition"])
                // One plain name in quotes, one encoded, and nothing else.
                let parts = value.split(separator: "\"", omittingEmptySubsequences: false)
                #expect(parts.count == 3 && parts[0] == "inline; filename=", "\(value)")
                #expect(parts[2].hasPrefix("; filename*=UTF-8''"), "\(value)")
                let safe = parts[2].dropFirst("; filename*=UTF-8''".count).utf8.allSatisfy { byte in
                    byte < 128
                        && (Character(Unicode.Scalar(byte)).isLetter || Character(Unicode.Scalar(byte)).isNumber
                            || "-._%".utf8.contains(byte))
                }
                #expect(safe, "\(value)")
                #expect(value.unicodeScalars.allSatisfy { $0.value >= 32 && $0.value < 127 }, "\(value)")
            }
            let last = try await fixture.ask("GET", "/files/\(ids[4])")
            #expect(
                last["content-disposition"]
                    == "inline; filename=\"f_r _.mp4\"; filename*=UTF-8''f%C3%BCr%20%E6%97%A5.mp4")
        }
    }
}
