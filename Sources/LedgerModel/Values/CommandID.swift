/// The name of a command, 128 bits. A command that arrives again under the same name gets the first answer and
/// appends nothing, so that a caller may repeat what it got no answer to.
package struct CommandID: Hashable, Sendable, CustomStringConvertible {
    /// The upper 64 bits.
    package let high: UInt64
    /// The lower 64 bits.
    package let low: UInt64

    /// A name of two halves, drawn by the caller.
    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// A fresh name from a source of randomness.
    package init(using generator: inout some RandomNumberGenerator) {
        self.init(high: generator.next(), low: generator.next())
    }

    /// A name of its 16 bytes, the upper half first; nil for fewer or more.
    package init?(bytes: ArraySlice<UInt8>) {
        guard bytes.count == 16 else { return nil }
        var (high, low) = (UInt64(0), UInt64(0))
        for place in bytes.indices.prefix(8) { high = high << 8 | UInt64(bytes[place]) }
        for place in bytes.indices.dropFirst(8) { low = low << 8 | UInt64(bytes[place]) }
        self.init(high: high, low: low)
    }

    /// Parses 32 hexadecimal digits, hyphens allowed. Returns nil for anything else.
    package init?(parsing text: String) {
        guard let bytes = [UInt8](hex: text.filter { $0 != "-" }) else { return nil }
        self.init(bytes: bytes[...])
    }

    /// The 16 bytes, the upper half first.
    package var bytes: [UInt8] {
        [high, low].flatMap { half in
            stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: half >> UInt64($0)) }
        }
    }

    package var description: String { bytes.hex }
}
