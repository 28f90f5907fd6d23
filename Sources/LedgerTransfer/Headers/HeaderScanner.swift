/// Reads a field value from left to right, byte by byte (RFC 9110, section 5.6).
struct HeaderScanner {
    private let bytes: [UInt8]
    private var index = 0

    init(_ text: String) { bytes = Array(text.utf8) }

    var isAtEnd: Bool { index >= bytes.count }
    var peek: UInt8? { isAtEnd ? nil : bytes[index] }

    mutating func skipSpace() {
        while let byte = peek, byte == 32 || byte == 9 { index += 1 }
    }

    mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard peek == UInt8(ascii: character) else { return false }
        index += 1
        return true
    }

    /// The bytes up to one of `ends` or the end.
    mutating func take(upTo ends: String) -> [UInt8] {
        let stops = Array(ends.utf8)
        let start = index
        while let byte = peek, !stops.contains(byte) { index += 1 }
        return Array(bytes[start..<index])
    }

    /// The inside of a quoted string whose opening quote was taken; a missing closing quote ends it at the end.
    mutating func takeQuoted() -> [UInt8] {
        var inside: [UInt8] = []
        while let byte = peek {
            index += 1
            if byte == UInt8(ascii: "\"") { break }
            if byte == UInt8(ascii: "\\"), let escaped = peek {
                // Only quotes and backslashes are ever escaped on purpose; `C:\dir` in a name keeps its backslash.
                if escaped == UInt8(ascii: "\"") || escaped == UInt8(ascii: "\\") {
                    index += 1
                    inside.append(escaped)
                    continue
                }
            }
            inside.append(byte)
        }
        return inside
    }

    /// One or more decimal digits that fit 64 bits; nil when there are none or they do not fit.
    mutating func takeNumber() -> UInt64? {
        var value: UInt64 = 0
        let start = index
        while let byte = peek, (48...57).contains(byte) {
            let (product, overflowed) = value.multipliedReportingOverflow(by: 10)
            let (sum, carried) = product.addingReportingOverflow(UInt64(byte - 48))
            guard !overflowed, !carried else { return nil }
            value = sum
            index += 1
        }
        return index == start ? nil : value
    }
}

extension [UInt8] {
    /// The bytes as text without white space at either end.
    var trimmedText: String {
        var slice = self[...]
        while let first = slice.first, first == 32 || first == 9 { slice.removeFirst() }
        while let last = slice.last, last == 32 || last == 9 { slice.removeLast() }
        return String(decoding: slice, as: UTF8.self)
    }
}
