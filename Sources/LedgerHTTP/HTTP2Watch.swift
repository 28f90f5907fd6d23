import LedgerModel
import NIOCore
import NIOHPACK
import NIOHTTP1
import NIOHTTP2

/// Ends an HTTP/2 connection at once on which nothing can be understood any more (RFC 9113, section 5.4.1). The engine
/// would keep it: new requests are put on it, and none of them is ever answered.
///
/// Stands behind all on a connection that might answer what HTTP/2 says is wrong. A connection on which nothing comes
/// any more is left by ``HTTPTransport``.
final class HTTP2Watch: ChannelInboundHandler {
    typealias InboundIn = NIOAny

    /// Why it was closed.
    private(set) var problem: Failure?

    /// Watches a connection on which HTTP/2 has begun.
    static func install(in channel: any Channel) throws {
        let pipeline = channel.pipeline.syncOperations
        let speaker = try pipeline.handler(type: NIOHTTP2Handler.self)
        try pipeline.addHandler(PromptClose(), position: .before(speaker))
        try pipeline.addHandler(HTTP2Watch(), position: .last)
    }

    /// Watches a stream of such a connection.
    static func install(inStream channel: any Channel) throws {
        let codec = try channel.pipeline.syncOperations.handler(type: HTTP2FramePayloadToHTTP1ClientCodec.self)
        let watch = try channel.parent?.pipeline.syncOperations.handler(type: HTTP2Watch.self)
        try channel.pipeline.syncOperations.addHandler(StreamHead(watch), position: .before(codec))
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if Self.isOfConnection(error) {
            let words = "the origin does not keep to HTTP/2: \(Failure.words(error))"
            problem = problem ?? Failure(.protocolViolation, words, isRetryable: true)
            context.close(promise: nil)
        }
        context.fireErrorCaught(error)
    }

    /// Whether no frame behind it can be understood. What is wrong with one stream comes here too, and leaves the
    /// others alone.
    private static func isOfConnection(_ error: any Error) -> Bool {
        error is NIOHTTP2Errors.UnableToParseFrame || error is NIOHTTP2Errors.ExcessivelyLargeHeaderBlock
            || error is NIOHTTP2Errors.ExcessiveContinuationFrames
    }
}

/// Keeps from the engine what would end the process, as ``HeadFirst`` does for HTTP/1.1: interim answers, and heads
/// whose status is not of three digits (RFC 9113, section 8.3.2).
///
/// Stands before the codec of one HTTP/2 stream.
final class StreamHead: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias InboundOut = HTTP2Frame.FramePayload

    private let watch: HTTP2Watch?
    private var hasHead = false
    private var hasEnded = false

    init(_ watch: HTTP2Watch?) { self.watch = watch }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if hasEnded { return }
        switch unwrapInboundIn(data) {
        case .headers(let head):
            if let status = head.headers.first(name: ":status") {
                guard let code = Self.code(status) else { return refuse(context) }
                // An interim answer is no answer, and none ends with it.
                if code < 200, !head.endStream { return }
                hasHead = code >= 200
            }
            guard hasHead else { return refuse(context) }
            hasEnded = head.endStream
        case .data(let body):
            guard hasHead else { return refuse(context) }
            hasEnded = body.endStream
        default: break
        }
        context.fireChannelRead(data)
    }

    func channelInactive(context: ChannelHandlerContext) {
        if !hasEnded {
            hasEnded = true
            if let problem = watch?.problem { context.fireErrorCaught(problem) }
        }
        context.fireChannelInactive()
    }

    private func refuse(_ context: ChannelHandlerContext) {
        hasEnded = true
        context.fireErrorCaught(HTTPParserError.invalidStatus)
        context.close(promise: nil)
    }

    private static func code(_ status: String) -> Int? {
        let isNumber = status.utf8.count == 3 && status.utf8.allSatisfy { (0x30...0x39).contains($0) }
        return isNumber ? Int(status).flatMap { $0 >= 100 ? $0 : nil } : nil
    }
}
