import NIOCore
import NIOHTTP1

/// Puts heads of requests right before anything is decided by them: one name for whom it asks, and no wish to speak
/// another protocol that is not granted. Those of HTTP/1.0 are answered as such.
final class HeadGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// What becomes of the wish for a WebSocket.
    enum Wish {
        case granted
        /// It would be, and there are too many of them.
        case crowded
        case refused
    }

    private let decide: @Sendable (HTTPRequestHead, any Channel) -> Wish
    /// Whether no request came yet: only the first can become a WebSocket.
    private var isFirst = true
    private var version = HTTPVersion.http1_1

    /// A guard.
    /// - Parameter decide: decides on well-formed wishes for a WebSocket.
    init(decide: @escaping @Sendable (HTTPRequestHead, any Channel) -> Wish) { self.decide = decide }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(var head) = unwrapInboundIn(data) else { return context.fireChannelRead(data) }
        defer { isFirst = false }
        version = head.version
        Self.nameOnce(&head)
        if version == .http1_0 {
            // RFC 9112, section 9.3, and RFC 9110, section 10.1.1: whoever speaks it expects the connection's end after
            // the answer, and nothing before.
            head.headers.replaceOrAdd(name: "Connection", value: "close")
            head.headers.remove(name: "Expect")
        }
        // RFC 9110, section 7.8: a wish that is not granted is as if it were not there. What upgrades connections would
        // lose the request with it, and what decodes them reads nothing behind it: the connection ends with the answer.
        let isWish = head.headers.contains(name: "Upgrade")
        let wish = isWish && isFirst && Self.isWebSocket(head) ? decide(head, context.channel) : .refused
        if isWish, wish != .granted {
            head.headers.remove(name: "Upgrade")
            head.headers.replaceOrAdd(name: "Connection", value: "close")
        }
        // With its key left it is told that there are too many.
        if wish == .refused { head.headers.remove(name: "Sec-WebSocket-Key") }
        context.fireChannelRead(wrapInboundOut(.head(head)))
        // What comes after this request are frames, and no parts of requests.
        if wish == .granted { context.pipeline.syncOperations.removeHandler(self, promise: nil) }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard version == .http1_0, case .head(var head) = unwrapOutboundIn(data) else {
            return context.write(data, promise: promise)
        }
        // RFC 9112, section 6.1: a body of unknown length is not chunked then, but ends with the connection.
        head.version = version
        context.write(wrapOutboundOut(.head(head)), promise: promise)
    }

    /// RFC 9112, section 3.2: what stands in an absolute target counts and `Host` does not, and there is one `Host`. Of
    /// several, who stands before this server may have taken another one than it would: together they are no name.
    private static func nameOnce(_ head: inout HTTPRequestHead) {
        let hosts = head.headers["Host"]
        if let authority = authority(of: head.uri) {
            head.headers.replaceOrAdd(name: "Host", value: authority)
        } else if hosts.count > 1 {
            head.headers.replaceOrAdd(name: "Host", value: hosts.joined(separator: ", "))
        }
    }

    /// `HOST:PORT` of an absolute target; nil for a path.
    private static func authority(of target: String) -> String? {
        guard !target.hasPrefix("/"), let scheme = target.firstRange(of: "://") else { return nil }
        return String(target[scheme.upperBound...].prefix { !"/?#".contains($0) })
    }

    /// Whether a head asks for a WebSocket as RFC 6455, section 4.2.1, has it, and no body follows.
    private static func isWebSocket(_ head: HTTPRequestHead) -> Bool {
        let headers = head.headers
        return head.method == .GET && head.version == .http1_1
            && headers[canonicalForm: "upgrade"].map { $0.lowercased() } == ["websocket"]
            && headers[canonicalForm: "connection"].contains { $0.lowercased() == "upgrade" }
            && headers["Sec-WebSocket-Version"] == ["13"] && headers["Sec-WebSocket-Key"].count == 1
            && !headers.contains(name: "Content-Length") && !headers.contains(name: "Transfer-Encoding")
    }
}
