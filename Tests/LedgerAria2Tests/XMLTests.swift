import LedgerAPI
import LedgerCoding
import LedgerModel
import LedgerTestSupport
import LedgerTransfer
import Testing

@testable import LedgerAria2

/// XML-RPC: the same methods and answers. What is expected was answered by aria2 1.36.0.
struct XMLTests {
    private static let start = #"<?xml version="1.0"?><methodResponse>"#

    private func call(_ method: String, _ parameters: String...) -> String {
        let values = parameters.map { "<param><value>\($0)</value></param>" }.joined()
        return #"<?xml version="1.0"?><methodCall><methodName>"# + method + "</methodName><params>" + values
            + "</params></methodCall>"
    }

    private func list(_ values: String...) -> String {
        "<array><data>" + values.map { "<value>\($0)</value>" }.joined() + "</data></array>"
    }

    private func fault(_ message: String) -> String {
        "<value><struct><member><name>faultCode</name><value><int>1</int></value></member><member><name>faultString"
            + "</name><value><string>\(message)</string></value></member></struct></value>"
    }

    private func answered(_ value: String) -> String {
        Self.start + "<params><param><value>\(value)</value></param></params></methodResponse>"
    }

    private func refused(_ message: String) -> String {
        Self.start + "<fault>\(fault(message))</fault></methodResponse>"
    }

    @Test func `methods are called, and answer, as aria2's do`() async throws {
        try await Aria2Fixture.run {
            $0.works = false
            $0.secrets = ["s": .admin]
        } _: { fixture in
            func ask(_ body: String) async -> String {
                let answer = await fixture.endpoint.answer(xml: body)
                #expect(answer.status == 200 && answer.contentType == "text/xml")
                return String(decoding: answer.body, as: UTF8.self)
            }
            let token = "<string>token:s</string>"
            let url = "http://127.0.0.1:9/a?b=1&amp;c=%3C"
            let options =
                "<struct><member><name>gid</name><value>ada2bbd1adca0c5a</value></member><member><name>pause</name>"
                + "<value><string>true</string></value></member></struct>"
            let gid = "<string>ada2bbd1adca0c5a</string>"
            #expect(await ask(call("aria2.addUri", token, list(url), options)) == answered(gid))
            let uris = list(
                "<struct><member><name>status</name><value><string>waiting</string></value></member><member><name>uri"
                    + "</name><value><string>\(url)</string></value></member></struct>")
            #expect(await ask(call("aria2.getUris", token, "ada2bbd1adca0c5a")) == answered(uris))
            let row = list("<struct><member><name>gid</name><value>\(gid)</value></member></struct>")
            let waiting = call("aria2.tellWaiting", token, "<int> 0 </int>", "<i4>10</i4>", list("gid"))
            #expect(await ask(waiting) == answered(row))
            let place = call("aria2.changePosition", token, "ada2", "<int>0</int>", "POS_SET")
            #expect(await ask(place) == answered("<int>0</int>"))
            let odd = call("aria2.tellWaiting", token, "<string>0</string>")
            #expect(await ask(odd) == refused("The parameter at 0 has wrong type."))
            #expect(await ask(call("aria2.nix", token)) == refused("No such method: aria2.nix"))
            let calls = list(
                "<struct><member><name>methodName</name><value>aria2.saveSession</value></member><member><name>params"
                    + "</name><value>\(list(token))</value></member></struct>",
                "<struct><member><name>methodName</name><value>aria2.nix</value></member><member><name>params"
                    + "</name><value>\(list(token))</value></member></struct>")
            let both =
                "<array><data><value>" + list("<string>OK</string>") + "</value>" + fault("No such method: aria2.nix")
                + "</data></array>"
            #expect(await ask(call("system.multicall", calls)) == answered(both))
        }
    }

    @Test func `a secret that is wrong is refused as slowly as in JSON`() async throws {
        let clock = ManualClock(Timestamp(milliseconds: 1_800_000_000_000))
        try await Aria2Fixture.run {
            $0.works = false
            $0.secrets = ["s": .admin]
            $0.world = .timed(by: clock)
        } _: { fixture in
            let start = clock.uptime()
            let answer = await clock.passes {
                await fixture.endpoint.answer(xml: call("aria2.getVersion", "token:x"))
            }
            #expect(String(decoding: answer.body, as: UTF8.self) == refused("Unauthorized"))
            #expect(clock.uptime() - start >= Aria2Endpoint.refusalPause)
        }
    }

    @Test func `what is no call has a status alone`() async throws {
        try await Aria2Fixture.run {
            $0.works = false
        } _: { fixture in
            let deep = String(repeating: "<value><array><data>", count: 10_000)
            let entity = #"<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/hosts">]><methodCall/>"#
            let wide = (0...256).map { "<member><name>\($0)</name><value/></member>" }.joined()
            for body in [
                "", "<methodCall><meth", "{}", "<methodResponse/>", entity, call("a", deep),
                call("a", "<struct>\(wide)</struct>"), call("a", "<int>one</int>"), call("a", "<int/><int/>"),
                call("a", "<double>inf</double>"), call("a", "<boolean>2</boolean>"), call("a", "<word>a</word>"),
                call("a", "<array><value/></array>"), call("a") + call("a"),
                "<methodCall><methodName>a</methodName><methodName>b</methodName></methodCall>",
            ] {
                let answer = await fixture.endpoint.answer(xml: body)
                #expect(answer.status == 400 && answer.body == [], "\(body.prefix(80))")
            }
        }
    }

    @Test func `every type is read, and texts as they stand`() throws {
        let body = call(
            "m", " a\n<!-- no --> &lt;<![CDATA[&amp;]]>", "<string/>", "", "<base64>QUJD\n REVG</base64>", "<nil/>",
            "<i8>-9223372036854775808</i8>", "<double>1.5</double>", "<boolean>1</boolean>",
            "<dateTime.iso8601>20261130T00:00:00</dateTime.iso8601>", "<array><data/></array>", "<struct/>")
        #expect(
            try XMLCall(Array(body.utf8)).parameters == [
                " a\n <&amp;", "", "", "QUJDREVG", .null, .int(.min), .double(1.5), true, "20261130T00:00:00",
                .array([]), .object([:]),
            ])
    }

    @Test func `what XML can not hold is replaced, and every other value reads again`() throws {
        func value(_ text: String) -> JSONValue {
            ["a<&>": ["\r\n\t", .int(-1), .bool(false), .double(2.5), .null, .string(text)]]
        }
        let response = XMLResponse(value("\u{1}\u{FFFF}\u{1F600}"), isOfCalls: false)
        let text = String(decoding: response.bytes, as: UTF8.self)
        let again = try XMLCall(Array(text.replacing("methodResponse>", with: "methodCall>").utf8))
        #expect(again.parameters == [value("\u{FFFD}\u{FFFD}\u{1F600}")])
    }

    @Test func `an answer that is too long says so`() async throws {
        try await Aria2Fixture.run {
            $0.works = false
            $0.answerBytesMax = 16_000
        } _: { fixture in
            for number in 1...20 { _ = try await fixture.add("/file-\(number)") }
            let answer = await fixture.endpoint.answer(xml: call("aria2.tellWaiting", "<int>0</int>", "<int>20</int>"))
            #expect(String(decoding: answer.body, as: UTF8.self) == refused(Fault.tooLong(bytesMax: 2000).message))
            let fewer = await fixture.endpoint.answer(xml: call("aria2.tellWaiting", "<int>0</int>", "<int>1</int>"))
            #expect(String(decoding: fewer.body, as: UTF8.self).contains("/file-1</string>"))
        }
    }
}
