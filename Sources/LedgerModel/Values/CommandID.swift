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

    /// Parses 32 hexadecimal digits, hyphens allowed. Returns nil for anything else.
    package init?(parsing text: String) {
        guard let bytes = [UInt8](hex: text.filter { $0 != "-" }), bytes.count == 16 else { return nil }
        let halves = bytes.split(half: 8)
        self.init(high: halves.0, low: halves.1)
    }

    package var description: String {
        func hex(_ value: UInt64) -> String {
            let text = String(value, radix: 16)
            return String(repeating: "0", count: 16 - text.utf8.count) + text
        }
        return hex(high) + hex(low)
    }
}

extension [UInt8] {
    fileprivate func split(half: Int) -> (UInt64, UInt64) {
        (self[..<half].reduce(0) { $0 << 8 | UInt64($1) }, self[half...].reduce(0) { $0 << 8 | UInt64($1) })
    }
}
