import NIOCore
import NIOHTTPTypes

/// Closes connections that stand still: heads and bodies that do not come, answers that are not taken.
///
/// Without it a client that sends a byte now and then, or reads nothing, would hold a connection for ever (Slowloris).
final class ConnectionWatch: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// How long the head of a request may take, and a connection may lie unused, in seconds.
    static let headSecondsMax: Int64 = 60
    /// How long a body may take on the whole, in seconds.
    static let bodySecondsMax: Int64 = 120
    /// How long a peer may take nothing of an answer, in seconds.
    static let stallSecondsMax: Int64 = 30

    private var reading: Scheduled<Void>?
    private var writing: Scheduled<Void>?
    /// Requests that were read and not answered yet.
    private var pending = 0

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { expect(context, within: Self.headSecondsMax) }
    }

    func channelActive(context: ChannelHandlerContext) {
        expect(context, within: Self.headSecondsMax)
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head: expect(context, within: Self.bodySecondsMax)
        case .body: break
        case .end:
            pending += 1
            reading?.cancel()
            reading = nil
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) {
            pending -= 1
            // The next request may take its time, but not for ever.
            if pending <= 0 { expect(context, within: Self.headSecondsMax) }
        }
        context.write(data, promise: promise)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        writing?.cancel()
        writing = nil
        if !context.channel.isWritable {
            let context = NIOLoopBound(context, eventLoop: context.eventLoop)
            writing = context.eventLoop.scheduleTask(in: .seconds(Self.stallSecondsMax)) {
                context.value.close(promise: nil)
            }
        }
        context.fireChannelWritabilityChanged()
    }

    func channelInactive(context: ChannelHandlerContext) {
        reading?.cancel()
        writing?.cancel()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        reading?.cancel()
        writing?.cancel()
    }

    private func expect(_ context: ChannelHandlerContext, within seconds: Int64) {
        reading?.cancel()
        let context = NIOLoopBound(context, eventLoop: context.eventLoop)
        reading = context.eventLoop.scheduleTask(in: .seconds(seconds)) { context.value.close(promise: nil) }
    }
}
