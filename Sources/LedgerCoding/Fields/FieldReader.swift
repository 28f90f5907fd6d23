/// Reads what ``FieldWriter`` wrote, out of a bounds-checked view of the bytes: nothing is copied but texts and lists,
/// and nothing is counted, because the compiler keeps the view within the life of the bytes.
///
/// Whatever the bytes are, it throws rather than traps. Field numbers ascend, so a schema is read top down by asking
/// for each number in turn; fields that are not asked for are unknown ones, and are read over.
package struct FieldReader: ~Escapable {
    private let bytes: Span<UInt8>
    /// How many there are. The compiler asks the view by a call where a function reads many fields.
    private let end: Int
    /// From 0 up to `end`: each step is compared with that, and not again when a byte is read.
    private var position = 0
    private var last: UInt32 = 0

    /// The highest field number that a key may carry.
    package static let fieldNumberMax: UInt64 = 1 << 28

    /// A reader over a payload or a nested field.
    @_lifetime(copy bytes)
    package init(_ bytes: Span<UInt8>) {
        self.bytes = bytes
        end = bytes.count
    }

    /// How many bytes were read.
    package var offset: Int { position }

    /// Whether everything was read.
    package var isAtEnd: Bool { position == end }

    /// The next field; nil at the end, or when the next field's number is above `limit` (it then stays unread).
    @_lifetime(copy self)
    package mutating func next(upTo limit: UInt32 = .max) throws(CodingError) -> FieldView? {
        guard position < end else { return nil }
        let start = position
        let key = try varint()
        let number = key >> UInt64(WireKind.bitCount)
        guard number > 0, number <= Self.fieldNumberMax else { throw CodingError(.badVarint(offset: start)) }
        let field = UInt32(number)
        guard field <= limit else {
            position = start
            return nil
        }
        guard field >= last else { throw CodingError(.outOfOrder(field: field)) }
        last = field
        let bits = UInt8(truncatingIfNeeded: key) & (1 << WireKind.bitCount - 1)
        guard let kind = WireKind(rawValue: bits) else { throw CodingError(.badWireKind(bits, offset: start)) }
        return try self.field(field, kind, from: start)
    }

    /// The field whose key, which stands at `start`, was read.
    @inline(__always)
    @_lifetime(copy self)
    private mutating func field(
        _ number: UInt32, _ kind: WireKind, from start: Int
    ) throws(CodingError) -> FieldView {
        let value = try varint()
        guard kind == .bytes else {
            return FieldView(
                number: number, kind: kind, value: value, content: unsafe bytes.extracting(unchecked: 0..<0))
        }
        guard value <= UInt64(end - position) else { throw CodingError(.truncated(offset: start)) }
        let content = position
        position += Int(value)
        return FieldView(
            number: number, kind: kind, value: value, content: unsafe bytes.extracting(unchecked: content..<position))
    }

    /// The field with this number, or nil when there is none (any more): asking again walks a repeated field.
    @inline(__always)
    @_lifetime(copy self)
    package mutating func optional(_ number: UInt32) throws(CodingError) -> FieldView? {
        // Most that is asked for comes next or is not there, and most keys are one byte: that is seen where it is
        // asked. Whatever else stands here, `found` judges.
        guard position < end else { return nil }
        let key = unsafe bytes[unchecked: position]
        let upcoming = UInt32(key >> UInt8(WireKind.bitCount))
        guard key < 0x80, upcoming >= number else { return try found(number) }
        guard upcoming == number else { return nil }
        guard number >= last, let kind = WireKind(rawValue: key & (1 << WireKind.bitCount - 1)) else {
            return try found(number)
        }
        let start = position
        position += 1
        last = number
        return try field(number, kind, from: start)
    }

    @_lifetime(copy self)
    private mutating func found(_ number: UInt32) throws(CodingError) -> FieldView? {
        while let field = try next(upTo: number) {
            if field.number == number { return field }
        }
        return nil
    }

    /// The field with this number, which the schema requires.
    @inline(__always)
    @_lifetime(copy self)
    package mutating func required(_ number: UInt32) throws(CodingError) -> FieldView {
        guard let field = try optional(number) else { throw CodingError(.missing(field: number)) }
        return field
    }

    /// What `decode` makes of the field with this number; nil when there is none.
    package mutating func optional<Value>(
        _ number: UInt32, _ decode: (FieldView) throws(CodingError) -> Value
    ) throws(CodingError) -> Value? {
        guard let field = try optional(number) else { return nil }
        return try decode(field)
    }

    /// Whether the flag with this number is set. The writer leaves a false one out.
    package mutating func flag(_ number: UInt32) throws(CodingError) -> Bool {
        guard let field = try optional(number) else { return false }
        guard try field.uint(as: UInt64.self) == 1 else { throw field.badValue }
        return true
    }

    /// Reads what is left, unknown fields all, so that damage behind the last known field is noticed too.
    package mutating func finish() throws(CodingError) {
        while !isAtEnd { _ = try next() }
    }

    /// A bare varint, for lists packed into the bytes of one field.
    @inline(__always)
    package mutating func varint() throws(CodingError) -> UInt64 {
        // Most numbers are small.
        if position < end {
            let byte = unsafe bytes[unchecked: position]
            if byte < 0x80 {
                position += 1
                return UInt64(byte)
            }
        }
        return try longVarint()
    }

    private mutating func longVarint() throws(CodingError) -> UInt64 {
        var (value, shift, place): (UInt64, UInt64, Int) = (0, 0, position)
        while place < end {
            let byte = unsafe UInt64(bytes[unchecked: place])
            place += 1
            value |= (byte & 0x7F) &<< shift
            if byte < 0x80 {
                // No zero at the end, and no bit beyond the sixty-fourth.
                guard byte > 0 || shift == 0, byte == 1 || shift < 63 else {
                    throw CodingError(.badVarint(offset: position))
                }
                position = place
                return value
            }
            guard shift < 63 else { throw CodingError(.badVarint(offset: position)) }
            shift += 7
        }
        throw CodingError(.truncated(offset: position))
    }
}
