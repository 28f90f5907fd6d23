import NIOCore
import NIOWebSocket

/// What comes over a WebSocket.
enum WebSocketInput: Sendable {
    /// A frame, and how many bytes came since the last one.
    case frame(WebSocketFrame, bytes: Int)
    /// What is no frame; nothing can be read behind it.
    case broken(WebSocketViolation)
}

/// What a client may not say (RFC 6455), by the code with which its connection is closed.
struct WebSocketViolation: Error, Equatable {
    /// The code (section 7.4.1).
    let code: WebSocketErrorCode

    /// It does not follow the protocol.
    static let notProtocol = WebSocketViolation(code: .protocolError)
    /// A text is no UTF-8.
    static let notText = WebSocketViolation(code: .dataInconsistentWithMessage)
    /// A message is too long.
    static let tooLong = WebSocketViolation(code: .messageTooLarge)
    /// All clients together send too much at once: try again later.
    static let tooMuch = WebSocketViolation(code: .unknown(1013))
}

/// Hands on what can not be decoded as a frame as a value: who talks over the WebSocket says then why it ends.
final class FrameFaults: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame
    typealias InboundOut = WebSocketInput

    private let meter: FrameMeter
    private var isBroken = false

    /// Behind what decodes the bytes that a meter counts.
    init(_ meter: FrameMeter) { self.meter = meter }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        context.fireChannelRead(wrapInboundOut(.frame(unwrapInboundIn(data), bytes: meter.takeCount())))
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // What decodes frames says of all that follows that it is not decoded.
        guard !isBroken else { return }
        let violation: WebSocketViolation
        switch error {
        case let error as WebSocketViolation: violation = error
        case NIOWebSocketError.invalidFrameLength: violation = .tooLong
        case is NIOWebSocketError: violation = .notProtocol
        default: return context.fireErrorCaught(error)
        }
        isBroken = true
        context.fireChannelRead(wrapInboundOut(.broken(violation)))
    }
}
