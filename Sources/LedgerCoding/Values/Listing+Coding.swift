import LedgerModel

extension Listing {
    /// 1 kind, 2 URL or 3 path, 4 secret, 5 group, 6 directory, 7 filter, 8 whether it enqueues by itself, 9 seconds
    /// between refreshes, 10 how many of the newest stay, 11 refuses private addresses, 12 refuses links.
    func encode(into writer: inout FieldWriter) {
        writer.uint(1, kind.rawValue)
        switch source {
        case .url(let url): writer.string(2, url.text)
        case .file(let path): writer.string(3, path)
        }
        if let secret { writer.bytes(4, secret.bytes) }
        writer.string(5, ifPresent: group)
        writer.string(6, directory)
        writer.string(7, ifPresent: filter)
        writer.flag(8, isAutomatic)
        writer.uint(9, intervalSeconds)
        writer.uint(10, ifPresent: newestMax)
        writer.flag(11, refusesPrivateAddresses)
        writer.flag(12, refusesLinks)
    }

    static func decode(_ source: FieldReader, _ interner: inout Interner) throws(CodingError) -> Listing {
        var reader = source
        let number = try reader.required(1)
        guard let kind = Kind(rawValue: try number.uint()) else { throw number.badValue }
        let url = try reader.optional(2)?.url()
        let path = try reader.optional(3)?.path(&interner)
        guard let from = url.map(Source.url) ?? path.map(Source.file) else { throw CodingError(.missing(field: 2)) }
        let secret = try reader.optional(4) { field throws(CodingError) in
            SecretReference(try field.bytes(count: SecretReference.byteCount))
        }
        let group = try reader.optional(5)?.string(&interner)
        var listing = Listing(kind: kind, source: from, directory: try reader.required(6).path(&interner))
        (listing.secret, listing.group) = (secret, group)
        listing.filter = try reader.optional(7)?.string()
        listing.isAutomatic = try reader.flag(8)
        listing.intervalSeconds = try reader.required(9).uint()
        listing.newestMax = try reader.optional(10)?.uint()
        listing.refusesPrivateAddresses = try reader.flag(11)
        listing.refusesLinks = try reader.flag(12)
        try reader.finish()
        return listing
    }
}

extension ListedEntry {
    /// 1 guid, 2 URL, 3 secret, 4 title, 5 details, 6 media type, 7 length, 8 published, 9 group, 10 picture, 11 place,
    /// 12 seconds that it plays.
    func encode(into writer: inout FieldWriter) {
        writer.string(1, guid)
        writer.string(2, url.text)
        if let secret { writer.bytes(3, secret.bytes) }
        writer.string(4, ifPresent: title)
        writer.string(5, ifPresent: details)
        writer.string(6, ifPresent: mediaType)
        writer.uint(7, ifPresent: length)
        writer.int(8, ifPresent: published?.milliseconds)
        writer.string(9, ifPresent: group)
        writer.string(10, ifPresent: thumbnail)
        writer.int(11, ifPresent: order)
        writer.uint(12, ifPresent: durationSeconds)
    }

    static func decode(_ source: FieldReader, _ interner: inout Interner) throws(CodingError) -> ListedEntry {
        var reader = source
        var entry = ListedEntry(guid: try reader.required(1).string(), url: try reader.required(2).url())
        entry.secret = try reader.optional(3) { field throws(CodingError) in
            SecretReference(try field.bytes(count: SecretReference.byteCount))
        }
        entry.title = try reader.optional(4)?.string()
        entry.details = try reader.optional(5)?.string()
        entry.mediaType = try reader.optional(6)?.string(&interner)
        entry.length = try reader.optional(7)?.count()
        entry.published = try reader.optional(8)?.timestamp()
        entry.group = try reader.optional(9)?.string(&interner)
        entry.thumbnail = try reader.optional(10)?.string()
        entry.order = try reader.optional(11)?.int()
        entry.durationSeconds = try reader.optional(12)?.uint()
        try reader.finish()
        return entry
    }
}
