/// Integers of the format are little-endian; they are written at the end of an array and read from a span.
extension [UInt8] {
    mutating func append<I: FixedWidthInteger & BitwiseCopyable>(integer value: I) {
        var rest = value.littleEndian
        unsafe Swift.withUnsafeBytes(of: &rest) { unsafe append(contentsOf: $0) }
    }

    /// LEB128, at most 10 bytes.
    mutating func append(varint value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(rest))
    }

    /// Zeros up to the next multiple of 8.
    mutating func pad() {
        while count % LogBounds.alignmentBytes != 0 { append(0) }
    }

    mutating func replace<I: FixedWidthInteger & BitwiseCopyable>(at offset: Int, with value: I) {
        var rest = value.littleEndian
        unsafe Swift.withUnsafeBytes(of: &rest) { bytes in
            for place in bytes.indices { self[offset + place] = unsafe bytes[place] }
        }
    }
}

extension MutableSpan<UInt8> {
    /// Writes an integer at `offset`; traps outside of the span.
    @_lifetime(self: copy self)
    mutating func store<I: FixedWidthInteger & BitwiseCopyable>(_ value: I, at offset: Int) {
        precondition(offset >= 0 && offset <= count - MemoryLayout<I>.size, "writes stay inside of what there is")
        unsafe withUnsafeMutableBytes { bytes in
            unsafe bytes.storeBytes(of: value.littleEndian, toByteOffset: offset, as: I.self)
        }
    }
}

extension Span<UInt8> {
    /// The integer at `offset`; traps outside of the span.
    func integer<I: FixedWidthInteger & BitwiseCopyable>(at offset: Int, as type: I.Type = I.self) -> I {
        precondition(offset >= 0 && offset <= count - MemoryLayout<I>.size, "reads stay inside what was read")
        return unsafe I(littleEndian: bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: I.self))
    }

    /// A LEB128 number and the offset after it; nil when it is cut short or longer than 64 bits.
    @inline(__always)
    func varint(at offset: Int) -> (value: UInt64, next: Int)? {
        // Most numbers are small.
        if offset < count, self[offset] < 0x80 { return (UInt64(self[offset]), offset + 1) }
        return longVarint(at: offset)
    }

    private func longVarint(at offset: Int) -> (value: UInt64, next: Int)? {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        var place = offset
        while place < count, shift < 64 {
            let byte = self[place]
            let bits = UInt64(byte & 0x7F)
            if shift == 63, bits > 1 { return nil }
            value |= bits << shift
            place += 1
            if byte & 0x80 == 0 { return (value, place) }
            shift += 7
        }
        return nil
    }
}

extension Int64 {
    var zigzag: UInt64 { UInt64(bitPattern: (self << 1) ^ (self >> 63)) }

    init(zigzag value: UInt64) { self = Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1) }
}

/// `length` rounded up to a multiple of 8.
func aligned(_ length: Int) -> Int {
    (length + LogBounds.alignmentBytes - 1) / LogBounds.alignmentBytes * LogBounds.alignmentBytes
}
