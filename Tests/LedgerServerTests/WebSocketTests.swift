import LedgerAPI
import LedgerCoding
import LedgerTestSupport
import Testing

@testable import LedgerServer

/// WebSockets, frame by frame: what RFC 6455 does not allow ends the connection with a code that says so.
@Suite(.timeLimit(.minutes(30))) struct WebSocketTests {
    private static let call = SocketFrame.text(#"{"jsonrpc":"2.0","id":"x","method":"aria2.getSessionInfo"}"#)

    /// Something that is not allowed.
    struct Offence: CustomTestStringConvertible {
        let name: String
        let frames: [SocketFrame]
        let code: UInt16

        init(_ name: String, _ code: UInt16, _ frames: SocketFrame...) {
            (self.name, self.frames, self.code) = (name, frames, code)
        }

        var testDescription: String { name }
    }

    private static func part(_ opcode: UInt8, _ payload: [UInt8] = [0x22], isLast: Bool = false) -> SocketFrame {
        SocketFrame(opcode: opcode, payload: payload, bits: isLast ? 0x80 : 0)
    }

    static let offences = [
        Offence("unmasked", 1002, SocketFrame(opcode: 1, payload: [0x22], isMasked: false)),
        Offence("an unmasked ping", 1002, SocketFrame(opcode: 9, isMasked: false)),
        Offence("RSV1", 1002, SocketFrame(opcode: 1, payload: [0x22], bits: 0xc0)),
        Offence("RSV2", 1002, SocketFrame(opcode: 9, bits: 0xa0)),
        Offence("RSV3 in a continuation", 1002, part(1), SocketFrame(opcode: 0, bits: 0x90)),
        Offence("an opcode of no meaning", 1002, SocketFrame(opcode: 3)),
        Offence("a control opcode of no meaning", 1002, SocketFrame(opcode: 11)),
        Offence("a lone continuation", 1002, part(0, isLast: true)),
        Offence("a continuation of what is whole", 1002, SocketFrame(opcode: 2, payload: []), part(0)),
        Offence("a text within a text", 1002, part(1), part(1, isLast: true)),
        Offence("a long ping", 1002, SocketFrame(opcode: 9, payload: [UInt8](repeating: 1, count: 126))),
        Offence("a long close", 1002, SocketFrame.close(1000, [UInt8](repeating: 0x61, count: 124))),
        Offence("a ping in parts", 1002, part(9)), Offence("half a code", 1002, SocketFrame(opcode: 8, payload: [3])),
        Offence("a code that is never sent", 1002, .close(1005)), Offence("a code below all", 1002, .close(999)),
        Offence("a code of nobody", 1002, .close(2999)),
        Offence("a reason that is no text", 1007, .close(1000, [0xff])),
        Offence("a text that is none", 1007, SocketFrame(opcode: 1, payload: [0x22, 0xc3, 0x28, 0x22])),
        Offence("half a character at the end", 1007, part(1), part(0, [0xe2, 0x82], isLast: true)),
        Offence("a surrogate", 1007, SocketFrame(opcode: 1, payload: [0xed, 0xa0, 0x80])),
        Offence(
            "a long frame", 1009,
            SocketFrame(opcode: 1, payload: [UInt8](repeating: 0x61, count: MessageReader.messageBytesMax + 1))),
        Offence(
            "a long message", 1009, part(1, [UInt8](repeating: 0x61, count: MessageReader.messageBytesMax)),
            part(0, isLast: true)),
    ]

    @Test(arguments: offences)
    func `what is not allowed is told its code, also to who goes on sending`(_ offence: Offence) async throws {
        try await ServerFixture.run(.idle) { fixture in
            let client = try await WebSocketClient(fixture)
            do { try await client.wire.send(offence.frames.flatMap(\.bytes) + Self.call.bytes + [0x42, 0x17]) } catch {
                // It may hear why before all of it is sent.
            }
            var frames: [SocketFrame] = []
            while let frame = try await client.next() { frames.append(frame) }
            // What a whole message was before it is answered, and nothing behind it.
            let last = try #require(frames.last)
            #expect(last.opcode == 8 && last.code == offence.code, "\(frames.map(\.text))")
            #expect(!frames.contains { $0.text.contains("sessionId") })
            try await client.close()
        }
    }

    @Test func `who hears why it is closed, and does not leave, is cut`() async throws {
        try await ServerFixture.run(.with { $0.server = { $0.patience.lingerMillisecondsMax = 300 } }) { fixture in
            let client = try await WebSocketClient(fixture, staysOpen: true)
            try await client.send(SocketFrame(opcode: 3))
            #expect(try #require(try await client.next()).code == 1002)
            // What is sent meanwhile is taken, and then no more.
            while true { do { try await client.send(Self.call) } catch { break } }
            #expect(client.wire.held.isEmpty)
            try await client.close()
        }
    }

    @Test func `what all send and is not done with has a bound`() async throws {
        try await ServerFixture.run(.with { $0.server = { $0.messagesBytesMax = 600_000 } }) { fixture in
            let half = Self.part(1, [UInt8](repeating: 0x20, count: 200_000))
            let (first, second) = (try await WebSocketClient(fixture), try await WebSocketClient(fixture))
            try await first.send(half, SocketFrame(opcode: 9))
            #expect(try await first.next()?.opcode == 10)
            // A frame that is not whole counts too.
            try await second.wire.send(Array(half.bytes.dropLast()))
            #expect(try #require(try await second.next()).code == 1013)
            #expect(try await second.next() == nil)
            try await first.send(Self.part(0, Array(Self.call.payload), isLast: true))
            #expect(try JSONValue(parsing: try #require(try await first.next()).payload)["result"] != nil)
            let third = try await WebSocketClient(fixture)
            try await third.send(half, Self.part(0, Array(Self.call.payload), isLast: true))
            #expect(try JSONValue(parsing: try #require(try await third.next()).payload)["result"] != nil)
            for client in [first, second, third] { try await client.close() }
        }
    }

    @Test func `who takes nothing of what it asks for is cut`() async throws {
        try await ServerFixture.run(.with { $0.server = { $0.patience.stallMillisecondsMax = 300 } }) { fixture in
            let wire = try await fixture.connect(readsNothing: true)
            try await wire.send(fixture.head("GET", "/jsonrpc", WebSocketClient.wish))
            let call = #"{"id":1,"method":"system.listMethods"}"#
            let calls = SocketFrame.text("[" + [String](repeating: call, count: 500).joined(separator: ",") + "]")
            // More than the system holds for a connection, at both its ends.
            while true { do { try await wire.send(calls.bytes) } catch { break } }
            #expect(try await fixture.ask("GET", "/healthz").status == 200)
            try await wire.close()
        }
    }

    @Test func `who says nothing, or never ends what it began, is not waited for`() {
        let heard = WebSocketSession.Heard()
        let isInTime = { (now: Int) in
            heard.isInTime(.seconds(now), silenceMax: .seconds(90), messageMax: .seconds(120))
        }
        heard.note(.seconds(1))
        #expect(isInTime(90) && !isInTime(91))
        heard.expect(true, since: .seconds(1))
        heard.note(.seconds(100))
        heard.expect(true, since: .seconds(100))
        #expect(isInTime(120) && !isInTime(121))
        heard.expect(false, since: .seconds(100))
        #expect(isInTime(189) && !isInTime(190))
    }

    @Test func `a close is answered with its code`() async throws {
        try await ServerFixture.run(.idle) { fixture in
            let closes: [(SocketFrame, UInt16?)] = [
                (.close(1000), 1000), (.close(1001, Array("weg".utf8)), 1001), (.close(3001), 3001),
                (.close(4999), 4999), (SocketFrame(opcode: 8), nil),
            ]
            for (close, code) in closes {
                let client = try await WebSocketClient(fixture)
                try await client.send(close)
                let answer = try #require(try await client.next())
                #expect(answer.opcode == 8 && answer.code == code && answer.payload.count == (code == nil ? 0 : 2))
                #expect(try await client.next() == nil)
                try await client.close()
            }
        }
    }

    @Test func `a message in parts is one, with pings between them and characters across them`() async throws {
        try await ServerFixture.run(.idle) { fixture in
            let client = try await WebSocketClient(fixture)
            let call = Array(#"{"jsonrpc":"2.0","id":"€","method":"system.listMethods"}"#.utf8)
            let cut = try #require(call.firstIndex(of: 0xe2)) + 1
            try await client.send(
                Self.part(1, Array(call[..<cut])), SocketFrame(opcode: 9, payload: [1, 2]), Self.part(0, []),
                SocketFrame(opcode: 10), Self.part(0, Array(call[cut...]), isLast: true))
            #expect(try await client.next() == SocketFrame(opcode: 10, payload: [1, 2], isMasked: false))
            let answer = try #require(try await client.next())
            #expect(try JSONValue(parsing: answer.payload)["id"] == "€")
            // And the next one begins anew.
            #expect(try await client.call("aria2.getVersion")["result"] != nil)
            try await client.close()
        }
    }
}
