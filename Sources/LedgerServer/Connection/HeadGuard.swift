import NIOCore
import NIOHTTP1

/// Puts heads of requests right before anything is decided by them: one name for whom it asks, and no wish to speak
/// another protocol that is not granted.
final class HeadGuard: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    private let mayUpgrade: @Sendable (HTTPRequestHead) -> Bool

    /// A guard that lets these become WebSockets.
    init(mayUpgrade: @escaping @Sendable (HTTPRequestHead) -> Bool) { self.mayUpgrade = mayUpgrade }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(var head) = unwrapInboundIn(data) else { return context.fireChannelRead(data) }
        Self.nameOnce(&head)
        // RFC 9110, section 7.8: a wish that is not granted is as if it were not there. What upgrades connections would
        // lose the request with it, and what decodes them reads nothing behind it: the connection ends with the answer.
        let isWish = head.headers.contains(name: "Upgrade")
        let isGranted = isWish && Self.isWebSocket(head) && mayUpgrade(head)
        if isWish, !isGranted {
            head.headers.remove(name: "Upgrade")
            head.headers.replaceOrAdd(name: "Connection", value: "close")
        }
        context.fireChannelRead(wrapInboundOut(.head(head)))
        // What comes after this request are frames, and no parts of requests.
        if isGranted { context.pipeline.syncOperations.removeHandler(self, promise: nil) }
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
