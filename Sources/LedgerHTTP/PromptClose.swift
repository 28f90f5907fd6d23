import NIOCore
import NIOHTTP1
import NIOSSL

/// Closes an encrypted connection as soon as TLS has said so, without waiting for the other side to agree (RFC 8446,
/// section 6.1: neither has to wait before it closes the side that it reads).
///
/// Who leaves a body in its middle leaves all that is to come: an origin that sends does not look whether someone takes
/// leave, and what it sends would be decrypted and dropped until it ends, or for seconds.
final class PromptClose: ChannelOutboundHandler {
    typealias OutboundIn = NIOAny
    typealias OutboundOut = NIOAny

    /// Puts one between the parser of a connection and TLS, if there is or will be any.
    static func install(in channel: any Channel) throws {
        let parser = try channel.pipeline.syncOperations.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
        try channel.pipeline.syncOperations.addHandler(PromptClose(), position: .before(parser))
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        context.close(mode: mode, promise: promise)
        guard mode == .all else { return }
        do {
            // From there on, past TLS. Closed already, it is no error that anyone waits for.
            try context.pipeline.syncOperations.context(handlerType: NIOSSLClientHandler.self).close(promise: nil)
        } catch {
            // Not encrypted: it is closed.
            return
        }
    }
}
