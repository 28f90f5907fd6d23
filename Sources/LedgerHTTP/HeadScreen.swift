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
        var start = bytes.readerIndex
        while let end = Self.endOfHead(in: bytes.readableBytesView[start...]) {
            if !Self.isInterim(bytes.readableBytesView[start..<end]) {
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

    /// Takes out of a head what the parser would refuse, though it says nothing wrong.
    private static func mend(_ bytes: inout ByteBuffer, head: Range<Int>) {
        let view = bytes.readableBytesView
        var (lengths, isChunked): ([Range<Int>], Bool) = ([], false)
        var start = head.lowerBound
        while start < head.upperBound {
            let end = view[start..<head.upperBound].firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? head.upperBound
            let line = view[start..<end]
            if isNamed("content-length:", line) {
                lengths.append(start..<end)
            } else if isNamed("transfer-encoding:", line) {
                isChunked = isChunked || value(of: line).lowercased().hasSuffix("chunked")
            }
            start = end
        }
        guard let first = lengths.first, isChunked || lengths.count > 1 || view[first].contains(UInt8(ascii: ","))
        else { return }
        var length = ""
        if !isChunked {
            let values = lengths.flatMap { value(of: view[$0]).split(separator: ",", omittingEmptySubsequences: false) }
                .map { $0.trimmingSpace() }
            guard let one = values.first, values.allSatisfy({ $0 == one }) else { return }
            length = "Content-Length: \(one)\r\n"
        }
        var other = ByteBufferAllocator().buffer(capacity: bytes.readableBytes + length.utf8.count)
        var place = view.startIndex
        for line in lengths {
            other.writeBytes(view[place..<line.lowerBound])
            if line == first { other.writeString(length) }
            place = line.upperBound
        }
        other.writeBytes(view[place...])
        bytes = other
    }

    /// Whether a field line is of this name, which is in lower case and has its colon.
    private static func isNamed(_ name: StaticString, _ line: ByteBufferView) -> Bool {
        guard line.count > name.utf8CodeUnitCount else { return false }
        return name.withUTF8Buffer { name in
            zip(line, name).allSatisfy { ((0x41...0x5A).contains($0) ? $0 | 0x20 : $0) == $1 }
        }
    }

    /// The value of a field line, without the space around it.
    private static func value(of line: ByteBufferView) -> String {
        String(decoding: line.drop { $0 != UInt8(ascii: ":") }.dropFirst(), as: UTF8.self).trimmingSpace()
    }
}
