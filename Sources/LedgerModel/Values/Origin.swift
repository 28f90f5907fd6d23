/// What tells one version of an entity from another (RFC 9110, section 8.8).
package enum Validator: Hashable, Sendable {
    /// A strong entity tag, with its quotes, as it goes into `If-Range`.
    case entityTag(String)
    /// `Last-Modified` as it was sent; used when it is at least a second older than the answer's `Date`, so that the
    /// entity can not have changed twice within it.
    case lastModified(String)

    /// The text for an `If-Range` field.
    package var headerValue: String {
        switch self {
        case .entityTag(let tag): tag
        case .lastModified(let date): date
        }
    }
}

/// What an origin said about an entity when it was first asked.
package struct Origin: Hashable, Sendable {
    /// Where the entity was, after redirects; secrets in its query are redacted.
    package var url: ResourceURL
    /// The source that was asked, where redirects led from it to another place; secrets in it are redacted.
    package var source: ResourceURL?
    /// The whole length in bytes; nil when the origin did not say.
    package var length: UInt64?
    /// What the bytes were fetched under; nil when the origin gave nothing that can be trusted.
    package var validator: Validator?
    /// Whether the origin said or showed that it serves ranges.
    package var acceptsRanges: Bool
    /// Whether what came of it can be carried on later: parts are served, and something tells that they are of the same
    /// file.
    package var isResumable: Bool { acceptsRanges && validator != nil }
    /// The safe name that the origin or the final URL suggests.
    package var suggestedName: String
    /// The media type in lower case without its parameters; nil when none was given.
    package var mediaType: String?
    /// What the whole entity hashes to by the origin's own word, or by a file of checksums; nil when neither said.
    package var digest: Digest?
    /// Other URLs of the entity that the origin names (RFC 6249), as they may be written down.
    package var mirrors: [ResourceURL] = []
    /// Its `ETag` as sent, weak or strong, when it is not the ``validator``; good for `If-None-Match` alone.
    package var entityTag: String?
    /// Its `Last-Modified` as sent, when it is not the ``validator``.
    package var lastModified: String?
    /// When the answer came; nil in what older programs recorded. It is on record only with the first bytes, up to
    /// seconds later.
    package var answeredAt: Timestamp?
    /// How many retries in a row began the same file anew, for nothing that was held could be continued, or found that
    /// pieces on record were not what they must be: what comes of it then is no progress, or it would be fetched for
    /// ever.
    package var beginnings: UInt32 = 0
    /// How its bytes are packed that are kept as they were served (`Content-Encoding`), in lower case; nil when they
    /// are not, and in what older programs recorded. Bytes that are packed otherwise are others.
    package var contentCoding: String?
}

extension Origin {
    /// What one answer said.
    ///
    /// By the compiler's own initializer: one that sets a part after the other copies the whole at its end (Swift 6.3),
    /// and a long log holds millions of origins. That one takes the parts in another order, so that neither is taken
    /// for the other.
    package init(
        url: ResourceURL, length: UInt64?, validator: Validator?, acceptsRanges: Bool, mediaType: String?,
        suggestedName: String, digest: Digest? = nil, mirrors: [ResourceURL] = [], entityTag: String? = nil,
        lastModified: String? = nil, answeredAt: Timestamp? = nil, source: ResourceURL? = nil, beginnings: UInt32 = 0,
        contentCoding: String? = nil
    ) {
        self.init(
            url: url, source: source, length: length, validator: validator, acceptsRanges: acceptsRanges,
            suggestedName: suggestedName, mediaType: mediaType, digest: digest, mirrors: mirrors,
            entityTag: entityTag, lastModified: lastModified, answeredAt: answeredAt, beginnings: beginnings,
            contentCoding: contentCoding)
    }
}
