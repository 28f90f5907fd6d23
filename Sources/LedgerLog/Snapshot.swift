package import LedgerModel

/// A projection's state at a sequence, as bytes. A cache: on any doubt it is not used, and the log is folded instead.
package struct Snapshot: Hashable, Sendable {
    /// The last record that the state has in it.
    package let sequence: SequenceNumber
    /// What the content is, in the engine's own numbering.
    package let kind: UInt8
    /// The version of the content's meaning: another one is refolded.
    package let version: UInt16
    /// The root of the tree at ``sequence``.
    package let root: TreeHash
    /// The state, up to ``LogBounds/snapshotBytesMax``.
    package let content: [UInt8]

    /// A snapshot with every field given.
    package init(sequence: SequenceNumber, kind: UInt8, version: UInt16, root: TreeHash, content: [UInt8]) {
        self.sequence = sequence
        self.kind = kind
        self.version = version
        self.root = root
        self.content = content
    }

    static let magic: UInt32 = 0x5047_444C  // "LDGP"
    static let headerBytes = 80
    static let digestBytes = 32
    /// Content that is shorter is not packed.
    static let packedBytesMin = 64 << 10

    /// How the content stands in the file.
    private enum Packing: UInt8 {
        case plain = 0
        /// As gzip members, one after the other.
        case members = 1
    }

    func encoded(_ identity: LedgerID) -> [UInt8] {
        let packed = content.count < Self.packedBytesMin ? nil : GzipMember.packAll(content, .low)
        let stored = packed ?? content
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.headerBytes + stored.count + Self.digestBytes)
        bytes.append(integer: Self.magic)
        bytes.append(integer: LogBounds.format)
        bytes.append(kind)
        bytes.append((packed == nil ? Packing.plain : .members).rawValue)
        bytes.append(contentsOf: identity.bytes)
        bytes.append(integer: sequence.rawValue)
        bytes.append(integer: UInt64(version))
        bytes.append(integer: UInt64(stored.count))
        root.append(to: &bytes)
        bytes.append(contentsOf: stored)
        TreeHash.sha256(bytes.span).append(to: &bytes)
        return bytes
    }

    /// The snapshot of a file's bytes; nil when anything in it is not as it was written, or it is of another ledger.
    init?(decoding array: [UInt8], _ identity: LedgerID) {
        let bytes = array.span
        let end = bytes.count - Self.digestBytes
        guard end >= Self.headerBytes, bytes.integer(at: 0) == Self.magic,
            TreeHash(reading: bytes, at: end) == .sha256(bytes.extracting(..<end)),
            bytes.integer(at: 4) == LogBounds.format,
            LedgerID(bytes.integer(at: 8), bytes.integer(at: 16)) == identity,
            bytes.integer(at: 40, as: UInt64.self) == UInt64(end - Self.headerBytes),
            let version = UInt16(exactly: bytes.integer(at: 32, as: UInt64.self)),
            let packing = Packing(rawValue: bytes[7])
        else { return nil }
        kind = bytes[6]
        sequence = SequenceNumber(bytes.integer(at: 24))
        self.version = version
        root = TreeHash(reading: bytes, at: 48)
        let stored = array[Self.headerBytes..<end]
        switch packing {
        case .plain: content = Array(stored)
        case .members:
            guard let plain = GzipMember.unpackAll(stored, bytesMax: LogBounds.snapshotBytesMax) else { return nil }
            content = plain
        }
    }
}
