import LedgerAPI
import LedgerCoding
import LedgerEngine
import LedgerHolder
import LedgerModel
import LedgerTestSupport
import Testing

@testable import LedgerServer

/// No client makes the server ask what only it can reach (SSRF).
@Suite(.timeLimit(.minutes(30))) struct PrivateNetworkTests {
    private static let place = "https://files.example.org/f.bin"

    private func refused(_ answer: Answer, _ what: String) throws {
        #expect(
            answer.status == 422 && answer["content-type"] == "application/problem+json", "\(what): \(answer.status)")
        #expect(try ["bad-url", "usage"].contains(answer.json["code"]?.text), "\(what)")
    }

    @Test(arguments: [
        "127.0.0.1", "127.1", "2130706433", "0x7f000001", "017700000001", "0", "localhost", "LOCALHOST.", "a.localhost",
        "169.254.169.254", "[::ffff:169.254.169.254]", "0xa9fea9fe", "10.0.0.1", "192.168.1.1", "172.16.0.1",
        "100.64.0.1", "[::1]", "[::]", "[::ffff:127.0.0.1]", "[64:ff9b::7f00:1]", "[fe80::1]", "[fd00::1]",
    ])
    func `an address inside is refused wherever a client names one`(host: String) async throws {
        try await ServerFixture.run(.with { $0.server = { $0.allowsPrivateAddresses = false } }) { fixture in
            fixture.origin.otherwise { OriginEntity([1]).reply(to: $0) }
            let url = JSONValue.string("http://\(host):\(fixture.origin.port)/latest/meta-data/")
            let add = { (form: JSONValue) in try await fixture.ask("POST", "/v1/downloads", form) }
            try refused(try await add(["url": url]), "url")
            try refused(try await add(url), "a text")
            try refused(try await add(["url": .string(Self.place), "mirror": [url]]), "mirror")
            try refused(try await add(["url": .string(Self.place), "checksumFile": url]), "checksumFile")
            try refused(try await add(["url": .string(Self.place), "proxy": url]), "proxy")
            for kind in ["feeds", "catalogs"] {
                try refused(try await fixture.ask("POST", "/v1/\(kind)", ["url": url]), kind)
            }
            let id = try await fixture.add(["url": .string(Self.place), "paused": true])
            try refused(try await fixture.ask("PATCH", "/v1/downloads/\(id)", ["url": url]), "change")
            #expect(try await fixture.ask("GET", "/v1/downloads/\(id)").json["url"]?.text == Self.place)
            let call: JSONValue = ["jsonrpc": "2.0", "id": "1", "method": "aria2.addUri", "params": [[url]]]
            _ = try await fixture.ask("POST", "/jsonrpc", call)
            #expect(try await fixture.downloadCount == 1)
            #expect(fixture.origin.connectionCount == 0)
        }
    }

    @Test func `files of this machine are no URLs`() async throws {
        try await ServerFixture.run { fixture in
            for url in [
                "/etc/passwd", "file:///etc/passwd", "FILE:/etc/passwd", "gopher://127.0.0.1/", "ftp://127.0.0.1/x",
            ] {
                for path in ["/v1/downloads", "/v1/feeds", "/v1/catalogs"] {
                    let answer = try await fixture.ask("POST", path, ["url": .string(url)])
                    #expect(answer.status == 422 && !answer.text.contains("root:"), "\(path) \(url)")
                }
            }
            // Names of such files are no members either.
            for member in ["cacert", "cert", "key", "loadCookies", "inputFile", "netrc"] {
                let form: JSONValue = ["url": .string(Self.place), member: "/etc/passwd"]
                #expect(try await fixture.ask("POST", "/v1/downloads", form).status == 400, "\(member)")
            }
        }
    }

    @Test(arguments: [
        "http://127.0.0.1:PORT/inside", "http://localhost:PORT/inside", "http://169.254.169.254/inside",
        "//127.0.0.1:PORT/inside", "http://[::1]:PORT/inside", "http://2130706433:PORT/inside",
    ])
    func `a public place that leads inside is followed no further`(location: String) async throws {
        let origin = try await OriginServer.start()
        // The proxy of the configuration, which is trusted, stands for the network outside.
        let proxy = try origin.url("").text
        let port = "\(origin.port)"
        origin.otherwise { request in
            guard request.path == "/f.bin" else { return OriginEntity([1]).reply(to: request) }
            return OriginReply.redirect(302, to: location.replacing("PORT", with: port))
        }
        try await ServerFixture.run(
            .with {
                $0.server = { $0.allowsPrivateAddresses = false }
                $0.service.own.http = proxy
            }
        ) { fixture in
            let id = try await fixture.fetch([["url": "http://files.example.org/f.bin"]])[0]
            let row = try await fixture.ask("GET", "/v1/downloads/\(id)").json
            #expect(row["state"] == "failed" && row["error"]?["code"] == "redirect")
            #expect(origin.requests.map(\.path) == ["/f.bin"])
        }
        try await origin.stop()
    }

    @Test func `with the door opened, private addresses may be reached`() async throws {
        try await ServerFixture.run { fixture in
            fixture.origin.serve("/f.bin", OriginEntity([1, 2]))
            let id = try await fixture.fetch([["url": .string(try fixture.url("/f.bin"))]])[0]
            #expect(try await fixture.ask("GET", "/v1/downloads/\(id)").json["state"] == "completed")
        }
    }
}
