public import FoundationEssentials
import LedgerAPI
import LedgerModel

/// A feed or a catalog that the ledger follows: a list of things to download that someone else keeps.
///
/// ```swift
/// for listing in try await ledger.listings() where listing.kind == .feed {
///     show("\(listing.title ?? listing.source): \(listing.downloadedCount) of \(listing.entryCount)")
/// }
/// ```
public struct Listing: Hashable, Sendable, Identifiable {
    /// Its number for ever.
    public let id: ID
    /// What sort of list it is.
    public let kind: Kind
    /// Where it is read from: a URL without its secrets, or the path of a file.
    public let source: String
    /// What it calls itself; nil before it was read.
    public let title: String?
    /// The group of its downloads, if it is one for all of them.
    public let group: String?
    /// When it was last read, or found unchanged; nil when it never was.
    public let refreshedAt: Date?
    /// When it is read again.
    public let nextAt: Date
    /// Why it could not be read last; nil when it could. What it held before is still there.
    public let error: DownloadError?
    /// How many entries are known.
    public let entryCount: Int
    /// How many of them are whole files here.
    public let downloadedCount: Int

    /// The number of a listing.
    ///
    /// ```swift
    /// let listing = Listing.ID(savedListing)
    /// ```
    public struct ID: RawRepresentable, Hashable, Comparable, Sendable, Codable, CustomStringConvertible {
        /// 1 or more.
        public let rawValue: UInt64

        /// The listing with this number.
        public init(rawValue: UInt64) { self.rawValue = rawValue }

        /// The listing with this number.
        public init(_ rawValue: UInt64) { self.init(rawValue: rawValue) }

        public static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }

        public var description: String { String(rawValue) }
    }

    /// What sort of list a listing is.
    public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        /// RSS, Atom or JSON Feed: what is new comes to the front, what is old leaves it, and is remembered.
        case feed
        /// A JSON list: what it holds is what there is.
        case catalog
    }

    /// How a listing is followed.
    ///
    /// ```swift
    /// var following = Listing.Following(.feed)
    /// following.isAutomatic = true
    /// following.newestMax = 10
    /// ```
    public struct Following: Hashable, Sendable {
        /// What sort of list it is.
        public var kind: Kind
        /// The directory of its downloads; nil takes ``LedgerConfiguration/directory``. Each group has
        /// one of its own in it.
        public var directory: URL?
        /// The group of its downloads; nil takes that of each entry, else the listing's title.
        public var group: String?
        /// How many of its newest files stay in each of its groups; nil for all. Pinned files stay besides, and so
        /// does what else is in those groups.
        public var newestMax: Int?
        /// A regular expression that titles must hold to be enqueued by themselves, 1024 bytes at most; case does not
        /// count.
        public var filter: String?
        /// Whether new entries are enqueued by themselves.
        public var isAutomatic = false
        /// How long after it was read it is read again: a minute to a year; what is beyond is taken as that. After a
        /// failure it is read again earlier: after a minute, twice as long each time, an hour at most.
        public var interval = Duration.seconds(3600)

        /// A listing of this kind of which nothing else is asked.
        public init(_ kind: Kind) { self.kind = kind }
    }

    /// Something that a listing offers.
    ///
    /// ```swift
    /// for entry in try await ledger.entries(of: podcast.id) where entry.download == nil && entry.isOffered {
    ///     show("\(entry.title ?? entry.guid) could be downloaded")
    /// }
    /// ```
    public struct Entry: Hashable, Sendable, Identifiable {
        /// The listing it stands in.
        public let listing: Listing.ID
        /// What tells it from every other of its listing: the publisher's own name for it, else its URL.
        public let guid: String
        /// Where the file comes from, without secrets.
        public let url: URL
        /// What people call it.
        public let title: String?
        /// Words about it.
        public let details: String?
        /// What sort of content it holds.
        public let kind: Download.Kind
        /// The length in bytes that the publisher states, which need not be true.
        public let length: UInt64?
        /// When it was published.
        public let published: Date?
        /// The group it belongs to.
        public let group: String?
        /// Where a picture of it is.
        public let thumbnail: URL?
        /// Its place within its group; lower comes first.
        public let order: Int64?
        /// How long it plays, to the second.
        public let duration: Duration?
        /// Whether the listing offers it still.
        public let isOffered: Bool
        /// The download it became; nil while it is only available.
        public let download: Download?

        /// What tells it from every entry of every listing.
        public var id: String { "\(listing)/\(guid)" }
    }
}

extension Listing {
    init(_ row: ListingRow) {
        id = ID(row.id)
        kind = Kind(row.kind)
        (source, title, group) = (row.source, row.title, row.group)
        refreshedAt = row.refreshedAt.map(Date.init)
        nextAt = Date(row.nextAt)
        error = row.error.map(DownloadError.init)
        (entryCount, downloadedCount) = (row.entries, row.downloaded)
    }
}

extension Listing.Entry {
    init(_ row: EntryRow) {
        listing = Listing.ID(row.listing)
        guid = row.guid
        url = URL(ofLedger: row.url)
        (title, details, length, group, order) = (row.title, row.details, row.length, row.group, row.order)
        kind = Download.Kind(row.kind)
        published = row.published.map(Date.init)
        thumbnail = row.thumbnail.flatMap { URL(string: $0) }
        duration = row.durationSeconds.map { .seconds($0) }
        isOffered = row.isOffered
        download = row.download.map(Download.init)
    }
}

extension Listing.Kind {
    init(_ kind: LedgerModel.Listing.Kind) {
        switch kind {
        case .feed: self = .feed
        case .catalog: self = .catalog
        }
    }

    var model: LedgerModel.Listing.Kind {
        switch self {
        case .feed: .feed
        case .catalog: .catalog
        }
    }
}
