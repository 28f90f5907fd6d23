import LedgerModel

// The own fields of events about what fills the catalog, from number 4 upwards.

extension LibraryEvent {
    func encode(into writer: inout FieldWriter) {
        switch self {
        case .limited(let group, let limits):
            writer.string(4, group)
            writer.uint(5, ifPresent: limits.newestMax)
            writer.uint(6, ifPresent: limits.sizeBytesMax)
        case .followed(let listing, let replaced):
            writer.nested(4) { listing.encode(into: &$0) }
            writer.uint(5, ifPresent: replaced?.rawValue)
        case .unfollowed(let id): writer.uint(4, id.rawValue)
        case .listed(let id, let entries):
            writer.uint(4, id.rawValue)
            for entry in entries { writer.nested(5) { entry.encode(into: &$0) } }
        case .delisted(let id, let guids):
            writer.uint(4, id.rawValue)
            for guid in guids { writer.string(5, guid) }
        case .refreshed(let id, let refresh):
            writer.uint(4, id.rawValue)
            writer.int(5, refresh.nextAt.milliseconds)
            writer.string(6, ifPresent: refresh.entityTag)
            writer.string(7, ifPresent: refresh.lastModified)
            writer.string(8, ifPresent: refresh.title)
            if let failure = refresh.failure { writer.nested(9) { failure.encode(into: &$0) } }
        case .taken(let id, let guid, let download):
            writer.uint(4, id.rawValue)
            writer.string(5, guid)
            writer.uint(6, download.rawValue)
        case .hooked(let name, let details):
            writer.string(4, name)
            writer.string(5, details)
        case .delivered(let name, let through):
            writer.string(4, name)
            writer.uint(5, through.rawValue)
        }
    }

    static func decode(
        _ kind: Event.Kind, _ reader: inout FieldReader, _ interner: inout Interner
    ) throws(CodingError) -> LibraryEvent {
        switch kind {
        case .limited:
            .limited(
                group: try reader.required(4).string(),
                GroupLimits(newestMax: try reader.optional(5)?.uint(), sizeBytesMax: try reader.optional(6)?.uint()))
        case .followed:
            .followed(
                try Listing.decode(try reader.required(4).nested(), &interner),
                replacing: try reader.optional(5)?.sequence())
        case .unfollowed: .unfollowed(try reader.required(4).sequence())
        case .listed:
            .listed(try reader.required(4).sequence(), try entries(&reader, &interner))
        case .delisted: .delisted(try reader.required(4).sequence(), try texts(&reader))
        case .refreshed: .refreshed(try reader.required(4).sequence(), try refresh(&reader, &interner))
        case .taken:
            .taken(
                try reader.required(4).sequence(), guid: try reader.required(5).string(),
                DownloadID(try reader.required(6).sequence()))
        case .hooked: .hooked(name: try reader.required(4).string(), details: try reader.required(5).string())
        case .delivered: .delivered(hook: try reader.required(4).string(), through: try reader.required(5).sequence())
        case .enqueued, .resolved, .progressed, .verified, .completed, .failed, .paused, .resumed, .cancelled, .retried,
            .moved, .changed, .deleted, .restored, .missing, .altered, .found, .compacted, .checkpointed, .repaired,
            .redacted, .blamed, .rechecked, .unchanged, .used, .pinned, .relocated:
            preconditionFailure("only events about what fills the catalog come here")
        }
    }

    private static func entries(
        _ reader: inout FieldReader, _ interner: inout Interner
    ) throws(CodingError) -> [ListedEntry] {
        var entries: [ListedEntry] = []
        while let field = try reader.optional(5) {
            entries.append(try ListedEntry.decode(try field.nested(), &interner))
        }
        return entries
    }

    private static func texts(_ reader: inout FieldReader) throws(CodingError) -> [String] {
        var texts: [String] = []
        while let field = try reader.optional(5) { texts.append(try field.string()) }
        return texts
    }

    private static func refresh(
        _ reader: inout FieldReader, _ interner: inout Interner
    ) throws(CodingError) -> Refresh {
        var refresh = Refresh(nextAt: try reader.required(5).timestamp())
        refresh.entityTag = try reader.optional(6)?.string()
        refresh.lastModified = try reader.optional(7)?.string()
        refresh.title = try reader.optional(8)?.string()
        refresh.failure = try reader.optional(9) { field throws(CodingError) in
            try Failure.decode(try field.nested(), &interner)
        }
        return refresh
    }
}
