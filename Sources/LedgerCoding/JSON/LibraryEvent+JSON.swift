import LedgerModel

extension LibraryEvent {
    /// The event's own fields, all of them, named in camel case.
    var ownFields: JSONObject {
        switch self {
        case .limited(let group, let limits):
            return [
                "group": .string(group), "newestMax": JSONValue(limits.newestMax),
                "sizeBytesMax": JSONValue(limits.sizeBytesMax),
            ]
        case .followed(let listing, let replaced):
            var fields = listing.fields
            fields["replacing"] = JSONValue(replaced?.rawValue)
            return fields
        case .unfollowed(let id): return ["listing": JSONValue(id.rawValue)]
        case .listed(let id, let entries):
            return ["listing": JSONValue(id.rawValue), "entries": .array(entries.map { .object($0.fields) })]
        case .delisted(let id, let guids): return ["listing": JSONValue(id.rawValue), "guids": JSONValue(guids)]
        case .refreshed(let id, let refresh):
            return [
                "listing": JSONValue(id.rawValue), "title": JSONValue(refresh.title),
                "entityTag": JSONValue(refresh.entityTag), "lastModified": JSONValue(refresh.lastModified),
                "error": refresh.failure?.json ?? .null, "nextAt": .string(refresh.nextAt.rfc3339),
            ]
        case .taken(let id, let guid, let download):
            return [
                "listing": JSONValue(id.rawValue), "guid": .string(guid), "download": JSONValue(download.rawValue),
            ]
        case .hooked(let name, let details): return ["hook": .string(name), "details": .string(details)]
        case .delivered(let name, let through):
            return ["hook": .string(name), "through": JSONValue(through.rawValue)]
        }
    }

    /// The event of a kind that members say.
    init(_ kind: Event.Kind, _ fields: JSONFields) throws(JSONProblem) {
        func listing() throws(JSONProblem) -> ListingID {
            try fields.required("listing") { $0.whole().map { SequenceNumber($0) } }
        }
        switch kind {
        case .limited:
            self = .limited(
                group: try fields.text("group"),
                GroupLimits(
                    newestMax: try fields.optional("newestMax") { $0.whole() },
                    sizeBytesMax: try fields.optional("sizeBytesMax") { $0.whole() }))
        case .followed: self = .followed(try Listing(fields), replacing: try fields.sequence("replacing"))
        case .unfollowed: self = .unfollowed(try listing())
        case .listed:
            var entries: [ListedEntry] = []
            for value in try fields.required("entries", { $0.list }) {
                entries.append(try ListedEntry(JSONFields(value)))
            }
            self = .listed(try listing(), entries)
        case .delisted: self = .delisted(try listing(), try fields.texts("guids"))
        case .refreshed: self = .refreshed(try listing(), try Refresh(fields))
        case .taken:
            self = .taken(
                try listing(), guid: try fields.text("guid"),
                DownloadID(SequenceNumber(try fields.number("download"))))
        case .hooked: self = .hooked(name: try fields.text("hook"), details: try fields.text("details"))
        case .delivered:
            self = .delivered(hook: try fields.text("hook"), through: SequenceNumber(try fields.number("through")))
        case .enqueued, .resolved, .progressed, .verified, .completed, .failed, .paused, .resumed, .cancelled, .retried,
            .moved, .changed, .deleted, .restored, .missing, .altered, .found, .compacted, .checkpointed, .repaired,
            .redacted, .blamed, .rechecked, .unchanged, .used, .pinned, .relocated:
            preconditionFailure("only events about what fills the catalog come here")
        }
    }
}

extension Listing {
    fileprivate var fields: JSONObject {
        var fields: JSONObject = ["kind": .string(kind.name)]
        switch source {
        case .url(let url): fields["url"] = .string(url.text)
        case .file(let path): fields["file"] = .string(path)
        }
        fields.merge([
            "secret": JSONValue(secret?.description), "group": JSONValue(group), "directory": .string(directory),
            "newestMax": JSONValue(newestMax),
            "filter": JSONValue(filter), "automatic": .bool(isAutomatic), "intervalSeconds": JSONValue(intervalSeconds),
        ])
        if refusesPrivateAddresses { fields["refusesPrivateAddresses"] = true }
        if refusesLinks { fields["refusesLinks"] = true }
        return fields
    }

    fileprivate init(_ fields: JSONFields) throws(JSONProblem) {
        let url = try fields.optionalText("url").map { Source.url(ResourceURL(recorded: $0)) }
        let file = try fields.optionalText("file").map { Source.file($0) }
        guard let source = url ?? file else { throw JSONProblem("'url' and 'file' are both missing") }
        self.init(
            kind: try fields.required("kind") { value in Kind.allCases.first { $0.name == value.text } },
            source: source, directory: try fields.text("directory"))
        secret = try fields.secret("secret")
        group = try fields.optionalText("group")
        newestMax = try fields.optional("newestMax") { $0.whole() }
        filter = try fields.optionalText("filter")
        isAutomatic = try fields.flag("automatic")
        intervalSeconds = try fields.number("intervalSeconds")
        refusesPrivateAddresses = try fields.flag("refusesPrivateAddresses")
        refusesLinks = try fields.flag("refusesLinks")
    }
}

extension ListedEntry {
    /// What is known of it.
    fileprivate var fields: JSONObject {
        [
            "guid": .string(guid), "url": .string(url.text), "secret": JSONValue(secret?.description),
            "title": JSONValue(title), "details": JSONValue(details), "mediaType": JSONValue(mediaType),
            "length": JSONValue(length), "published": JSONValue(published?.rfc3339), "group": JSONValue(group),
            "thumbnail": JSONValue(thumbnail), "order": JSONValue(order),
            "durationSeconds": JSONValue(durationSeconds),
        ]
    }

    fileprivate init(_ fields: JSONFields) throws(JSONProblem) {
        self.init(guid: try fields.text("guid"), url: ResourceURL(recorded: try fields.text("url")))
        secret = try fields.secret("secret")
        title = try fields.optionalText("title")
        details = try fields.optionalText("details")
        mediaType = try fields.optionalText("mediaType")
        length = try fields.optional("length") { $0.whole() }
        published = try fields.time("published")
        group = try fields.optionalText("group")
        thumbnail = try fields.optionalText("thumbnail")
        order = try fields.optional("order") { $0.whole() }
        durationSeconds = try fields.optional("durationSeconds") { $0.whole() }
    }
}

extension Refresh {
    fileprivate init(_ fields: JSONFields) throws(JSONProblem) {
        guard let nextAt = try fields.time("nextAt") else { throw JSONProblem("'nextAt' is missing") }
        self.init(nextAt: nextAt)
        title = try fields.optionalText("title")
        entityTag = try fields.optionalText("entityTag")
        lastModified = try fields.optionalText("lastModified")
        failure = try fields.optional("error") { value throws(JSONProblem) in try Failure(JSONFields(value)) }
    }
}

extension JSONFields {
    /// The name of an entry of the secrets file.
    func secret(_ name: String) throws(JSONProblem) -> SecretReference? {
        try optional(name) { value in value.text.flatMap { [UInt8](hex: $0) }.map { SecretReference($0) } }
    }
}
