import LedgerModel

/// Which ledger this is: 16 random bytes, given once and written into every file of it.
package struct LedgerID: Hashable, Sendable, CustomStringConvertible {
    /// The first eight bytes, little-endian.
    let low: UInt64
    /// The last eight bytes, little-endian.
    let high: UInt64

    /// An identity of two random numbers.
    package init(_ low: UInt64, _ high: UInt64) {
        self.low = low
        self.high = high
    }

    /// The identity of its 16 bytes; nil when there are fewer or more.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        self.init(bytes.span.integer(at: 0), bytes.span.integer(at: 8))
    }

    /// The 16 bytes.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(integer: low)
        bytes.append(integer: high)
        return bytes
    }

    package var description: String { bytes.hex }
}
