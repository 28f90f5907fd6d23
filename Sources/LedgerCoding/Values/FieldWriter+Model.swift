package import LedgerModel

extension FieldWriter {
    /// A SHA-256, its 32 bytes. Traps on the sum of another algorithm: what is named so can be no other.
    package mutating func sha256(_ field: UInt32, _ digest: Digest) {
        precondition(digest.algorithm == .sha256, "a field for a SHA-256 takes no other sum")
        bytes(field, digest.bytes)
    }

    /// A digest: its algorithm's number (1 md5, 2 sha-1, 3 sha-256, 4 sha-512), then the sum.
    package mutating func digest(_ field: UInt32, _ digest: Digest) {
        bytes(field, CollectionOfOne(digest.algorithm.number) + digest.bytes)
    }

    /// Ranges, packed: for each the bytes since the end of the one before, then its own length.
    package mutating func ranges(_ field: UInt32, _ set: ByteRangeSet) {
        nested(field) { writer in
            var end: UInt64 = 0
            for range in set.ranges {
                writer.varint(range.lowerBound - end)
                writer.varint(range.upperBound - range.lowerBound)
                end = range.upperBound
            }
        }
    }

    /// Sums, packed: for each its four bytes, the lowest first; left out when there are none.
    package mutating func sums(_ field: UInt32, _ sums: RangeSums) {
        guard !sums.isEmpty else { return }
        bytes(field, sums.values.flatMap { sum in (0..<4).map { UInt8(truncatingIfNeeded: sum >> ($0 * 8)) } })
    }

    /// A command's name: 16 bytes, the upper half first.
    package mutating func command(_ field: UInt32, _ id: CommandID) {
        bytes(field, id.bytes)
    }
}

extension Digest.Algorithm {
    /// The number that stands for the algorithm in the log; never reused.
    package var number: UInt8 {
        switch self {
        case .md5: 1
        case .sha1: 2
        case .sha256: 3
        case .sha512: 4
        }
    }

    /// The algorithm of a recorded number; nil for one that format 1 does not have.
    package init?(number: UInt8) {
        guard let match = Self.allCases.first(where: { $0.number == number }) else { return nil }
        self = match
    }
}
