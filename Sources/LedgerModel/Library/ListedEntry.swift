/// Something that a listing offers: an episode of a podcast, a lesson of a course.
package struct ListedEntry: Hashable, Sendable {
    /// What tells it from every other of its listing, for ever; never empty.
    package var guid: String
    /// Where the file comes from; as it may be written down, once it is in the ledger.
    package var url: ResourceURL
    /// Names the entry of the secrets file that holds the whole URL and its user; nil when nothing of it is secret.
    package var secret: SecretReference?
    /// `user:password` of its own URL; nil once it is in the ledger, where ``secret`` names it.
    package var credentials: String?
    /// What people call it.
    package var title: String?
    /// Words about it, without marks of HTML.
    package var details: String?
    /// The media type that the publisher states.
    package var mediaType: String?
    /// The length in bytes that the publisher states, which need not be true; at most ``FileIdentity/lengthMax``.
    package var length: UInt64?
    /// When it was published.
    package var published: Timestamp?
    /// The group within the listing that it belongs to; nil for the listing's own.
    package var group: String?
    /// The URL of a picture.
    package var thumbnail: String?
    /// Its place within its group; lower comes first.
    package var order: Int64?
    /// How long it plays, in seconds.
    package var durationSeconds: UInt32?

    /// An entry of which nothing else is known.
    package init(guid: String, url: ResourceURL) {
        self.guid = guid
        self.url = url
    }

    /// The bytes that its texts take, with two more for each.
    package var textBytes: Int {
        [guid, url.text, title, details, mediaType, group, thumbnail].compactMap(\.self)
            .reduce(0) { $0 + $1.utf8.count + 2 }
    }
}
