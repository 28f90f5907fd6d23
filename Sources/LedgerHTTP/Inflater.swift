import CZlib
import LedgerModel
import LedgerTransfer

/// A stream of zlib that unpacks what comes, piece by piece.
struct Inflater: ~Copyable {
    /// The most that is unpacked at a time, in bytes.
    static let blockBytes = 256 << 10

    /// Stays where it is: zlib compares its address.
    private let stream: UnsafeMutablePointer<z_stream>
    private let block: UnsafeMutableRawPointer
    private let coding: ContentCoding
    private var hasBegun = false
    /// Whether a member of the stream is whole; another may follow it (RFC 1952, section 2.2).
    private var isAtEnd = false

    init(_ coding: ContentCoding) {
        self.coding = coding
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        block = .allocate(byteCount: Self.blockBytes, alignment: 16)
    }

    deinit {
        if hasBegun { inflateEnd(stream) }
        stream.deinitialize(count: 1)
        stream.deallocate()
        block.deallocate()
    }

    /// Whether what came so far is a whole stream; so is nothing at all.
    var isWhole: Bool { !hasBegun || isAtEnd }

    /// Unpacks the next bytes and hands over what they hold, at most ``blockBytes`` at a time.
    /// - Throws: a ``Failure`` when they are no such stream, or what `body` throws.
    mutating func unpack(_ bytes: RawSpan, _ body: (RawSpan) throws(Failure) -> Void) throws(Failure) {
        guard bytes.byteCount > 0 else { return }
        if !hasBegun { try begin(bytes.unsafeLoad(as: UInt8.self)) }
        let (stream, block) = (stream, block)
        var isAtEnd = isAtEnd
        defer { self.isAtEnd = isAtEnd }
        try bytes.withUnsafeBytes { source throws(Failure) in
            // zlib does not write to what it reads, but says so only in its documentation.
            stream.pointee.next_in = UnsafeMutablePointer(
                mutating: source.baseAddress?.assumingMemoryBound(to: UInt8.self))
            stream.pointee.avail_in = UInt32(source.count)
            repeat {
                if isAtEnd { inflateReset(stream) }
                stream.pointee.next_out = block.assumingMemoryBound(to: UInt8.self)
                stream.pointee.avail_out = UInt32(Self.blockBytes)
                let code = inflate(stream, Z_NO_FLUSH)
                let count = Self.blockBytes - Int(stream.pointee.avail_out)
                if count > 0 { try body(UnsafeRawBufferPointer(start: block, count: count).bytes) }
                guard code == Z_OK || code == Z_BUF_ERROR || code == Z_STREAM_END else { throw Self.damaged }
                isAtEnd = code == Z_STREAM_END
            } while stream.pointee.avail_in > 0 || stream.pointee.avail_out == 0 && !isAtEnd
        }
    }

    private mutating func begin(_ first: UInt8) throws(Failure) {
        // 32 more than the window lets zlib tell the frames of gzip and zlib apart; less than nothing means no frame.
        let isFramed = coding == .gzip || first & 0x0F == UInt8(Z_DEFLATED)
        let bits = isFramed ? MAX_WBITS + 32 : -MAX_WBITS
        let code = inflateInit2_(stream, bits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        guard code == Z_OK else {
            throw Failure(.unsupported, "the body can not be unpacked: zlib says \(code)", isRetryable: false)
        }
        hasBegun = true
    }

    private static let damaged = Failure(
        .protocolViolation, "the compressed body is damaged: it can not be unpacked", isRetryable: true)
}
