import HTTPTypes
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

    private let patience: ConnectionPatience
    private var reading: Scheduled<Void>?
    private var writing: Scheduled<Void>?
    /// Whether nothing is answered any more after what is being answered.
    private var isLast = false
    /// Requests that were read and not answered yet.
    private var pending = 0

    init(_ patience: ConnectionPatience) { self.patience = patience }

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { expect(context, within: patience.headMillisecondsMax) }
    }

    func channelActive(context: ChannelHandlerContext) {
        expect(context, within: patience.headMillisecondsMax)
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            expect(context, within: patience.bodyMillisecondsMax)
            // RFC 9110, section 10.1.1: who asks before it sends a body is not kept waiting.
            if head.headerFields[.expect]?.lowercased() == "100-continue" {
                context.writeAndFlush(wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: nil)
            }
        case .body: break
        case .end:
            pending += 1
            if pending > 0 {
                reading?.cancel()
                reading = nil
            } else {
                // It was answered before it was whole: the next one is waited for.
                expect(context, within: patience.headMillisecondsMax)
            }
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(let head): isLast = isLast || head.headerFields[.connection] == "close"
        case .body: break
        case .end:
            pending -= 1
            // The next request may take its time, but not for ever.
            if pending <= 0 { expect(context, within: patience.headMillisecondsMax) }
            guard isLast else { break }
            // What the client still sends is taken for a while, so that it gets to read why.
            let (bound, written) = (
                NIOLoopBound(context, eventLoop: context.eventLoop), promise ?? context.eventLoop.makePromise()
            )
            written.futureResult.whenComplete { _ in bound.value.close(mode: .output, promise: nil) }
            return context.write(data, promise: written)
        }
        context.write(data, promise: promise)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        writing?.cancel()
        writing = nil
        if !context.channel.isWritable {
            let context = NIOLoopBound(context, eventLoop: context.eventLoop)
            writing = context.eventLoop.scheduleTask(in: .milliseconds(patience.stallMillisecondsMax)) {
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

    private func expect(_ context: ChannelHandlerContext, within milliseconds: Int64) {
        reading?.cancel()
        let context = NIOLoopBound(context, eventLoop: context.eventLoop)
        reading = context.eventLoop.scheduleTask(in: .milliseconds(milliseconds)) { context.value.close(promise: nil) }
    }
}
