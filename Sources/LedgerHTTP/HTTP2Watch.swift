import LedgerModel
import NIOCore
import NIOHPACK
import NIOHTTP1
import NIOHTTP2

/// Ends an HTTP/2 connection that is of no use any more, which the engine would keep: new requests are put on it, and
/// none of them is ever answered.
///
/// Stands next to HTTP/2 itself on a connection. One that breaks the protocol is closed at once (RFC 9113, section
/// 5.4.1). After half the longest silence the other end is asked whether it is there (PING, section 6.7), which it has
/// to answer however slow its streams are, and however much of them a rate limit holds back; a connection on which
/// nothing came for the whole of it is closed.
final class HTTP2Watch: ChannelInboundHandler {
    typealias InboundIn = NIOAny
    typealias InboundOut = NIOAny

    private let longest: TimeAmount
    private var heardAt = NIODeadline.uptimeNanoseconds(0)
    /// When it was asked whether the other end is there; nil once something came.
    private var askedAt: NIODeadline?
    /// Whether it is due, and looked at once more: what came while this loop was busy is read first.
    private var isDue = false
    private var timer: Scheduled<Void>?
    /// Why it was closed.
    private(set) var problem: Failure?

    private init(longest: TimeAmount) { self.longest = longest }

    private var half: TimeAmount { .nanoseconds(longest.nanoseconds / 2) }

    /// Watches a connection on which HTTP/2 has begun.
    static func install(in channel: any Channel, longest: TimeAmount) throws {
        let watch = HTTP2Watch(longest: longest)
        let pipeline = channel.pipeline.syncOperations
        let speaker = try pipeline.handler(type: NIOHTTP2Handler.self)
        try pipeline.addHandler(PromptClose(), position: .before(speaker))
        try pipeline.addHandler(watch, position: .before(speaker))
        try pipeline.addHandler(Ears(watch), position: .last)
    }

    /// Watches a stream of such a connection.
    static func install(inStream channel: any Channel) throws {
        let codec = try channel.pipeline.syncOperations.handler(type: HTTP2FramePayloadToHTTP1ClientCodec.self)
        let watch = try channel.parent?.pipeline.syncOperations.handler(type: HTTP2Watch.self)
        try channel.pipeline.syncOperations.addHandler(StreamHead(watch), position: .before(codec))
    }

    func handlerAdded(context: ChannelHandlerContext) {
        heardAt = context.eventLoop.now
        look(in: half, context)
    }

    func handlerRemoved(context: ChannelHandlerContext) { timer?.cancel() }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        heardAt = context.eventLoop.now
        (askedAt, isDue) = (nil, false)
        context.fireChannelRead(data)
    }

    func channelInactive(context: ChannelHandlerContext) {
        timer?.cancel()
        context.fireChannelInactive()
    }

    private func look(in delay: TimeAmount, _ context: ChannelHandlerContext) {
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: delay) { self.look(context) }
    }

    private func look(_ context: ChannelHandlerContext) {
        let now = context.eventLoop.now
        let quiet = now - heardAt
        if quiet < half { return look(in: half - quiet, context) }
        if isDue { return end(context) }
        if askedAt != nil {
            isDue = true
            return look(in: .milliseconds(1), context)
        }
        askedAt = now
        let question = HTTP2Frame(streamID: .rootStream, payload: .ping(HTTP2PingData(), ack: false))
        context.channel.writeAndFlush(question, promise: nil)
        look(in: half, context)
    }

    /// A request on it ended without its whole answer: who was asked a while ago and has said nothing is not waited
    /// for any longer.
    func giveUp(_ connection: (any Channel)?) {
        guard let askedAt, let connection,
            connection.eventLoop.now - askedAt >= .nanoseconds(longest.nanoseconds / 4)
        else { return }
        connection.close(promise: nil)
    }

    private func end(_ context: ChannelHandlerContext) {
        let milliseconds = longest.nanoseconds / 1_000_000
        close(Failure(.silence, "no byte on the HTTP/2 connection for \(milliseconds) ms", isRetryable: true), context)
    }

    private func fail(_ error: any Error, _ context: ChannelHandlerContext) {
        let words = "the origin does not keep to HTTP/2: \(Failure.words(error))"
        close(Failure(.protocolViolation, words, isRetryable: true), context)
    }

    private func close(_ failure: Failure, _ context: ChannelHandlerContext) {
        problem = problem ?? failure
        context.close(promise: nil)
    }

    /// Hears what HTTP/2 says is wrong, behind all that might answer it.
    private final class Ears: ChannelInboundHandler {
        typealias InboundIn = NIOAny

        private let watch: HTTP2Watch

        init(_ watch: HTTP2Watch) { self.watch = watch }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            if Self.isOfConnection(error) { watch.fail(error, context) }
            context.fireErrorCaught(error)
        }

        /// Whether no frame behind it can be understood. What is wrong with one stream comes here too, and leaves the
        /// others alone.
        private static func isOfConnection(_ error: any Error) -> Bool {
            error is NIOHTTP2Errors.UnableToParseFrame || error is NIOHTTP2Errors.ExcessivelyLargeHeaderBlock
                || error is NIOHTTP2Errors.ExcessiveContinuationFrames
        }
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
            watch?.giveUp(context.channel.parent)
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
