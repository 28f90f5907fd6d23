import NIOCore
import NIOWebSocket

/// What comes over a WebSocket.
enum WebSocketInput: Sendable {
    case frame(WebSocketFrame)
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
}

/// Hands on what can not be decoded as a frame as a value: who talks over the WebSocket says then why it ends.
final class FrameFaults: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame
    typealias InboundOut = WebSocketInput

    private var isBroken = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        context.fireChannelRead(wrapInboundOut(.frame(unwrapInboundIn(data))))
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // What decodes frames says of all that follows that it is not decoded.
        guard !isBroken else { return }
        guard let error = error as? NIOWebSocketError else { return context.fireErrorCaught(error) }
        isBroken = true
        let violation: WebSocketViolation =
            switch error {
            case .invalidFrameLength: .tooLong
            case .fragmentedControlFrame, .multiByteControlFrameLength: .notProtocol
            }
        context.fireChannelRead(wrapInboundOut(.broken(violation)))
    }
}
