import LedgerCoding
import LedgerEngine
import LedgerHolder
import LedgerModel
import LedgerTestSupport
import Synchronization
import Testing

@testable import LedgerAria2

/// How requests come and how answers leave: bodies, lists, queries, scripts.
struct FormTests {
    private func text(_ answer: Aria2Answer) -> String { String(decoding: answer.body, as: UTF8.self) }

    @Test func `a body is a call, or a list of them, whatever its id is`() async throws {
        try await Aria2Fixture.run {
            $0.works = false
        } _: { fixture in
            func answer(_ body: String) async -> (Int, String) {
                let answer = await fixture.endpoint.answer(Array(body.utf8))
                #expect(answer.contentType == "application/json-rpc")
                return (answer.status, text(answer))
            }
            let invalid = #"{"id":null,"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid Request."}}"#
            let unread = #"{"id":null,"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error."}}"#
            let wrong = #""jsonrpc":"2.0","error":{"code":-32602,"message":"Invalid params."}}"#
            let saved = #""jsonrpc":"2.0","result":"OK"}"#
            for (body, status, expected) in [
                ("{bad", 500, unread), ("", 500, unread), ("\u{feff}[]", 500, unread),
                (String(repeating: "[", count: 100_000), 500, unread), ("[]", 200, "[]"), ("[5,[],null]", 200, "[]"),
                ("5", 400, invalid), ("null", 400, invalid), (#"{"method":"aria2.saveSession"}"#, 400, invalid),
                (#"{"id":1}"#, 400, invalid.replacing("null", with: "1")),
                (#"{"id":1,"method":5}"#, 400, invalid.replacing("null", with: "1")),
                (#"{"id":1,"method":"aria2.saveSession","params":{}}"#, 500, #"{"id":1,"# + wrong),
                (#"{"id":"a/\"b","method":"aria2.saveSession"}"#, 200, #"{"id":"a\/\"b","# + saved),
                (#"{"id":null,"method":"aria2.saveSession","params":[]}"#, 200, #"{"id":null,"# + saved),
                (#"{"id":1.5,"method":"aria2.saveSession"}"#, 200, #"{"id":1.5,"# + saved),
                (#"[{"id":1,"method":"aria2.saveSession"},{}]"#, 200, #"[{"id":1,"# + saved + "," + invalid + "]"),
            ] {
                let found = await answer(body)
                #expect(found == (status, expected), "\(body.prefix(60))")
            }
        }
    }

    @Test func `a query is a call, too, and may ask for a script`() async throws {
        try await Aria2Fixture.run {
            $0.works = false
        } _: { fixture in
            func ask(_ query: (name: String, value: String)...) async -> (Int, String, String) {
                let answer = await fixture.endpoint.answer(query: query)
                return (answer.status, answer.contentType, text(answer))
            }
            let (json, script) = ("application/json-rpc", "text/javascript")
            let saved = #"{"id":"7","jsonrpc":"2.0","result":"OK"}"#
            let zz = #"{"id":"7","jsonrpc":"2.0","error":{"code":1,"message":"Invalid GID zz"}}"#
            let status = (name: "method", value: "aria2.tellStatus")
            let save = (name: "method", value: "aria2.saveSession")
            let id = (name: "id", value: "7")
            #expect(await ask(save, id) == (200, json, saved))
            #expect(await ask(save, id, ("jsoncallback", "a.b$_[0]")) == (200, script, "a.b$_[0](\(saved))"))
            #expect(await ask(status, id, ("params", "WyJ6eiJd")) == (400, json, zz))
            #expect(await ask(status, id, ("params", "WyJ6eiJd"), ("jsoncallback", "f")) == (400, script, "f(\(zz))"))
            #expect(await ask(("params", "W10=")) == (200, json, "[]"))
            #expect(await ask(("params", "W10")) == (200, json, "[]"), "without what fills it up")
            // A plus that has become a space on its way: ["~~~>>>"].
            #expect(await ask(status, id, ("params", "WyJ+fn4+Pj4iXQ==")).2.contains("Invalid GID ~~~>>>"))
            #expect(await ask(status, id, ("params", "WyJ fn4 Pj4iXQ==")).2.contains("Invalid GID ~~~>>>"))
            #expect(await ask().0 == 400)
            #expect(await ask(id).0 == 400)
            #expect(await ask(save).0 == 400)
            #expect(await ask(save, id, ("params", "!")).0 == 500)
            for name in ["", "alert(1);f", "f\n", "</script>", "f g", "é"] {
                let refused = await ask(save, id, ("jsoncallback", name))
                #expect(refused.0 == 400 && refused.1 == json && !refused.2.contains("OK"), "\(name)")
            }
        }
    }

    @Test func `a text is escaped as aria2 does it`() {
        var bytes: [UInt8] = []
        let text = "/\"\\\u{8}\t\n\u{c}\r\u{1}\u{1f}é\u{1f600}"
        WireValue.object(of: [("b", .text(text)), ("a", .list([.number(-1), .count(UInt64.max)]))]).write(to: &bytes)
        let expected = #"{"a":[-1,"18446744073709551615"],"b":"\/\"\\\b\t\n\f\r\u0001\u001Fé😀"}"#
        #expect(String(decoding: bytes, as: UTF8.self) == expected)
    }

    @Test func `the program ends three seconds after it is told to`() async throws {
        let clock = ManualClock(Timestamp(milliseconds: 1_800_000_000_000))
        try await Aria2Fixture.run { wishes in
            wishes.works = false
            wishes.world = .timed(by: clock)
        } _: { fixture in
            for method in ["aria2.shutdown", "aria2.forceShutdown"] {
                let sleepers = clock.sleeperCount
                let answer = try await fixture.call(method)
                #expect(answer == "OK")
                await clock.untilSleepers(sleepers + 1)
                let before = fixture.endings.told.withLock { $0 }
                clock.advance(by: .milliseconds(2999))
                #expect(fixture.endings.told.withLock { $0 } == before)
                clock.advance(by: .milliseconds(1))
                while fixture.endings.told.withLock({ $0 }) == before { await Task.yield() }
                #expect(fixture.endings.told.withLock { $0 } == before + 1)
            }
        }
    }
}
