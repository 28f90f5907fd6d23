package import LedgerModel

extension FileIdentity {
    /// Writes the identity's fields: 1 length, 2 modification time in nanoseconds, 3 inode.
    package func encode(into writer: inout FieldWriter) {
        writer.uint(1, length)
        writer.int(2, modifiedNanoseconds)
        writer.uint(3, inode)
    }

    /// Reads what ``encode(into:)`` wrote.
    package static func decode(_ source: FieldReader) throws(CodingError) -> FileIdentity {
        var reader = source
        let identity = FileIdentity(
            length: try reader.required(1).count(), modifiedNanoseconds: try reader.required(2).int(),
            inode: try reader.required(3).uint())
        try reader.finish()
        return identity
    }
}
