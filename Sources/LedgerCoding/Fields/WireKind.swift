/// How the value of a field stands in the bytes; the low three bits of its key.
package enum WireKind: UInt8, Hashable, Sendable {
    /// An unsigned number: seven bits a byte, the lowest first, bit 7 set on all but the last.
    case varint = 0
    /// A signed number, zigzag-mapped so that small negatives stay short, then a varint.
    case zigzag = 1
    /// A varint length and that many bytes: text, a digest or nested fields.
    case bytes = 2

    /// The number of low bits of a key that hold the kind.
    package static let bitCount = 3
}
