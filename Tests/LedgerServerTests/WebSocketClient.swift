import LedgerCoding
import Testing

/// A frame of a WebSocket (RFC 6455, section 5.2).
struct SocketFrame: Equatable {
    /// What it is: 1 a text, 8 a close, 9 a ping, 10 a pong.
    var opcode: UInt8
    var payload: [UInt8] = []
    /// FIN and the reserved bits.
    var bits: UInt8 = 0x80
    var isMasked = true

    /// A text of one frame.
    static func text(_ text: String) -> SocketFrame { SocketFrame(opcode: 1, payload: Array(text.utf8)) }
    /// A close with a code.
    static func close(_ code: UInt16, _ reason: [UInt8] = []) -> SocketFrame {
        SocketFrame(opcode: 8, payload: [UInt8(code >> 8), UInt8(code & 0xff)] + reason)
    }

    /// Its text.
    var text: String { String(decoding: payload, as: UTF8.self) }
    /// The code of a close; nil when it has none.
    var code: UInt16? { opcode == 8 && payload.count > 1 ? UInt16(payload[0]) << 8 | UInt16(payload[1]) : nil }

    /// As it goes over the wire.
    var bytes: [UInt8] {
        let mask: [UInt8] = isMasked ? [0x11, 0xa2, 0x33, 0xc4] : []
        let length: [UInt8] =
            switch payload.count {
            case ..<126: [UInt8(payload.count)]
            case ..<65536: [126, UInt8(payload.count >> 8), UInt8(payload.count & 0xff)]
            default: [127] + (0..<8).map { UInt8(truncatingIfNeeded: payload.count >> (56 - 8 * $0)) }
            }
        let data = isMasked ? payload.enumerated().map { $0.element ^ mask[$0.offset % 4] } : payload
        return [bits | opcode, (isMasked ? 0x80 : 0) | length[0]] + length.dropFirst() + mask + data
    }

    /// The frame of a server at the front of bytes; nil when it is not whole.
    static func parse(_ bytes: inout [UInt8]) -> SocketFrame? {
        guard bytes.count >= 2 else { return nil }
        var (start, count) = (2, Int(bytes[1]))
        if count >= 126 {
            start = count == 126 ? 4 : 10
            guard bytes.count >= start else { return nil }
            count = bytes[2..<start].reduce(0) { $0 << 8 | Int($1) }
        }
        guard bytes.count >= start + count else { return nil }
        defer { bytes.removeFirst(start + count) }
        return SocketFrame(
            opcode: bytes[0] & 15, payload: Array(bytes[start..<start + count]), bits: bytes[0] & 0xf0, isMasked: false)
    }
}

/// A client of aria2's endpoint over a WebSocket.
struct WebSocketClient {
    let wire: Wire
    /// What the wish was answered.
    let answer: Answer

    /// Asks for a WebSocket.
    init(_ fixture: ServerFixture, _ fields: [(String, String)] = [], staysOpen: Bool = false) async throws {
        wire = try await fixture.connect(staysOpen: staysOpen)
        try await wire.send(fixture.head("GET", "/jsonrpc", Self.wish + fields))
        let head = try #require(try await wire.take { bytes, _ in try Answer.head(&bytes) })
        guard head.status != 101, let count = head["content-length"].flatMap({ Int($0) }) else {
            answer = head
            return
        }
        let body = try await wire.take { bytes, _ in bytes.count < count ? nil : Array(bytes.prefix(count)) }
        answer = Answer(status: head.status, fields: head.fields, body: body ?? [])
    }

    /// The fields that ask for one.
    static let wish = [
        ("Connection", "Upgrade"), ("Upgrade", "websocket"), ("Sec-WebSocket-Version", "13"),
        ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
    ]

    /// Sends frames.
    func send(_ frames: SocketFrame...) async throws { try await wire.send(frames.flatMap(\.bytes)) }

    /// The next frame; nil when the server closed.
    func next() async throws -> SocketFrame? { try await wire.take { bytes, _ in SocketFrame.parse(&bytes) } }

    /// Calls a method, and returns its answer; what is told meanwhile is passed over.
    func call(_ method: String, _ parameters: JSONValue...) async throws -> JSONValue {
        let call: JSONValue = ["jsonrpc": "2.0", "id": "x", "method": .string(method), "params": .array(parameters)]
        try await send(.text(call.description))
        while let frame = try await next() {
            let value = try JSONValue(parsing: frame.payload)
            if value["id"] != nil { return value }
        }
        throw ServerFixture.NoAnswer()
    }

    /// The GID and the method of the next notification; what else comes is passed over.
    func told() async throws -> String {
        while let frame = try await next() {
            guard frame.opcode == 1 else { continue }
            let value = try JSONValue(parsing: frame.payload)
            guard let method = value["method"]?.text else { continue }
            return "\(method) \(value["params"]?.list.first?["gid"]?.text ?? "-")"
        }
        throw ServerFixture.NoAnswer()
    }

    /// Hangs up.
    func close() async throws { try await wire.close() }
}
