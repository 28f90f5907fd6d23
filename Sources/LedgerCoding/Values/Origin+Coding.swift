package import LedgerModel

extension Origin {
    /// Writes the origin's fields: 1 url, 2 length, 3 entity tag or 4 last modified, 5 accepts ranges, 6 media type,
    /// 7 suggested name, 8 digest, 9 each mirror, 10 the entity tag and 11 the last modified that are no validators,
    /// 12 when it answered, 13 the source that led there, 14 how often it was begun anew, unless never,
    /// 15 how its bytes are packed.
    package func encode(into writer: inout FieldWriter) {
        writer.string(1, url.text)
        writer.uint(2, ifPresent: length)
        switch validator {
        case .entityTag(let tag): writer.string(3, tag)
        case .lastModified(let date): writer.string(4, date)
        case nil: break
        }
        writer.flag(5, acceptsRanges)
        writer.string(6, ifPresent: mediaType)
        writer.string(7, suggestedName)
        if let digest { writer.digest(8, digest) }
        for mirror in mirrors { writer.string(9, mirror.text) }
        writer.string(10, ifPresent: self.entityTag)
        writer.string(11, ifPresent: self.lastModified)
        writer.int(12, ifPresent: answeredAt?.milliseconds)
        writer.string(13, ifPresent: self.source?.text)
        writer.uint(14, unlessZero: beginnings)
        writer.string(15, ifPresent: contentCoding)
    }

    /// Reads what ``encode(into:)`` wrote.
    /// - Parameter ordered: the URL that was asked for: mostly the same one, which then takes memory once.
    package static func decode(
        _ source: FieldReader, _ interner: inout Interner, of ordered: ResourceURL? = nil
    ) throws(CodingError) -> Origin {
        var reader = source
        let url = try reader.required(1).url(sharing: ordered)
        let length = try reader.optional(2)?.count()
        let entityTag = try reader.optional(3)?.string()
        let lastModified = try reader.optional(4)?.string()
        guard entityTag == nil || lastModified == nil else { throw CodingError(.badValue(field: 4)) }
        let acceptsRanges = try reader.flag(5)
        let mediaType = try reader.optional(6)?.string(&interner)
        let suggestedName = try reader.required(7).component()
        let digest = try reader.optional(8)?.digest()
        var mirrors: [ResourceURL] = []
        while let mirror = try reader.optional(9) { mirrors.append(try mirror.url()) }
        let otherTag = try reader.optional(10)?.string()
        let otherDate = try reader.optional(11)?.string()
        let answeredAt = try reader.optional(12)?.timestamp()
        let asked = try reader.optional(13)?.url(sharing: ordered)
        let beginnings: UInt32 = try reader.optional(14)?.uint() ?? 0
        let contentCoding = try reader.optional(15)?.string(&interner)
        try reader.finish()
        return Origin(
            url: url, length: length,
            validator: entityTag.map { .entityTag($0) } ?? lastModified.map { .lastModified($0) },
            acceptsRanges: acceptsRanges, mediaType: mediaType, suggestedName: suggestedName, digest: digest,
            mirrors: mirrors, entityTag: otherTag, lastModified: otherDate, answeredAt: answeredAt, source: asked,
            beginnings: beginnings, contentCoding: contentCoding)
    }
}
