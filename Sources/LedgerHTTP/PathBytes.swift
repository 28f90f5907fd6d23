import LedgerModel
import NIOCore
import NIOHTTP1

/// Sends a path that stands for bytes which are no UTF-8 as it was written.
///
/// The engine reads a path as text and asks for `/` where it can not. So such a path is given to it with every `%`
/// escaped once more, and this handler, in the connections that such requests have for themselves, takes that back.
final class PathBytes: ChannelOutboundHandler {
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart

    /// What the engine is given for a path.
    static func escaped(_ path: String) -> String { path.replacing("%", with: "%25") }

    /// Puts one before what writes the requests of a connection.
    static func install(in channel: any Channel) throws {
        let encoder = try channel.pipeline.syncOperations.context(handlerType: HTTPRequestEncoder.self)
        try channel.pipeline.syncOperations.addHandler(PathBytes(), position: .after(encoder.handler))
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        var part = unwrapOutboundIn(data)
        if case .head(var head) = part {
            let query = head.uri.firstIndex(of: "?") ?? head.uri.endIndex
            head.uri = String(head.uri[..<query].replacing("%25", with: "%") + head.uri[query...])
            part = .head(head)
        }
        context.write(wrapOutboundOut(part), promise: promise)
    }
}

extension ResourceURL {
    /// Whether the path stands for bytes that are no UTF-8, as those of old file systems do.
    var hasBinaryPath: Bool {
        let path = path
        guard path.utf8.contains(UInt8(ascii: "%")) else { return false }
        return String(validating: ResourceURL.percentDecoded(Array(path.utf8)[...]), as: UTF8.self) == nil
    }
}
