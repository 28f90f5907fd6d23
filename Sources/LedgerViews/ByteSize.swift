/// A number of bytes as people write it: `4096`, `20K`, `1.5M`, `2GiB`; the units are powers of 1024, as in aria2 and
/// curl.
package struct ByteSize: Hashable, Sendable {
    /// The number.
    package let bytes: UInt64

    /// So many bytes.
    package init(_ bytes: UInt64) { self.bytes = bytes }

    /// Parses a number with an optional unit of K, M, G or T (`KB` and `KiB` mean the same), `/s` allowed behind it.
    /// Returns nil for anything else, for what is negative, and from 9 * 10^18 on.
    package init?(parsing text: String) {
        var rest = text.lowercased()
        if rest.hasSuffix("/s") { rest.removeLast(2) }
        let number = rest.prefix { $0.isASCII && $0.isNumber || $0 == "." }
        var unit = rest.dropFirst(number.count)
        if unit.hasSuffix("ib") { unit.removeLast(2) } else if unit.hasSuffix("b") { unit.removeLast() }
        let shift: UInt64
        switch unit {
        case "": shift = 0
        case "k": shift = 10
        case "m": shift = 20
        case "g": shift = 30
        case "t": shift = 40
        default: return nil
        }
        guard !number.isEmpty, number != ".", let value = Double(number) else { return nil }
        let bytes = value * Double(1 << shift)
        guard bytes < 9.0e18 else { return nil }
        // A rate that is not nothing must not become 0, which is no limit.
        self.init(UInt64(bytes > 0 ? max(1, bytes.rounded()) : 0))
    }

    /// The limit that a rate means: none for 0.
    package var limit: UInt64? { bytes == 0 ? nil : bytes }
}
