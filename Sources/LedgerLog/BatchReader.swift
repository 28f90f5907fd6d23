import LedgerModel
import LedgerSystem

/// What is wrong with bytes that should be a batch.
package enum BatchFault: Hashable, Sendable {
    /// Its length goes past the end of the file.
    case cut(length: Int)
    /// Its length is none that a batch can have.
    case length(UInt32)
    /// Its bytes are not those that were written.
    case checksum(stored: UInt32, computed: UInt32)
    /// It is whole, and follows another batch than the one before it.
    case chain(stored: UInt32, expected: UInt32)
    /// It is whole, and begins with another sequence than the next.
    case sequence(stored: UInt64, expected: UInt64)
    /// It is whole, and its records do not fill it.
    case records

    /// Whether the checksum holds: such a batch was written so, and is no torn write.
    var isWhole: Bool {
        switch self {
        case .cut, .length, .checksum: false
        case .chain, .sequence, .records: true
        }
    }

    /// What it does, for a sentence that begins with "the batch".
    var sentence: String {
        switch self {
        case .cut(let length): "is longer (\(length.grouped) bytes) than what follows"
        case .length(let length): "has an impossible length (\(length.grouped))"
        case .checksum(let stored, let computed):
            "fails its checksum (stored \(stored.hexadecimal), computed \(computed.hexadecimal))"
        case .chain(let stored, let expected):
            "follows another batch than the one before it (\(stored.hexadecimal), not \(expected.hexadecimal))"
        case .sequence(let stored, let expected):
            "begins with sequence \(stored.grouped) where \(expected.grouped) is next"
        case .records: "holds other records than its count says"
        }
    }
}

/// Reads batches: what their bytes say, checked.
enum BatchReader {
    /// The smallest batch: a header, one record of four bytes with its padding, a root.
    static let lengthMin = LogBounds.batchHeaderBytes + LogBounds.alignmentBytes + LogBounds.rootBytes

    /// The length field of the batch that `bytes` begin with, when a batch can have it.
    static func length(_ bytes: Span<UInt8>) -> Int? {
        let length = Int(bytes.integer(at: 0, as: UInt32.self))
        let isPossible =
            length >= lengthMin && length <= LogBounds.batchLengthMax && length % LogBounds.alignmentBytes == 0
        return isPossible ? length : nil
    }

    /// Whether `bytes`, all of one batch, hold their checksum; the fault otherwise.
    static func fault(_ bytes: Span<UInt8>, salt: UInt32) -> BatchFault? {
        #if PLANTED_BUGS
            if PlantedBug.checksumSkipped.isOn { return nil }
        #endif
        let stored: UInt32 = bytes.integer(at: 4)
        let computed = CRC32C.checksum(bytes, exceptAt: 4, seed: salt)
        return stored == computed ? nil : .checksum(stored: stored, computed: computed)
    }

    /// Decodes a batch whose checksum holds; nil when its records do not fill it exactly.
    static func decode(_ slice: ArraySlice<UInt8>, at offset: UInt64) -> StoredBatch? {
        let bytes = slice.span
        let count = Int(bytes.integer(at: 12, as: UInt32.self))
        let first = SequenceNumber(bytes.integer(at: 16))
        let end = bytes.count - LogBounds.rootBytes
        guard count > 0, count <= (end - LogBounds.batchHeaderBytes) / 4, first > .zero,
            first.rawValue < UInt64.max
        else { return nil }
        var walk = RecordWalk(bytes, first: first, count: count)
        guard let place = walk.check(in: bytes) else { return nil }
        guard aligned(place) == end, (place..<end).allSatisfy({ bytes[$0] == 0 }) else { return nil }
        return StoredBatch(
            first: first, last: walk.sequence.previous, offset: offset, bytes: slice, recordsMax: count)
    }
}
