package import LedgerModel

extension Deletion {
    /// Writes the deletion's fields: 1 mode (0 keep, 1 trash, 2 purge, 3 expired, 4 evicted), 2 the path in the
    /// trash.
    package func encode(into writer: inout FieldWriter) {
        switch self {
        case .keepFile: writer.uint(1, 0 as UInt8)
        case .trash(let path):
            writer.uint(1, 1 as UInt8)
            writer.string(2, path)
        case .purge: writer.uint(1, 2 as UInt8)
        case .evicted: writer.uint(1, 4 as UInt8)
        case .expired(let path):
            writer.uint(1, 3 as UInt8)
            writer.string(2, path)
        }
    }

    /// Reads what ``encode(into:)`` wrote.
    package static func decode(
        _ source: FieldReader, _ interner: inout Interner
    ) throws(CodingError) -> Deletion {
        var reader = source
        let mode = try reader.required(1)
        let path = try reader.optional(2)
        try reader.finish()
        switch try mode.uint(as: UInt8.self) {
        case 0: return .keepFile
        case 1:
            guard let path else { throw CodingError(.missing(field: 2)) }
            return .trash(path: try path.path(&interner))
        case 2: return .purge
        case 3:
            guard let path else { throw CodingError(.missing(field: 2)) }
            return .expired(path: try path.path(&interner))
        case 4: return .evicted
        default: throw mode.badValue
        }
    }
}
