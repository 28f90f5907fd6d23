package import LedgerModel

extension Labels {
    /// Writes the labels' fields: 1 group, 2 title, 3 details, 4 each tag, 5 identifier, 6 published.
    package func encode(into writer: inout FieldWriter) {
        writer.string(1, ifPresent: group)
        writer.string(2, ifPresent: title)
        writer.string(3, ifPresent: details)
        for tag in tags { writer.string(4, tag) }
        writer.string(5, ifPresent: identifier)
        writer.int(6, ifPresent: published?.milliseconds)
    }

    /// Reads what ``encode(into:)`` wrote.
    package static func decode(
        _ source: FieldReader, _ interner: inout Interner
    ) throws(CodingError) -> Labels {
        var reader = source
        var labels = Labels()
        labels.group = try reader.optional(1)?.string(&interner)
        labels.title = try reader.optional(2)?.string()
        labels.details = try reader.optional(3)?.string()
        while let tag = try reader.optional(4) { labels.tags.append(try tag.string(&interner)) }
        labels.identifier = try reader.optional(5)?.string()
        labels.published = try reader.optional(6)?.timestamp()
        try reader.finish()
        return labels
    }
}
