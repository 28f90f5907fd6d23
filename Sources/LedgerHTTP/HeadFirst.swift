import NIOCore
import NIOHTTP1

/// Keeps interim answers (1xx) away from the engine, which would end the process when an origin claims a body for one,
/// though none has any (RFC 9110, section 15.2), or sends a body that no head came before.
///
/// Stands between the parser and the engine of one HTTP/1.1 connection; a connection where that happens fails.
final class HeadFirst: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart

    private var hasHead = false
    private var hasFailed = false
    private var hasAnswered = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if hasFailed { return }
        switch unwrapInboundIn(data) {
        case .head(let head):
            hasHead = head.status.code >= 200
        case .body:
            guard hasHead else {
                hasFailed = true
                context.fireErrorCaught(HTTPParserError.invalidStatus)
                return context.close(promise: nil)
            }
        case .end:
            guard hasHead else { return }
            (hasHead, hasAnswered) = (false, true)
            return context.fireChannelRead(data)
        }
        if hasHead { context.fireChannelRead(data) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        if hasAnswered, !hasHead { context.fireErrorCaught(StaleConnection()) }
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // What can not be read there may have come behind an answer that was over.
        let isStale = hasAnswered && !hasHead && (error is IOError || error is HTTPParserError)
        context.fireErrorCaught(isStale ? StaleConnection() : error)
    }
}

/// A connection ended before the answer began, or that could not be read: it had answered others, or the request was
/// not even written to it. The origin had closed it, and may not have seen the request, or had sent more than it said,
/// which is no answer to this one; it is made again (RFC 9112, sections 6.3 and 9.3.1).
struct StaleConnection: Error {}
