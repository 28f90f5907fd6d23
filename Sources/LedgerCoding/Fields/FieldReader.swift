/// Reads what ``FieldWriter`` wrote, out of a bounds-checked view of the bytes: nothing is copied but texts and lists.
///
/// Whatever the bytes are, it throws rather than traps. Field numbers ascend, so a schema is read top down by asking
/// for each number in turn; fields that are not asked for are unknown ones, and are read over.
package struct FieldReader: Sendable {
    private let bytes: ArraySlice<UInt8>
    private var position: Int
    private var last: UInt32 = 0

    /// The highest field number that a key may carry.
    package static let fieldNumberMax: UInt64 = 1 << 28

    /// A reader over a payload or a nested field.
    package init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        position = bytes.startIndex
    }

    /// Whether everything was read.
    package var isAtEnd: Bool { position == bytes.endIndex }

    /// The next field; nil at the end, or when the next field's number is above `limit` (it then stays unread).
    package mutating func next(upTo limit: UInt32 = .max) throws(CodingError) -> Field? {
        guard position < bytes.endIndex else { return nil }
        let start = position
        let key = try varint()
        let number = key >> UInt64(WireKind.bitCount)
        guard number > 0, number <= Self.fieldNumberMax else { throw CodingError(.badVarint(offset: offset(start))) }
        let field = UInt32(number)
        guard field <= limit else {
            position = start
            return nil
        }
        guard field >= last else { throw CodingError(.outOfOrder(field: field)) }
        last = field
        let bits = UInt8(truncatingIfNeeded: key) & (1 << WireKind.bitCount - 1)
        guard let kind = WireKind(rawValue: bits) else {
            throw CodingError(.badWireKind(bits, offset: offset(start)))
        }
        return Field(number: field, content: try content(kind, from: start))
    }

    /// The field with this number, or nil when there is none (any more): asking again walks a repeated field.
    package mutating func optional(_ number: UInt32) throws(CodingError) -> Field? {
        while let field = try next(upTo: number) {
            if field.number == number { return field }
        }
        return nil
    }

    /// The field with this number, which the schema requires.
    package mutating func required(_ number: UInt32) throws(CodingError) -> Field {
        guard let field = try optional(number) else { throw CodingError(.missing(field: number)) }
        return field
    }

    /// Whether the flag with this number is set. The writer leaves a false one out.
    package mutating func flag(_ number: UInt32) throws(CodingError) -> Bool {
        guard let field = try optional(number) else { return false }
        guard try field.uint(as: UInt64.self) == 1 else { throw field.badValue }
        return true
    }

    /// Reads what is left, unknown fields all, so that damage behind the last known field is noticed too.
    package mutating func finish() throws(CodingError) {
        while try next() != nil {}
    }

    /// A bare varint, for lists packed into the bytes of one field.
    package mutating func varint() throws(CodingError) -> UInt64 {
        // Most numbers are small.
        if position < bytes.endIndex, bytes[position] < 0x80 {
            defer { position += 1 }
            return UInt64(bytes[position])
        }
        let start = position
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while position < bytes.endIndex {
            let byte = bytes[position]
            position += 1
            if shift == 63, byte > 1 { throw CodingError(.badVarint(offset: offset(start))) }
            value |= UInt64(byte & 0x7F) << shift
            if byte & 0x80 == 0 {
                if byte == 0, shift > 0 { throw CodingError(.badVarint(offset: offset(start))) }
                return value
            }
            shift += 7
        }
        throw CodingError(.truncated(offset: offset(start)))
    }

    private mutating func content(_ kind: WireKind, from start: Int) throws(CodingError) -> Field.Content {
        let value = try varint()
        switch kind {
        case .varint: return .uint(value)
        case .zigzag: return .int(Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1))
        case .bytes:
            guard value <= UInt64(bytes.endIndex - position) else {
                throw CodingError(.truncated(offset: offset(start)))
            }
            let slice = bytes[position..<position + Int(value)]
            position = slice.endIndex
            return .bytes(slice)
        }
    }

    private func offset(_ position: Int) -> Int { position - bytes.startIndex }
}
