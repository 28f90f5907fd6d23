import NIOCore

/// Closes a connection on which something went wrong, such as a request that is no HTTP: nothing behind it is read.
///
/// It stands behind what answers such a request with 400.
final class ErrorEnd: ChannelInboundHandler {
    typealias InboundIn = NIOAny

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.fireErrorCaught(error)
        context.close(promise: nil)
    }
}
