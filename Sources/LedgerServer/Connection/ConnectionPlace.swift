import NIOCore

/// Holds a connection's place as long as there is the connection, and cuts it when it is to give way.
///
/// It stands first of all: nothing that would take its time over an end, such as TLS, is asked then.
final class ConnectionPlace: ChannelInboundHandler {
    typealias InboundIn = NIOAny

    private let places: Places

    init(_ places: Places) { self.places = places }

    func handlerAdded(context: ChannelHandlerContext) {
        let (loop, bound) = (context.eventLoop, NIOLoopBound(context, eventLoop: context.eventLoop))
        // One more than there may be is let in: there is its place as soon as another one gives way.
        _ = places.take(context.channel) { loop.execute { bound.value.close(promise: nil) } }
    }

    func handlerRemoved(context: ChannelHandlerContext) { places.free(context.channel) }
}
