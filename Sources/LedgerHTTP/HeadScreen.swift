import LedgerModel
import NIOCore
import NIOHTTP1

/// Lets chunks win in an answer that states a length too, and takes a length that is stated several times as one (RFC
/// 9112, section 6.3): mends the head before the parser sees it, which would refuse either.
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
        var start = 0
        while let end = Self.endOfHead(in: bytes.readableBytesUInt8Span, from: start) {
            if !Self.isInterim(bytes.readableBytesUInt8Span, from: start) {
                awaitsHead = false
                Self.mend(&bytes, head: start..<end)
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

    // Where things stand is counted from the first byte that is readable.

    /// One past the empty line that ends the first head from `start` on; nil when it has not come yet.
    private static func endOfHead(in bytes: Span<UInt8>, from start: Int) -> Int? {
        var place = lineStart(in: bytes, from: start)
        while let next = nextLine(in: bytes, from: place, to: bytes.count) {
            if next < bytes.count, bytes[next] == feed { return next + 1 }
            if next + 1 < bytes.count, bytes[next] == carriage, bytes[next + 1] == feed { return next + 2 }
            place = next
        }
        return nil
    }

    private static var carriage: UInt8 { UInt8(ascii: "\r") }
    private static var feed: UInt8 { UInt8(ascii: "\n") }

    /// Where the first line begins: empty lines before a head are passed over by the parser too.
    private static func lineStart(in bytes: Span<UInt8>, from start: Int) -> Int {
        var place = start
        while place < bytes.count, bytes[place] == carriage || bytes[place] == feed { place += 1 }
        return place
    }

    /// One past the end of a line; nil where it has none before `end`.
    private static func nextLine(in bytes: Span<UInt8>, from start: Int, to end: Int) -> Int? {
        for place in start..<end where bytes[place] == feed { return place + 1 }
        return nil
    }

    /// Whether a head is one of HTTP/1 whose status begins with 1: another follows it.
    private static func isInterim(_ bytes: Span<UInt8>, from start: Int) -> Bool {
        let line = lineStart(in: bytes, from: start)
        return begins("HTTP/1.1 1", bytes, at: line) || begins("HTTP/1.0 1", bytes, at: line)
    }

    /// Whether a word stands at a place. That of a name is in lower case, and stands there in any.
    private static func begins(
        _ word: StaticString, isName: Bool = false, _ bytes: Span<UInt8>, at start: Int
    ) -> Bool {
        guard bytes.count - start > word.utf8CodeUnitCount else { return false }
        for place in 0..<word.utf8CodeUnitCount {
            let byte = bytes[start + place]
            let isCapital = isName && (0x41...0x5A).contains(byte)
            if (isCapital ? byte | 0x20 : byte) != word.utf8Start[place] { return false }
        }
        return true
    }

    /// Takes out of a head what the parser would refuse, though it says nothing wrong.
    private static func mend(_ bytes: inout ByteBuffer, head: Range<Int>) {
        let (lengths, codings) = framing(in: bytes.readableBytesUInt8Span, head: head)
        guard let first = lengths.first else { return }
        let isChunked = codings.contains { value(of: $0, in: bytes).lowercased().hasSuffix("chunked") }
        guard isChunked || lengths.count > 1 || isList(bytes.readableBytesUInt8Span, first) else { return }
        var length = ""
        if !isChunked {
            let values =
                lengths.flatMap { value(of: $0, in: bytes).split(separator: ",", omittingEmptySubsequences: false) }
                .map { $0.trimmingSpace() }
            guard let one = values.first, values.allSatisfy({ $0 == one }) else { return }
            length = "Content-Length: \(one)\r\n"
        }
        let view = bytes.readableBytesView
        var other = ByteBufferAllocator().buffer(capacity: bytes.readableBytes + length.utf8.count)
        var place = view.startIndex
        for line in lengths {
            other.writeBytes(view[place..<view.startIndex + line.lowerBound])
            if line == first { other.writeString(length) }
            place = view.startIndex + line.upperBound
        }
        other.writeBytes(view[place...])
        bytes = other
    }

    /// Whether a line states several values.
    private static func isList(_ bytes: Span<UInt8>, _ line: Range<Int>) -> Bool {
        for place in line where bytes[place] == UInt8(ascii: ",") { return true }
        return false
    }

    /// The lines of a head that say where its body ends.
    private static func framing(
        in bytes: Span<UInt8>, head: Range<Int>
    ) -> (lengths: [Range<Int>], codings: [Range<Int>]) {
        var (lengths, codings): ([Range<Int>], [Range<Int>]) = ([], [])
        var start = head.lowerBound
        while start < head.upperBound {
            let end = nextLine(in: bytes, from: start, to: head.upperBound) ?? head.upperBound
            if begins("content-length:", isName: true, bytes, at: start) {
                lengths.append(start..<end)
            } else if begins("transfer-encoding:", isName: true, bytes, at: start) {
                codings.append(start..<end)
            }
            start = end
        }
        return (lengths, codings)
    }

    /// The value of a field line, without the space around it.
    private static func value(of line: Range<Int>, in bytes: ByteBuffer) -> String {
        let text = bytes.getString(at: bytes.readerIndex + line.lowerBound, length: line.count) ?? ""
        return Substring(text.utf8.drop { $0 != UInt8(ascii: ":") }.dropFirst()).trimmingSpace()
    }
}
