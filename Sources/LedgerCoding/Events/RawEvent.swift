/// An event between bytes and meaning: its header and its fields by number. What upcasters work on.
package struct RawEvent: Hashable, Sendable {
    /// The type byte.
    package var type: UInt8
    /// The schema version of the fields.
    package var version: UInt8
    /// The fields in ascending order of their numbers, the envelope's among them.
    package var fields: [Field]

    /// An event of parsed fields.
    package init(type: UInt8, version: UInt8, fields: [Field]) {
        self.type = type
        self.version = version
        self.fields = fields
    }

    /// Parses a payload into fields.
    package init(type: UInt8, version: UInt8, payload: Span<UInt8>) throws(CodingError) {
        var reader = FieldReader(payload)
        var fields: [Field] = []
        while let field = try reader.next() { fields.append(field.kept) }
        self.init(type: type, version: version, fields: fields)
    }

    /// The payload that these fields make.
    package var payload: [UInt8] {
        var writer = FieldWriter()
        for field in fields {
            switch field.content {
            case .uint(let value): writer.uint(field.number, value)
            case .int(let value): writer.int(field.number, value)
            case .bytes(let bytes): writer.bytes(field.number, bytes)
            }
        }
        return writer.bytes
    }
}
