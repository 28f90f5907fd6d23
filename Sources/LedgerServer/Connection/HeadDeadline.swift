import NIOCore

/// Closes a connection whose first request does not come: whoever connects and says nothing, or a byte now and then.
final class HeadDeadline: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    private let millisecondsMax: Int64
    private var deadline: Scheduled<Void>?

    init(_ patience: ConnectionPatience) { millisecondsMax = patience.firstHeadMillisecondsMax }

    func handlerAdded(context: ChannelHandlerContext) {
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        deadline = context.eventLoop.scheduleTask(in: .milliseconds(millisecondsMax)) {
            bound.value.close(promise: nil)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        deadline?.cancel()
        context.fireChannelInactive()
    }

    /// The first head is there.
    func handlerRemoved(context: ChannelHandlerContext) { deadline?.cancel() }

    /// Takes the deadline off a connection.
    static func lift(from channel: any Channel) -> EventLoopFuture<Void> {
        channel.eventLoop.assertInEventLoop()
        do {
            let pipeline = channel.pipeline.syncOperations
            return pipeline.removeHandler(try pipeline.handler(type: HeadDeadline.self))
        } catch { return channel.eventLoop.makeFailedFuture(error) }
    }
}
