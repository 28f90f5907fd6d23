import LedgerModel

// What `Values+JSON` prints, read again. Rules of what a record may hold are checked by who asks: see
// ``EventJSONReader``.

extension Order {
    init(_ fields: JSONFields) throws(JSONProblem) {
        let collision = try fields.required("collision") { value in
            Destination.Collision.allCases.first { $0.name == value.text }
        }
        let secret = try fields.secret("secret")
        let labels = Labels(
            group: try fields.optionalText("group"), title: try fields.optionalText("title"),
            details: try fields.optionalText("details"), tags: try fields.texts("tags"),
            identifier: try fields.optionalText("identifier"), published: try fields.time("published"))
        let options = try TransferOptions(fields.fields("options"))
        self.init(
            url: ResourceURL(recorded: try fields.text("url")),
            destination: Destination(
                directory: try fields.text("directory"), name: try fields.optionalText("name"), collision: collision),
            secret: secret, expected: try fields.digest("expected"),
            pieces: try fields.optional("pieces") { value throws(JSONProblem) in
                try PieceHashes(JSONFields(value)).map { Shared($0) }
            },
            labels: labels == Labels.none.value ? Labels.none : Shared(labels),
            options: options == TransferOptions.standard.value ? TransferOptions.standard : Shared(options))
    }
}

extension PieceHashes {
    fileprivate init?(_ fields: JSONFields) throws(JSONProblem) {
        let algorithm = try fields.required("algorithm") { $0.text.flatMap { Digest.Algorithm(rawValue: $0) } }
        self.init(
            algorithm, pieceLength: try fields.number("length"),
            bytes: try fields.required("hashes") { $0.text.flatMap { [UInt8](hex: $0) } })
    }
}

extension TransferOptions {
    fileprivate init(_ fields: JSONFields) throws(JSONProblem) {
        self.init()
        mirrors = try fields.texts("mirrors").map { ResourceURL(recorded: $0) }
        bytesPerSecondMax = try fields.optional("bytesPerSecondMax") { $0.whole() }
        retriesMax = try fields.optional("retriesMax") { $0.whole() }
        silenceMillisecondsMax = try fields.optional("silenceMillisecondsMax") { $0.whole() }
        notBefore = try fields.time("notBefore")
        userAgent = try fields.optionalText("userAgent")
        proxy = try fields.optionalText("proxy")
        certificateAuthorityFile = try fields.optionalText("certificateAuthorityFile")
        isInsecure = try fields.flag("isInsecure")
        headerNames = try fields.texts("headerNames")
        forwardsHeaders = try fields.flag("forwardsHeaders")
        allowsDowngrade = try fields.flag("allowsDowngrade")
        resumesUnvalidated = try fields.flag("resumesUnvalidated")
        rangesMax = try fields.optional("rangesMax") { $0.whole() }
        window = try fields.optional("window") { $0.text.flatMap { DailyWindow(parsing: $0) } }
        keepsRemoteTime = try fields.flag("keepsRemoteTime")
        decompresses = try fields.flag("decompresses")
        clientCertificateFile = try fields.optionalText("clientCertificateFile")
        clientKeyFile = try fields.optionalText("clientKeyFile")
        cookieFile = try fields.optionalText("cookieFile")
        prefersHTTP2 = try fields.flag("prefersHTTP2")
        noProxy = try fields.optionalText("noProxy")
        expectedType = try fields.optionalText("expectedType")
        checksumFile = try fields.optionalText("checksumFile").map { ResourceURL(recorded: $0) }
        expectedLength = try fields.optional("expectedLength") { $0.whole() }
        refusesPrivateAddresses = try fields.flag("refusesPrivateAddresses")
        refusesLinks = try fields.flag("refusesLinks")
        namedComponents = try fields.optional("namedComponents") { $0.whole() } ?? 0
    }
}

extension Origin {
    init(_ fields: JSONFields) throws(JSONProblem) {
        let entityTag = try fields.optionalText("entityTag")
        let lastModified = try fields.optionalText("lastModified")
        // Without a word about it, what stands alone is the validator.
        let chosen = fields.has("validator") ? try fields.optionalText("validator") : entityTag ?? lastModified
        let validator: Validator?
        switch chosen {
        case nil: validator = nil
        case entityTag: validator = entityTag.map { .entityTag($0) }
        case lastModified: validator = lastModified.map { .lastModified($0) }
        default: throw JSONProblem("'validator' is neither 'entityTag' nor 'lastModified'")
        }
        self.init(
            url: ResourceURL(recorded: try fields.text("url")), length: try fields.optional("length") { $0.whole() },
            validator: validator, acceptsRanges: try fields.flag("acceptsRanges"),
            mediaType: try fields.optionalText("mediaType"), suggestedName: try fields.text("suggestedName"),
            digest: try fields.digest("digest"), mirrors: try fields.texts("mirrors").map { ResourceURL(recorded: $0) },
            // The one that is the validator is said once.
            entityTag: chosen != nil && chosen == entityTag ? nil : entityTag,
            lastModified: chosen != nil && chosen != entityTag ? nil : lastModified,
            answeredAt: try fields.time("answeredAt"),
            source: try fields.optionalText("source").map { ResourceURL(recorded: $0) },
            beginnings: try fields.optional("beginnings") { $0.whole() } ?? 0,
            contentCoding: try fields.optionalText("contentCoding"))
    }
}

extension Failure {
    init(_ fields: JSONFields) throws(JSONProblem) {
        self.init(
            try fields.required("code") { $0.text.flatMap { Code(rawValue: $0) } }, try fields.text("message"),
            isRetryable: try fields.flag("retryable"), status: try fields.optional("status") { $0.whole() },
            retryAfterSeconds: try fields.optional("retryAfterSeconds") { $0.whole() })
        poisonsPart = try fields.flag("poisonsPart")
        isExcused = try fields.flag("excused")
    }
}

extension FileIdentity {
    init(_ fields: JSONFields) throws(JSONProblem) {
        self.init(
            length: try fields.number("length"), modifiedNanoseconds: try fields.number("modifiedNanoseconds"),
            inode: try fields.number("inode"))
    }
}

extension Deletion {
    init(_ fields: JSONFields) throws(JSONProblem) {
        switch try fields.text("file") {
        case "kept": self = .keepFile
        case "trashed": self = .trash(path: try fields.text("trashPath"))
        case "purged": self = .purge
        case "evicted": self = .evicted
        case "expired": self = .expired(path: try fields.text("trashPath"))
        default: throw JSONProblem("'file' is neither 'kept', 'trashed', 'purged', 'evicted' nor 'expired'")
        }
    }
}
