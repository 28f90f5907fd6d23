/// One field of a raw event, as an upcaster sees and makes it: its number and its value. What is only read is a
/// ``FieldView``.
package struct Field: Hashable, Sendable {
    /// A value by its wire kind.
    package enum Content: Hashable, Sendable {
        case uint(UInt64)
        case int(Int64)
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

    /// The bytes of the field.
    package func slice() throws(CodingError) -> ArraySlice<UInt8> {
        guard case .bytes(let slice) = content else { throw CodingError(.wrongKind(field: number)) }
        return slice
    }
}
