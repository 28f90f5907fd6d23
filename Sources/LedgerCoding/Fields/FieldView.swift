/// One field as it was read: its number and a view of its value, checked by whoever asks for it against the type and
/// the range that the schema gives it. It can not outlive the bytes, so that it need not count who uses them.
package struct FieldView: ~Escapable {
    /// The field's number, 1 or higher.
    package let number: UInt32
    let kind: WireKind
    /// The number as it stands there; of bytes, how many they are.
    let value: UInt64
    /// The bytes; none for a number.
    let content: Span<UInt8>

    @_lifetime(copy content)
    init(number: UInt32, kind: WireKind, value: UInt64, content: Span<UInt8>) {
        self.number = number
        self.kind = kind
        self.value = value
        self.content = content
    }

    /// The error for a value that its schema does not allow.
    package var badValue: CodingError { CodingError(.badValue(field: number)) }

    /// An unsigned number within `type`.
    package func uint<T: UnsignedInteger & FixedWidthInteger>(as type: T.Type = T.self) throws(CodingError) -> T {
        guard kind == .varint else { throw CodingError(.wrongKind(field: number)) }
        guard let narrow = T(exactly: value) else { throw badValue }
        return narrow
    }

    /// A length, an offset, a count or a sequence number: at most ``Field/countMax``.
    package func count() throws(CodingError) -> UInt64 {
        guard kind == .varint else { throw CodingError(.wrongKind(field: number)) }
        guard value <= Field.countMax else { throw badValue }
        return value
    }

    /// A signed number within `type`.
    package func int<T: SignedInteger & FixedWidthInteger>(as type: T.Type = T.self) throws(CodingError) -> T {
        guard kind == .zigzag else { throw CodingError(.wrongKind(field: number)) }
        guard let narrow = T(exactly: Int64(zigzag: value)) else { throw badValue }
        return narrow
    }

    /// The bytes of the field.
    @_lifetime(copy self)
    package func bytes() throws(CodingError) -> Span<UInt8> {
        guard kind == .bytes else { throw CodingError(.wrongKind(field: number)) }
        return content
    }

    /// Exactly `count` bytes, copied.
    package func bytes(count: Int) throws(CodingError) -> [UInt8] {
        let bytes = try bytes()
        guard bytes.count == count else { throw badValue }
        return Array(copying: bytes)
    }

    /// A text; it must be UTF-8.
    package func string() throws(CodingError) -> String {
        guard let text = String(checking: try bytes()) else { throw CodingError(.badText(field: number)) }
        return text
    }

    /// A text that many events share: made once for each distinct value.
    package func string(_ interner: inout Interner) throws(CodingError) -> String {
        guard let text = interner.string(try bytes()) else { throw CodingError(.badText(field: number)) }
        return text
    }

    /// The fields within the field.
    @_lifetime(copy self)
    package func nested() throws(CodingError) -> FieldReader { FieldReader(try bytes()) }

    /// The field as it can be kept, with a copy of its bytes.
    var kept: Field {
        switch kind {
        case .varint: Field(number: number, content: .uint(value))
        case .zigzag: Field(number: number, content: .int(Int64(zigzag: value)))
        case .bytes: Field(number: number, content: .bytes(Array(copying: content)[...]))
        }
    }
}

extension Int64 {
    /// The signed number that ``WireKind/zigzag`` writes as this unsigned one.
    fileprivate init(zigzag value: UInt64) { self = Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1) }
}
