/// Writes tagged fields: `key = field << 3 | wire kind`, then the value.
///
/// Fields are written in ascending order and absent ones are left out, so equal values have equal bytes.
package struct FieldWriter: Sendable {
    /// What was written so far.
    package private(set) var bytes: [UInt8] = []

    /// An empty writer; `capacity` is a guess at the bytes to come.
    package init(capacity: Int = 0) { bytes.reserveCapacity(capacity) }

    /// An unsigned number.
    package mutating func uint(_ field: UInt32, _ value: some UnsignedInteger & FixedWidthInteger) {
        key(field, .varint)
        varint(UInt64(value))
    }

    /// An unsigned number, or nothing.
    package mutating func uint(_ field: UInt32, ifPresent value: (some UnsignedInteger & FixedWidthInteger)?) {
        if let value { uint(field, value) }
    }

    /// An unsigned number other than zero, or nothing.
    package mutating func uint(_ field: UInt32, unlessZero value: UInt32) {
        if value != 0 { uint(field, value) }
    }

    /// A signed number.
    package mutating func int(_ field: UInt32, _ value: some SignedInteger & FixedWidthInteger) {
        key(field, .zigzag)
        let wide = Int64(value)
        varint(UInt64(bitPattern: wide << 1 ^ wide >> 63))
    }

    /// A signed number, or nothing.
    package mutating func int(_ field: UInt32, ifPresent value: (some SignedInteger & FixedWidthInteger)?) {
        if let value { int(field, value) }
    }

    /// A true flag; a false one is left out.
    package mutating func flag(_ field: UInt32, _ value: Bool) {
        if value { uint(field, 1 as UInt8) }
    }

    /// A text in UTF-8.
    package mutating func string(_ field: UInt32, _ value: String) {
        key(field, .bytes)
        varint(UInt64(value.utf8.count))
        bytes.append(contentsOf: value.utf8)
    }

    /// A text, or nothing.
    package mutating func string(_ field: UInt32, ifPresent value: String?) {
        if let value { string(field, value) }
    }

    /// Bytes as they are.
    package mutating func bytes(_ field: UInt32, _ value: some Collection<UInt8>) {
        key(field, .bytes)
        varint(UInt64(value.count))
        bytes.append(contentsOf: value)
    }

    /// Fields within a field.
    package mutating func nested(_ field: UInt32, _ write: (inout FieldWriter) -> Void) {
        key(field, .bytes)
        let start = bytes.count
        bytes.append(0)
        write(&self)
        let count = bytes.count - start - 1
        guard count >= 0x80 else {
            bytes[start] = UInt8(count)
            return
        }
        // The length needs more than the one byte kept for it: the content moves up.
        var length = FieldWriter()
        length.varint(UInt64(count))
        bytes.replaceSubrange(start...start, with: length.bytes)
    }

    /// A bare varint, for lists packed into the bytes of one field.
    package mutating func varint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    private mutating func key(_ field: UInt32, _ kind: WireKind) {
        varint(UInt64(field) << UInt64(WireKind.bitCount) | UInt64(kind.rawValue))
    }
}
