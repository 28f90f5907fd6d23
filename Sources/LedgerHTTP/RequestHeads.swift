import NIOCore
import NIOHTTP1

/// Changes the head of each request of a connection on its way out.
final class RequestHeads: ChannelOutboundHandler {
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart

    private let change: (inout HTTPRequestHead) -> Void

    private init(_ change: @escaping (inout HTTPRequestHead) -> Void) { self.change = change }

    /// Puts one before what writes the requests of a connection.
    static func install(in channel: any Channel, _ change: @escaping (inout HTTPRequestHead) -> Void) throws {
        let pipeline = channel.pipeline.syncOperations
        let encoder = try pipeline.context(handlerType: HTTPRequestEncoder.self)
        try pipeline.addHandler(RequestHeads(change), position: .after(encoder.handler))
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        var part = unwrapOutboundIn(data)
        if case .head(var head) = part {
            change(&head)
            part = .head(head)
        }
        context.write(wrapOutboundOut(part), promise: promise)
    }
}
