import LedgerCoding
import LedgerServer
import LedgerTestSupport
import Testing

/// Where aria2's endpoint is, and where it is not.
struct Aria2PathTests {
    @Test func `it answers at its very path alone, as aria2 does`() async throws {
        try await ServerFixture.run { fixture in
            let call: JSONValue = ["jsonrpc": "2.0", "id": "1", "method": "system.listNotifications"]
            for (path, status) in [
                ("/jsonrpc", 200), ("/jsonrpc?a=1", 200), ("/jsonrpc/", 404), ("/jsonrpc//", 404), ("//jsonrpc", 404),
                ("/jsonrpc/?a=1", 404),
            ] {
                let posted = try await fixture.ask("POST", path, call)
                #expect(posted.status == status, "POST \(path)")
                let query = path.contains("?") ? "&" : "?"
                let asked = path + query + "method=system.listNotifications&id=1"
                let got = try await fixture.ask("GET", asked)
                #expect(got.status == status, "GET \(path)")
            }
            let xml = Array("<methodCall><methodName>system.listNotifications</methodName></methodCall>".utf8)
            for (path, status) in [("/rpc", 200), ("/rpc/", 404), ("//rpc", 404)] {
                let posted = try await fixture.ask("POST", path, bytes: xml)
                #expect(posted.status == status, "POST \(path)")
            }
            let answer = try await fixture.ask("POST", "/rpc", bytes: xml)
            #expect(answer["content-type"] == "text/xml")
            #expect(answer.text.hasPrefix(#"<?xml version="1.0"?><methodResponse><params>"#))
            #expect(try await fixture.ask("POST", "/rpc", bytes: [1]).status == 400)
            #expect(try await fixture.ask("GET", "/rpc").status == 405)
        }
    }
}
