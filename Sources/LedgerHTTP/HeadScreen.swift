import NIOCore
import NIOHTTP1

/// Lets chunks win in an answer that states a length too (RFC 9112, section 6.3): takes the length out of the head
/// before the parser sees it, which would refuse both together.
///
/// Stands between the socket (or TLS) and the parser of one HTTP/1.1 connection. Only the head of an answer is looked
/// at, nearly always one look at the first read; bodies pass untouched.
final class HeadScreen: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = NIOAny
    typealias OutboundOut = NIOAny

    /// The longest head that is looked at, in bytes; the parser judges a longer one as it is.
    static let headBytesMax = 128 << 10

    private var awaitsHead = false
    private var held: ByteBuffer?

    /// Puts a handler of this kind before the parser of a connection, and a ``HeadFirst`` behind it.
    static func install(in channel: any Channel) throws {
        let parser = try channel.pipeline.syncOperations.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
        try channel.pipeline.syncOperations.addHandler(HeadScreen(), position: .before(parser))
        try channel.pipeline.syncOperations.addHandler(HeadFirst(), position: .after(parser))
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        // No request follows another before its answer is over: what comes next is a head.
        awaitsHead = true
        context.write(data, promise: promise)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard awaitsHead else { return context.fireChannelRead(data) }
        var bytes = unwrapInboundIn(data)
        if var earlier = held {
            earlier.writeBuffer(&bytes)
            bytes = earlier
        }
        held = nil
        var start = bytes.readerIndex
        while let end = Self.endOfHead(in: bytes.readableBytesView[start...]) {
            if !Self.isInterim(bytes.readableBytesView[start..<end]) {
                awaitsHead = false
                Self.dropLength(in: &bytes, head: start..<end)
                return context.fireChannelRead(wrapInboundOut(bytes))
            }
            start = end
        }
        if bytes.readableBytes <= Self.headBytesMax {
            held = bytes
        } else {
            awaitsHead = false
            context.fireChannelRead(wrapInboundOut(bytes))
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        if let held { context.fireChannelRead(wrapInboundOut(held)) }
        held = nil
        context.fireChannelInactive()
    }

    /// One past the empty line that ends the first head; nil when it has not come yet.
    private static func endOfHead(in bytes: ByteBufferView) -> Int? {
        // Empty lines before a head are passed over by the parser too.
        let view = bytes.drop { $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: "\n") }
        var index = view.startIndex
        while let feed = view[index...].firstIndex(of: UInt8(ascii: "\n")) {
            let next = view[(feed + 1)...]
            if next.first == UInt8(ascii: "\n") { return feed + 2 }
            if next.starts(with: [UInt8(ascii: "\r"), UInt8(ascii: "\n")]) { return feed + 3 }
            index = feed + 1
        }
        return nil
    }

    /// Whether a head is one of HTTP/1 whose status begins with 1: another follows it.
    private static func isInterim(_ head: ByteBufferView) -> Bool {
        let line = head.drop { $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: "\n") }
        return line.starts(with: "HTTP/1.1 1".utf8) || line.starts(with: "HTTP/1.0 1".utf8)
    }

    private static func dropLength(in bytes: inout ByteBuffer, head: Range<Int>) {
        let lines = bytes.readableBytesView[head].split(
            separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let isChunked = lines.contains { line in
            guard let value = Self.value(of: "transfer-encoding", in: line) else { return false }
            return value.lowercased().hasSuffix("chunked")
        }
        guard isChunked, lines.contains(where: { Self.value(of: "content-length", in: $0) != nil }) else { return }
        var other = ByteBufferAllocator().buffer(capacity: bytes.readableBytes)
        other.writeBytes(bytes.readableBytesView[..<head.lowerBound])
        let kept = lines.filter { Self.value(of: "content-length", in: $0) == nil }
        other.writeBytes(kept.joined(separator: [UInt8(ascii: "\n")]))
        other.writeBytes(bytes.readableBytesView[head.upperBound...])
        bytes = other
    }

    /// The value of a field line, when it is of this name; without the space around it.
    private static func value(of name: String, in line: ByteBufferView) -> String? {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")),
            String(decoding: line[..<colon], as: UTF8.self).lowercased() == name
        else { return nil }
        let value = String(decoding: line[(colon + 1)...], as: UTF8.self)
        return String(value.drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
    }
}
