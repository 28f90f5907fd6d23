import LedgerModel
import NIOCore
import NIOHTTP1

/// Writes requests as a proxy wants them: with the whole URL (RFC 9112, section 3.2.2), and who we are to it.
final class AbsoluteForm: ChannelOutboundHandler {
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart

    private let target: ResourceURL
    private let authorization: String?

    /// A writer of requests to the origin of `target`.
    init(_ proxy: Proxy, target: ResourceURL) {
        self.target = target
        authorization = proxy.authorization
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        var part = unwrapOutboundIn(data)
        if case .head(var head) = part {
            head.uri = target.origin + head.uri
            if let authorization { head.headers.replaceOrAdd(name: "Proxy-Authorization", value: authorization) }
            part = .head(head)
        }
        context.write(wrapOutboundOut(part), promise: promise)
    }
}
