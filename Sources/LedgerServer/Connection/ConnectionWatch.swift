import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Closes connections that stand still: heads and bodies that do not come. While it waits for its client a connection
/// may have to give its place to another one.
///
/// Without it a client that sends a byte now and then would hold a connection for ever (Slowloris).
final class ConnectionWatch: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let patience: ConnectionPatience
    private let places: Places
    private let bodyBytesMax: Int
    private var reading: Scheduled<Void>?
    /// Whether nothing is answered any more after what is being answered.
    private var isLast = false
    /// Whether all is said, and what still comes is read only to be dropped.
    private var lingers = false
    /// Requests that were read and not answered yet.
    private var pending = 0

    /// A watch.
    /// - Parameter bodyBytesMax: the longest body; nobody is told to go on with a longer one.
    init(_ patience: ConnectionPatience, _ places: Places, bodyBytesMax: Int) {
        self.patience = patience
        self.places = places
        self.bodyBytesMax = bodyBytesMax
    }

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
            if head.headerFields[.expect]?.lowercased() == "100-continue", !head.announcesMore(than: bodyBytesMax) {
                context.writeAndFlush(wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: nil)
            }
        case .body: break
        case .end:
            pending += 1
            if lingers { break }
            if pending > 0 {
                reading?.cancel()
                reading = nil
                places.serve(context.channel)
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
            let (bound, written) = (
                NIOLoopBound((watch: self, context: context), eventLoop: context.eventLoop),
                promise ?? context.eventLoop.makePromise()
            )
            written.futureResult.whenComplete { _ in bound.value.watch.answered(bound.value.context) }
            return context.write(data, promise: written)
        }
        context.write(data, promise: promise)
    }

    /// An answer was handed to the system, all of it.
    private func answered(_ context: ChannelHandlerContext) {
        if isLast { close(context: context, mode: .output, promise: nil) }
        if pending <= 0 { places.wait(context.channel) }
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        guard mode == .output else { return context.close(mode: mode, promise: promise) }
        // What the client still sends is taken for a while, so that it gets to read why.
        let (bound, closed) = (
            NIOLoopBound((watch: self, context: context), eventLoop: context.eventLoop),
            promise ?? context.eventLoop.makePromise()
        )
        closed.futureResult.whenComplete { _ in
            let (watch, context) = bound.value
            guard !watch.lingers, context.channel.isActive else { return }
            watch.expect(context, within: watch.patience.lingerMillisecondsMax)
            watch.lingers = true
        }
        context.close(mode: mode, promise: closed)
    }

    func channelInactive(context: ChannelHandlerContext) {
        reading?.cancel()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { reading?.cancel() }

    private func expect(_ context: ChannelHandlerContext, within milliseconds: Int64) {
        guard !lingers else { return }
        reading?.cancel()
        let context = NIOLoopBound(context, eventLoop: context.eventLoop)
        reading = context.eventLoop.scheduleTask(in: .milliseconds(milliseconds)) { context.value.close(promise: nil) }
    }
}
