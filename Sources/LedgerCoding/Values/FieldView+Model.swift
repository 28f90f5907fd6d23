package import LedgerModel

extension FieldView {
    /// A sequence number, 1 or higher.
    package func sequence() throws(CodingError) -> SequenceNumber {
        let value = try count()
        guard value > 0 else { throw badValue }
        return SequenceNumber(value)
    }

    /// An instant.
    package func timestamp() throws(CodingError) -> Timestamp { Timestamp(milliseconds: try int()) }

    /// A SHA-256 as ``FieldWriter/sha256(_:_:)`` writes it.
    package func sha256() throws(CodingError) -> Digest {
        guard let digest = Digest(.sha256, Array(copying: try bytes())) else { throw badValue }
        return digest
    }

    /// A digest as ``FieldWriter/digest(_:_:)`` writes it.
    package func digest() throws(CodingError) -> Digest {
        let bytes = try bytes()
        guard !bytes.isEmpty, let algorithm = Digest.Algorithm(number: bytes[0]),
            let digest = Digest(algorithm, Array(copying: bytes.extracting(1...)))
        else { throw badValue }
        return digest
    }

    /// A set of ranges as ``FieldWriter/ranges(_:_:)`` writes it; it must be in normal form.
    package func ranges() throws(CodingError) -> ByteRangeSet {
        var packed = try nested()
        guard !packed.isAtEnd else { return ByteRangeSet() }
        let first = try range(from: &packed, after: 0)
        // Most sets are one range, for which no list is made.
        guard !packed.isAtEnd else { return ByteRangeSet(first) }
        var ranges: [Range<UInt64>] = []
        // Of two numbers each.
        ranges.reserveCapacity(content.varintEnds / 2)
        ranges.append(first)
        while !packed.isAtEnd {
            let range = try range(from: &packed, after: ranges[ranges.count - 1].upperBound)
            guard range.lowerBound > ranges[ranges.count - 1].upperBound else { throw badValue }
            ranges.append(range)
        }
        return ByteRangeSet(normalized: ranges)
    }

    /// A range that begins at `end` or behind it.
    @inline(__always)
    private func range(from packed: inout FieldReader, after end: UInt64) throws(CodingError) -> Range<UInt64> {
        let hole = try packed.varint()
        let length = try packed.varint()
        guard hole <= Field.countMax - end, length > 0, length <= Field.countMax - end - hole else { throw badValue }
        return end + hole..<end + hole + length
    }

    /// Sums as ``FieldWriter/sums(_:_:)`` writes them, one for each of the ranges.
    package func sums(of ranges: ByteRangeSet) throws(CodingError) -> RangeSums {
        let bytes = try bytes()
        guard bytes.count == ranges.rangeCount * 4 else { throw badValue }
        if bytes.count == 4 { return RangeSums(Self.sum(bytes, at: 0)) }
        var sums: [UInt32] = []
        sums.reserveCapacity(ranges.rangeCount)
        for place in stride(from: 0, to: bytes.count, by: 4) { sums.append(Self.sum(bytes, at: place)) }
        return RangeSums(sums)
    }

    private static func sum(_ bytes: Span<UInt8>, at place: Int) -> UInt32 {
        let low = UInt32(bytes[place]) | UInt32(bytes[place + 1]) << 8
        return low | UInt32(bytes[place + 2]) << 16 | UInt32(bytes[place + 3]) << 24
    }

    /// A command's name.
    package func command() throws(CodingError) -> CommandID {
        let bytes = try bytes()
        guard bytes.count == 16 else { throw badValue }
        return CommandID(high: bytes.word(at: 0).byteSwapped, low: bytes.word(at: 8).byteSwapped)
    }

    /// A URL in normal form. What the log holds was normal when it was written; this checks what the rest of the
    /// program relies on: scheme, authority, a path, and no byte that a request line can not carry.
    package func url() throws(CodingError) -> ResourceURL {
        let bytes = try bytes()
        guard bytes.count <= Self.urlBytesMax, Self.isURL(bytes) else { throw badValue }
        return ResourceURL(recorded: try string())
    }

    /// A URL as ``url()`` reads it, or the very same `known` one.
    func url(sharing known: ResourceURL?) throws(CodingError) -> ResourceURL {
        if let known, known.text.utf8.span.isEqual(to: try bytes()) { return known }
        return try url()
    }

    private static func isURL(_ bytes: Span<UInt8>) -> Bool {
        var host = "http://".utf8.count
        guard bytes.count > host else { return false }
        if bytes[4] == UInt8(ascii: "s") { host += 1 }
        let scheme = host == 7 ? "http://" : "https://"
        guard bytes.count > host, bytes.extracting(..<host).isEqual(to: scheme.utf8.span) else { return false }
        guard bytes.isGraphic else { return false }
        var slash = host
        while slash < bytes.count, bytes[slash] != UInt8(ascii: "/") { slash += 1 }
        return slash > host && slash < bytes.count
    }

    /// The longest recorded URL in bytes: one of ``ResourceURL/bytesMax`` whose every byte was percent-encoded.
    private static let urlBytesMax = ResourceURL.bytesMax * 3

    /// An absolute path without a NUL, which many events share.
    package func path(_ interner: inout Interner) throws(CodingError) -> String {
        guard Self.isPath(try bytes()) else { throw badValue }
        return try string(&interner)
    }

    /// An absolute path without a NUL, which is of this event alone.
    package func path() throws(CodingError) -> String {
        guard Self.isPath(try bytes()) else { throw badValue }
        return try string()
    }

    private static func isPath(_ bytes: Span<UInt8>) -> Bool {
        !bytes.isEmpty && bytes[0] == UInt8(ascii: "/") && !bytes.contains(0)
    }

    /// One component of a path: no slash, no NUL, not `.` or `..`.
    package func component() throws(CodingError) -> String {
        let bytes = try bytes()
        let dot = UInt8(ascii: ".")
        let isDots = bytes.count == 1 && bytes[0] == dot || bytes.count == 2 && bytes[0] == dot && bytes[1] == dot
        guard !bytes.contains(0), !bytes.contains(UInt8(ascii: "/")), !isDots else { throw badValue }
        return try string()
    }
}
