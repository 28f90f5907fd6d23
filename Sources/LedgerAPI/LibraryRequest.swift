package import LedgerModel

/// What is asked of that which fills the catalog and keeps it.
package enum LibraryRequest: Hashable, Sendable, Codable {
    /// Follow a feed or a catalog, and read it at once.
    case follow(FollowRequest)
    /// Follow one no longer; refused when it is of another kind.
    case unfollow(UInt64, Listing.Kind?)
    /// Read these now, or all of a kind when none is named.
    case refresh([UInt64], Listing.Kind)
    /// Enqueue entries of a listing; all that are on offer when none is named.
    case take(UInt64, guids: [String], Listing.Kind?, CommandID)
    /// Say what a group may hold; nil and nil lift its limits.
    case limit(group: String, newestMax: UInt32?, sizeBytesMax: UInt64?)
}

/// What became of a ``LibraryRequest``.
package enum LibraryAnswer: Hashable, Sendable, Codable {
    /// The listings it was about, as they are now.
    case listings([ListingRow])
    /// What entries became, one for each.
    case taken([EnqueueAnswer])
    case done
}

/// A feed or a catalog to be followed, as it was asked for: not parsed yet.
package struct FollowRequest: Hashable, Sendable, Codable {
    /// What sort of list it is.
    package var kind: Listing.Kind
    /// A URL, whose `user:password@` is taken as credentials, or the absolute path of a file.
    package var source: String
    /// The directory of its downloads; absolute.
    package var directory: String
    /// The group of its downloads; nil lets entries and the listing's title say.
    package var group: String?
    /// How many of the newest files stay; nil for all.
    package var newestMax: UInt32?
    /// A regular expression for titles.
    package var filter: String?
    /// Whether new entries are enqueued by themselves.
    package var isAutomatic = false
    /// How long after a refresh the next one is due, in seconds.
    package var intervalSeconds: UInt32 = 3600
    /// Whether neither it nor its downloads may reach a private network; it can not be a file of this machine then.
    package var refusesPrivateAddresses = false
    /// Whether a symbolic link that comes to stand in the path of a download's directory ends that.
    package var refusesLinks = false

    /// A plain request.
    package init(kind: Listing.Kind, source: String, directory: String) {
        self.kind = kind
        self.source = source
        self.directory = directory
    }
}

/// One listing as `--json` and the socket show it.
package struct ListingRow: Hashable, Sendable, Codable {
    /// Its number for ever.
    package var id: UInt64
    /// What sort of list it is.
    package var kind: Listing.Kind
    /// Where it is read from, without secrets.
    package var source: String
    /// What it calls itself; nil before it was read.
    package var title: String?
    /// The group of its downloads, if it is one for all of them.
    package var group: String?
    /// The directory of its downloads.
    package var directory: String
    /// How many of the newest files stay; nil for all.
    package var newestMax: UInt32?
    /// Which titles are enqueued by themselves.
    package var filter: String?
    /// Whether new entries are enqueued by themselves.
    package var isAutomatic: Bool
    /// How long after a refresh the next one is due, in seconds.
    package var intervalSeconds: UInt32
    /// When it was last read, or found unchanged.
    package var refreshedAt: Timestamp?
    /// When it is to be read again.
    package var nextAt: Timestamp
    /// Why it could not be read last; nil when it could.
    package var error: DownloadRow.Failing?
    /// How many entries are known.
    package var entries: Int
    /// How many of them are whole files here.
    package var downloaded: Int
}

/// One entry of a listing as `--json` and the library show it.
package struct EntryRow: Hashable, Sendable, Codable {
    /// The listing it stands in.
    package var listing: UInt64
    /// What tells it from every other of its listing.
    package var guid: String
    /// Where the file comes from, without secrets.
    package var url: String
    /// What people call it.
    package var title: String?
    /// Words about it.
    package var details: String?
    /// The sort of content, by media type or name.
    package var kind: Kind
    /// The media type that the publisher states.
    package var mediaType: String?
    /// The length in bytes that the publisher states.
    package var length: UInt64?
    /// When it was published.
    package var published: Timestamp?
    /// The group it belongs to.
    package var group: String?
    /// The URL of a picture.
    package var thumbnail: String?
    /// Its place within its group.
    package var order: Int64?
    /// How long it plays, in seconds.
    package var durationSeconds: UInt32?
    /// Whether the listing offers it still.
    package var isOffered: Bool
    /// The download it became; nil while it is only available.
    package var download: DownloadRow?
}

extension ListingRow {
    /// A listing as it stands in a state.
    package init(_ followed: FollowedListing, in state: LedgerState) {
        let listing = followed.listing
        id = followed.id.rawValue
        kind = listing.kind
        source = listing.source.text
        title = followed.title
        group = listing.group
        directory = listing.directory
        newestMax = listing.newestMax
        filter = listing.filter
        isAutomatic = listing.isAutomatic
        intervalSeconds = listing.intervalSeconds
        refreshedAt = followed.refreshedAt
        nextAt = followed.nextAt
        error = followed.failure.map(DownloadRow.Failing.init)
        entries = followed.entries.count
        downloaded = followed.entries.values.count { entry in
            entry.download.flatMap { state.queue[$0] }?.phase == .completed
        }
    }
}

extension ListedEntry {
    /// The sort of content, by media type or name.
    package var kind: Kind { Kind(mediaType: mediaType, name: url.lastPathComponent) }
}

extension EntryRow {
    /// An entry of a listing; `row` makes the row of its download.
    package init(
        _ entry: FollowedListing.Entry, of followed: FollowedListing, in state: LedgerState,
        row: (Download) -> DownloadRow
    ) {
        let listed = entry.listed
        listing = followed.id.rawValue
        guid = listed.guid
        url = listed.url.text
        title = listed.title
        details = listed.details
        mediaType = listed.mediaType
        kind = listed.kind
        length = listed.length
        published = listed.published
        group = followed.group(of: listed)
        thumbnail = listed.thumbnail
        order = listed.order
        durationSeconds = listed.durationSeconds
        isOffered = entry.isOffered
        download = entry.download.flatMap { state.queue[$0] }.map(row)
    }
}

extension LedgerState {
    /// What is followed, by number.
    package func listingRows(of kind: Listing.Kind? = nil) -> [ListingRow] {
        library.listings.values.sorted { $0.id < $1.id }.map { ListingRow($0, in: self) }
            .filter { kind == nil || $0.kind == kind }
    }

    /// The entries of a listing in its order; nil when it is not followed.
    package func entryRows(of id: ListingID, row: (Download) -> DownloadRow) -> [EntryRow]? {
        library.listings[id].map { followed in
            followed.sortedEntries.map { EntryRow($0, of: followed, in: self, row: row) }
        }
    }
}
