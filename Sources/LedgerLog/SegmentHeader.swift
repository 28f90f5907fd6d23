package import LedgerModel
import LedgerSystem

/// The first 64 bytes of a segment.
package struct SegmentHeader: Hashable, Sendable {
    /// The ledger it belongs to.
    package var identity: LedgerID
    /// Its number among all segments there ever were, from 1.
    package var ordinal: UInt32
    /// Random; seeds every checksum, so that bytes of another file or another time are never taken for a batch.
    package var salt: UInt32
    /// The sequence of its first record.
    package var first: SequenceNumber
    /// The first 20 bytes of the seal before it; zeros in the first segment.
    package var previousSeal: [UInt8]

    /// A salt that no file had before, as far as chance goes.
    static func salt(_ random: UInt64) -> UInt32 {
        #if PLANTED_BUGS
            if PlantedBug.staleSaltAccepted.isOn { return 0 }
        #endif
        return UInt32(truncatingIfNeeded: random)
    }

    static let magic: UInt32 = 0x5347_444C  // "LDGS"
    static let sealBytes = 20

    /// The 64 bytes, checksum last.
    package var encoded: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(LogBounds.headerBytes)
        bytes.append(integer: Self.magic)
        bytes.append(integer: LogBounds.format)
        bytes.append(integer: UInt16(0))
        bytes.append(contentsOf: identity.bytes)
        bytes.append(integer: ordinal)
        bytes.append(integer: salt)
        bytes.append(integer: first.rawValue)
        bytes.append(contentsOf: previousSeal)
        bytes.append(integer: CRC32C.checksum(bytes.span))
        return bytes
    }

    /// What is wrong with 64 bytes that should be a header.
    enum Fault: Error, Hashable {
        case short
        case magic
        case format(UInt16)
        case checksum(stored: UInt32, computed: UInt32)
    }

    init(decoding bytes: Span<UInt8>) throws(Fault) {
        guard bytes.count >= LogBounds.headerBytes else { throw .short }
        let stored: UInt32 = bytes.integer(at: 60)
        let computed = CRC32C.checksum(bytes.extracting(..<60))
        guard bytes.integer(at: 0) == Self.magic else { throw .magic }
        guard stored == computed else { throw .checksum(stored: stored, computed: computed) }
        let format: UInt16 = bytes.integer(at: 4)
        guard format == LogBounds.format else { throw .format(format) }
        identity = LedgerID(bytes.integer(at: 8), bytes.integer(at: 16))
        ordinal = bytes.integer(at: 24)
        salt = bytes.integer(at: 28)
        first = SequenceNumber(bytes.integer(at: 32))
        previousSeal = (40..<60).map { bytes[$0] }
    }

    init(identity: LedgerID, ordinal: UInt32, salt: UInt32, first: SequenceNumber, previousSeal: TreeHash?) {
        self.identity = identity
        self.ordinal = ordinal
        self.salt = salt
        self.first = first
        self.previousSeal =
            previousSeal.map { Array($0.bytes.prefix(Self.sealBytes)) } ?? Array(repeating: 0, count: Self.sealBytes)
    }

    /// What the first batch repeats in place of an earlier batch's checksum.
    var chain: UInt32 { CRC32C.checksum(encoded.span) }
}
