import LedgerModel

extension Library {
    /// 1 each limited group (1 name, 2 newest, 3 bytes), 2 each listing, 3 each hook (1 name, 2 details, 3 cursor),
    /// 4 each source that was followed (1 text, 2 each entry: 1 guid, 2 download), all in ascending order.
    func encode(into writer: inout FieldWriter) {
        for (group, limits) in limits.sorted(by: { $0.key < $1.key }) {
            writer.nested(1) { writer in
                writer.string(1, group)
                writer.uint(2, ifPresent: limits.newestMax)
                writer.uint(3, ifPresent: limits.sizeBytesMax)
            }
        }
        for listing in listings.values.sorted(by: { $0.id < $1.id }) { writer.nested(2) { listing.encode(into: &$0) } }
        for hook in hooks.values.sorted(by: { $0.name < $1.name }) {
            writer.nested(3) { writer in
                writer.string(1, hook.name)
                writer.string(2, hook.details)
                writer.uint(3, hook.cursor.rawValue)
            }
        }
        for (source, taken) in former.sorted(by: { $0.key < $1.key }) {
            writer.nested(4) { writer in
                writer.string(1, source)
                for (guid, download) in taken.sorted(by: { $0.key < $1.key }) {
                    writer.nested(2) { writer in
                        writer.string(1, guid)
                        writer.uint(2, download.rawValue)
                    }
                }
            }
        }
    }

    static func decode(_ source: FieldReader) throws(CodingError) -> Library {
        var reader = source
        var interner = Interner()
        var library = Library()
        while let field = try reader.optional(1) {
            var limits = try field.nested()
            let group = try limits.required(1).string()
            library.limits[group] = GroupLimits(
                newestMax: try limits.optional(2)?.uint(), sizeBytesMax: try limits.optional(3)?.uint())
            try limits.finish()
        }
        while let field = try reader.optional(2) {
            let listing = try FollowedListing.decode(try field.nested(), &interner)
            library.listings[listing.id] = listing
        }
        while let field = try reader.optional(3) {
            var fields = try field.nested()
            let hook = Hook(
                name: try fields.required(1).string(), details: try fields.required(2).string(),
                cursor: SequenceNumber(try fields.required(3).count()))
            try fields.finish()
            library.hooks[hook.name] = hook
        }
        while let field = try reader.optional(4) {
            var fields = try field.nested()
            let source = try fields.required(1).string()
            while let field = try fields.optional(2) {
                var taken = try field.nested()
                let guid = try taken.required(1).string()
                library.former[source, default: [:]][guid] = DownloadID(try taken.required(2).sequence())
                try taken.finish()
            }
            try fields.finish()
        }
        try reader.finish()
        return library
    }
}

extension FollowedListing {
    /// 1 id, 2 listing, 3 title, 4 entity tag, 5 last modified, 6 refreshed, 7 next, 8 failure, 9 failures in a row,
    /// 10 each entry (1 what is listed, 2 since, 3 position, 4 seen at, 5 download, 6 whether it left the list),
    /// 11 first title.
    fileprivate func encode(into writer: inout FieldWriter) {
        writer.uint(1, id.rawValue)
        writer.nested(2) { listing.encode(into: &$0) }
        writer.string(3, ifPresent: title)
        writer.string(4, ifPresent: entityTag)
        writer.string(5, ifPresent: lastModified)
        writer.int(6, ifPresent: refreshedAt?.milliseconds)
        writer.int(7, nextAt.milliseconds)
        if let failure { writer.nested(8) { failure.encode(into: &$0) } }
        writer.uint(9, failuresInRow)
        for entry in entries.values.sorted(by: { ($0.since, $0.position) < ($1.since, $1.position) }) {
            writer.nested(10) { writer in
                writer.nested(1) { entry.listed.encode(into: &$0) }
                writer.uint(2, entry.since.rawValue)
                writer.uint(3, entry.position)
                writer.int(4, entry.seenAt.milliseconds)
                writer.uint(5, ifPresent: entry.download?.rawValue)
                writer.flag(6, !entry.isOffered)
            }
        }
        writer.string(11, ifPresent: firstTitle)
    }

    fileprivate static func decode(
        _ source: FieldReader, _ interner: inout Interner
    ) throws(CodingError) -> FollowedListing {
        var reader = source
        let id = try reader.required(1).sequence()
        let listing = try Listing.decode(try reader.required(2).nested(), &interner)
        let title = try reader.optional(3)?.string()
        let (entityTag, lastModified) = (try reader.optional(4)?.string(), try reader.optional(5)?.string())
        let refreshedAt = try reader.optional(6)?.timestamp()
        var followed = FollowedListing(id: id, listing: listing, at: try reader.required(7).timestamp())
        (followed.title, followed.entityTag, followed.lastModified) = (title, entityTag, lastModified)
        followed.refreshedAt = refreshedAt
        followed.failure = try reader.optional(8) { field throws(CodingError) in
            try Failure.decode(try field.nested(), &interner)
        }
        followed.failuresInRow = try reader.required(9).uint()
        while let field = try reader.optional(10) {
            let entry = try Entry.decode(try field.nested(), &interner)
            followed.entries[entry.listed.guid] = entry
        }
        followed.firstTitle = try reader.optional(11)?.string() ?? title
        try reader.finish()
        return followed
    }
}

extension FollowedListing.Entry {
    fileprivate static func decode(_ source: FieldReader, _ interner: inout Interner) throws(CodingError) -> Self {
        var reader = source
        var entry = Self(
            try ListedEntry.decode(try reader.required(1).nested(), &interner),
            since: try reader.required(2).sequence(), position: try reader.required(3).uint(),
            seenAt: try reader.required(4).timestamp())
        entry.download = try reader.optional(5) { field throws(CodingError) in DownloadID(try field.sequence()) }
        entry.isOffered = try !reader.flag(6)
        try reader.finish()
        return entry
    }
}
