import NIOCore
import NIOWebSocket

/// Puts messages together of the frames of a client, and takes nothing that RFC 6455 does not allow.
struct MessageReader {
    /// What a frame completed.
    enum Event: Equatable {
        case message([UInt8])
        case ping(ByteBuffer)
        /// The client closes; with its code, if it has one, as its two bytes.
        case close([UInt8])
    }

    /// The longest message, in bytes, of however many frames.
    static let messageBytesMax = 4 << 20

    private var message: [UInt8] = []
    /// What the message is that is not whole; nil between messages.
    private var begun: WebSocketOpcode?

    /// Whether a message has begun that is not whole.
    var isWithin: Bool { begun != nil }

    /// Takes what came.
    /// - Returns: what it completed; nil when that is nothing.
    /// - Throws: the ``WebSocketViolation`` that it is.
    mutating func take(_ input: WebSocketInput) throws(WebSocketViolation) -> Event? {
        let frame: WebSocketFrame
        switch input {
        case .frame(let whole, _): frame = whole
        case .broken(let violation): throw violation
        }
        // Section 5.1: clients mask. Section 5.2: the bits belong to extensions, and none is agreed on.
        guard frame.maskKey != nil, frame.reservedBits.isEmpty else { throw .notProtocol }
        let data = frame.unmaskedData
        switch frame.opcode {
        case .text, .binary:
            guard begun == nil else { throw .notProtocol }
            begun = frame.opcode
            return try append(data, isLast: frame.fin)
        case .continuation:
            guard begun != nil else { throw .notProtocol }
            return try append(data, isLast: frame.fin)
        case .ping: return .ping(data)
        case .pong: return nil
        case .connectionClose: return .close(try Self.code(of: Array(data.readableBytesView)))
        default: throw .notProtocol
        }
    }

    private mutating func append(_ data: ByteBuffer, isLast: Bool) throws(WebSocketViolation) -> Event? {
        guard message.count + data.readableBytes <= Self.messageBytesMax else { throw .tooLong }
        message += data.readableBytesView
        guard isLast else { return nil }
        defer { (message, begun) = ([], nil) }
        // Section 8.1.
        guard begun == .binary || Self.isText(message) else { throw .notText }
        return .message(message)
    }

    /// The code of a close, sections 5.5.1 and 7.4: none, or one that may be sent, and then a reason in UTF-8.
    private static func code(of payload: [UInt8]) throws(WebSocketViolation) -> [UInt8] {
        if payload.isEmpty { return [] }
        guard payload.count > 1 else { throw .notProtocol }
        switch UInt16(payload[0]) << 8 | UInt16(payload[1]) {
        case 1000...1003, 1007...1014, 3000...4999: break
        default: throw .notProtocol
        }
        guard isText(payload[2...]) else { throw .notText }
        return Array(payload[..<2])
    }

    private static func isText(_ bytes: some Collection<UInt8>) -> Bool {
        String(validating: bytes, as: UTF8.self) != nil
    }
}
