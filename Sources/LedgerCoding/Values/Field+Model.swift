package import LedgerModel

extension Field {
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
        guard let digest = Digest(.sha256, Array(try slice())) else { throw badValue }
        return digest
    }

    /// A digest as ``FieldWriter/digest(_:_:)`` writes it.
    package func digest() throws(CodingError) -> Digest {
        let slice = try slice()
        guard let first = slice.first, let algorithm = Digest.Algorithm(number: first),
            let digest = Digest(algorithm, Array(slice.dropFirst()))
        else { throw badValue }
        return digest
    }

    /// A set of ranges as ``FieldWriter/ranges(_:_:)`` writes it; it must be in normal form.
    package func ranges() throws(CodingError) -> ByteRangeSet {
        var packed = try nested()
        var ranges: [Range<UInt64>] = []
        var end: UInt64 = 0
        while !packed.isAtEnd {
            let hole = try packed.varint()
            let length = try packed.varint()
            guard hole <= Self.countMax - end, length > 0, length <= Self.countMax - end - hole,
                hole > 0 || ranges.isEmpty
            else { throw badValue }
            ranges.append(end + hole..<end + hole + length)
            end += hole + length
        }
        return ByteRangeSet(normalized: ranges)
    }

    /// Sums as ``FieldWriter/sums(_:_:)`` writes them, one for each of the ranges.
    package func sums(of ranges: ByteRangeSet) throws(CodingError) -> [UInt32] {
        let bytes = try slice()
        guard bytes.count == ranges.ranges.count * 4 else { throw badValue }
        var sums: [UInt32] = []
        sums.reserveCapacity(ranges.ranges.count)
        for start in stride(from: bytes.startIndex, to: bytes.endIndex, by: 4) {
            let low = UInt32(bytes[start]) | UInt32(bytes[start + 1]) << 8
            sums.append(low | UInt32(bytes[start + 2]) << 16 | UInt32(bytes[start + 3]) << 24)
        }
        return sums
    }

    /// A command's name.
    package func command() throws(CodingError) -> CommandID {
        guard let id = CommandID(bytes: try slice()) else { throw badValue }
        return id
    }

    /// A URL in normal form. What the log holds was normal when it was written; this checks what the rest of the
    /// program relies on: scheme, authority, a path, and no byte that a request line can not carry.
    package func url() throws(CodingError) -> ResourceURL {
        let bytes = try slice()
        guard bytes.count <= Self.urlBytesMax, Self.isURL(bytes.span) else { throw badValue }
        return ResourceURL(recorded: try string())
    }

    private static func isURL(_ bytes: Span<UInt8>) -> Bool {
        var host = "http://".utf8.count
        guard bytes.count > host else { return false }
        if bytes[4] == UInt8(ascii: "s") { host += 1 }
        let scheme = host == 7 ? "http://" : "https://"
        guard bytes.count > host, bytes.extracting(..<host).isEqual(to: scheme.utf8.span) else { return false }
        var slash: Int?
        for place in host..<bytes.count {
            guard bytes[place] > 32, bytes[place] < 127 else { return false }
            if slash == nil, bytes[place] == UInt8(ascii: "/") { slash = place }
        }
        return slash.map { $0 > host } ?? false
    }

    /// The longest recorded URL in bytes: one of ``ResourceURL/bytesMax`` whose every byte was percent-encoded.
    private static let urlBytesMax = ResourceURL.bytesMax * 3

    /// An absolute path without a NUL.
    package func path(_ interner: inout Interner) throws(CodingError) -> String {
        let bytes = try slice()
        guard bytes.first == UInt8(ascii: "/"), !bytes.contains(0) else { throw badValue }
        return try string(&interner)
    }

    /// One component of a path: no slash, no NUL, not `.` or `..`.
    package func component() throws(CodingError) -> String {
        let bytes = try slice()
        guard !bytes.contains(0), !bytes.contains(UInt8(ascii: "/")), !bytes.elementsEqual(".".utf8),
            !bytes.elementsEqual("..".utf8)
        else { throw badValue }
        return try string()
    }
}
