/// One field as it was read: its number and its value, checked by whoever asks for it against the type and the range
/// that the schema gives it.
package struct Field: Hashable, Sendable {
    /// A value by its wire kind.
    package enum Content: Hashable, Sendable {
        case uint(UInt64)
        case int(Int64)
        /// A view of the reader's bytes.
        case bytes(ArraySlice<UInt8>)
    }

    /// The field's number, 1 or higher.
    package let number: UInt32
    /// The value by its wire kind.
    package let content: Content

    /// A field of both its parts, as an upcaster makes one.
    package init(number: UInt32, content: Content) {
        self.number = number
        self.content = content
    }

    /// The highest length, offset or sequence number accepted: what a signed 64-bit number holds, so that sums and
    /// successors of what is read can be formed without a trap.
    package static let countMax = UInt64(Int64.max)

    /// The error for a value that its schema does not allow.
    package var badValue: CodingError { CodingError(.badValue(field: number)) }
}

extension Field {
    /// An unsigned number within `type`.
    package func uint<T: UnsignedInteger & FixedWidthInteger>(as type: T.Type = T.self) throws(CodingError) -> T {
        guard case .uint(let value) = content else { throw CodingError(.wrongKind(field: number)) }
        guard let narrow = T(exactly: value) else { throw badValue }
        return narrow
    }

    /// A length, an offset, a count or a sequence number: at most ``countMax``.
    package func count() throws(CodingError) -> UInt64 {
        let value = try uint(as: UInt64.self)
        guard value <= Self.countMax else { throw badValue }
        return value
    }

    /// A signed number within `type`.
    package func int<T: SignedInteger & FixedWidthInteger>(as type: T.Type = T.self) throws(CodingError) -> T {
        guard case .int(let value) = content else { throw CodingError(.wrongKind(field: number)) }
        guard let narrow = T(exactly: value) else { throw badValue }
        return narrow
    }

    /// The bytes of the field, as a view.
    package func slice() throws(CodingError) -> ArraySlice<UInt8> {
        guard case .bytes(let slice) = content else { throw CodingError(.wrongKind(field: number)) }
        return slice
    }

    /// Exactly `count` bytes.
    package func bytes(count: Int) throws(CodingError) -> [UInt8] {
        let slice = try slice()
        guard slice.count == count else { throw badValue }
        return Array(slice)
    }

    /// A text; it must be UTF-8.
    package func string() throws(CodingError) -> String {
        guard let text = String(checking: try slice()) else {
            throw CodingError(.badText(field: number))
        }
        return text
    }

    /// A text that many events share: made once for each distinct value.
    package func string(_ interner: inout Interner) throws(CodingError) -> String {
        guard let text = interner.string(try slice()) else { throw CodingError(.badText(field: number)) }
        return text
    }

    /// The fields within the field.
    package func nested() throws(CodingError) -> FieldReader { FieldReader(try slice()) }
}
