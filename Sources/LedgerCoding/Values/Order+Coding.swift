package import LedgerModel

extension Order {
    /// Writes the order's fields: 1 url, 2 directory, 3 name, 4 collision, 5 secret, 6 expected digest, 7 labels,
    /// 8 options, 9 the pieces' hashes (1 algorithm, 2 length of a piece, 3 hashes), 10 whether a taken name fails it.
    package func encode(into writer: inout FieldWriter) {
        writer.string(1, url.text)
        writer.string(2, destination.directory)
        writer.string(3, ifPresent: destination.name)
        let collision = destination.collision.recorded
        if collision != .number { writer.uint(4, collision.rawValue) }
        if let secret { writer.bytes(5, secret.bytes) }
        if let expected { writer.digest(6, expected) }
        if labels.value != Labels.none.value { writer.nested(7) { labels.value.encode(into: &$0) } }
        if options.value != TransferOptions.standard.value {
            writer.nested(8) { options.value.encode(into: &$0) }
        }
        if let pieces = pieces?.value { writer.nested(9) { pieces.encode(into: &$0) } }
        writer.flag(10, destination.collision != collision)
    }

    /// Reads what ``encode(into:)`` wrote.
    package static func decode(
        _ source: FieldReader, _ interner: inout Interner
    ) throws(CodingError) -> Order {
        var reader = source
        let url = try reader.required(1).url()
        let directory = try reader.required(2).path(&interner)
        let name = try reader.optional(3)?.component()
        var collision = try reader.optional(4)?.collision() ?? .number
        let secret = try reader.optional(5)?.bytes(count: SecretReference.byteCount)
        let expected = try reader.optional(6)?.digest()
        let labels = try reader.optional(7) { field throws(CodingError) in try interner.labels(field) }
        let options = try reader.optional(8) { field throws(CodingError) in try interner.options(field) }
        let pieces = try reader.optional(9) { field throws(CodingError) in
            try PieceHashes.decode(try field.nested())
        }
        if try reader.flag(10) {
            guard collision == .skip else { throw CodingError(.badValue(field: 10)) }
            collision = .refuse
        }
        try reader.finish()
        return Order(
            url: url, destination: Destination(directory: directory, name: name, collision: collision),
            secret: secret.map { SecretReference($0) }, expected: expected,
            pieces: pieces.map { Shared($0) }, labels: labels ?? Labels.none,
            options: options ?? TransferOptions.standard)
    }
}

extension Destination.Collision {
    /// What a program reads that does not know of failing: it leaves what stands there alone, too.
    fileprivate var recorded: Destination.Collision { self == .refuse ? .skip : self }
}

extension FieldView {
    fileprivate func collision() throws(CodingError) -> Destination.Collision {
        guard let collision = Destination.Collision(rawValue: try uint()), collision.recorded == collision else {
            throw badValue
        }
        return collision
    }
}
