import NIOCore

/// Counts what comes over a WebSocket before it is decoded, where a frame that is not whole is kept; beyond the budget
/// nothing more is taken, and its client is told so.
final class FrameMeter: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let share: BodyBudget.Share
    private var bytes = 0
    private var isFull = false

    /// A meter of what one client holds.
    init(_ share: BodyBudget.Share) { self.share = share }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isFull else { return }
        let count = unwrapInboundIn(data).readableBytes
        guard share.take(count) else {
            isFull = true
            return context.fireErrorCaught(WebSocketViolation.tooMuch)
        }
        bytes += count
        context.fireChannelRead(data)
    }

    /// How many bytes came since it was asked last.
    func takeCount() -> Int {
        defer { bytes = 0 }
        return bytes
    }
}
