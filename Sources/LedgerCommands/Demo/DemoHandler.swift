import NIOCore
import NIOHTTP1

/// One connection to the demo's origin. Lives on its event loop.
final class DemoHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let files: [DemoFile]
    private let shared: DemoOrigin.Shared

    init(files: [DemoFile], shared: DemoOrigin.Shared) {
        self.files = files
        self.shared = shared
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(let head) = unwrapInboundIn(data) else { return }
        guard head.method == .GET, let file = files.first(where: { "/" + $0.name == head.uri }) else {
            respond(context, .notFound, ["Content-Length": "0"])
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
            return
        }
        let tag = "\"demo-\(file.number)\""
        var headers: HTTPHeaders = ["ETag": tag, "Accept-Ranges": "bytes", "Content-Type": "application/octet-stream"]
        let start = Self.start(of: head.headers, tag: tag)
        headers.add(name: "Content-Length", value: String(file.length - start))
        if start > 0 {
            headers.add(name: "Content-Range", value: "bytes \(start)-\(file.length - 1)/\(file.length)")
            shared.resumed(file.number)
        }
        respond(context, start > 0 ? .partialContent : .ok, headers)
        send(file, from: start, context)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // A killed client resets its connections: that is what the demo is about.
        context.close(promise: nil)
    }

    private func respond(_ context: ChannelHandlerContext, _ status: HTTPResponseStatus, _ headers: HTTPHeaders) {
        let head = HTTPResponseHead(version: .http1_1, status: status, headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
    }

    private func send(_ file: DemoFile, from offset: Int, _ context: ChannelHandlerContext) {
        guard context.channel.isActive else { return }
        let end = min(file.length, offset + DemoOrigin.chunkBytes)
        let bytes = context.channel.allocator.buffer(bytes: file.bytes(offset..<end))
        context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(bytes))), promise: nil)
        shared.sent(end - offset, of: file.number)
        guard end < file.length else {
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
            return
        }
        context.eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(Int64(DemoOrigin.pauseMilliseconds))) {
            self.send(file, from: end, context)
        }
    }

    /// Where the answer starts: 0, or the start of `bytes=N-` when `If-Range` agrees.
    private static func start(of headers: HTTPHeaders, tag: String) -> Int {
        guard let range = headers.first(name: "Range"), range.hasPrefix("bytes="), range.hasSuffix("-"),
            let start = Int(range.dropFirst(6).dropLast()), headers.first(name: "If-Range").map({ $0 == tag }) ?? true
        else { return 0 }
        return start
    }
}
