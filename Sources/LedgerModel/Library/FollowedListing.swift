/// A listing with what is known of it: readable without a network.
package struct FollowedListing: Hashable, Sendable {
    /// An entry, and what became of it.
    package struct Entry: Hashable, Sendable {
        /// What the listing says.
        package var listed: ListedEntry
        /// The event that it was first seen in.
        package let since: SequenceNumber
        /// Its place among those of that event.
        package let position: UInt32
        /// When that was.
        package let seenAt: Timestamp
        /// What it became; nil while it is only on offer.
        package var download: DownloadID?
        /// Whether the listing offers it still.
        package var isOffered = true

        /// An entry that was just seen.
        package init(_ listed: ListedEntry, since: SequenceNumber, position: UInt32, seenAt: Timestamp) {
            self.listed = listed
            self.since = since
            self.position = position
            self.seenAt = seenAt
        }
    }

    /// Its number for ever.
    package let id: ListingID
    /// How it is followed.
    package var listing: Listing
    /// What it calls itself; nil before it was read.
    package var title: String?
    /// What it called itself first: the group of its entries that have none, whatever it is called later.
    package var firstTitle: String?
    /// The entity tag of what was read last.
    package var entityTag: String?
    /// The `Last-Modified` of what was read last.
    package var lastModified: String?
    /// When it was last read, or found unchanged.
    package var refreshedAt: Timestamp?
    /// When it is to be read again.
    package var nextAt: Timestamp
    /// Why it could not be read last; nil when it could.
    package var failure: Failure?
    /// How often in a row it could not be read.
    package var failuresInRow: UInt32 = 0
    /// The entries by their guids.
    package var entries: [String: Entry] = [:]

    /// A listing that was never read, and is to be at `time`.
    package init(id: ListingID, listing: Listing, at time: Timestamp) {
        self.id = id
        self.listing = listing
        nextAt = time
    }

    /// The group of an entry's download. A feed always has one, and so has what is to keep some of it.
    package func group(of entry: ListedEntry) -> String? {
        if let group = listing.group ?? entry.group ?? firstTitle { return group }
        return listing.kind == .feed || listing.newestMax != nil ? listing.source.name : nil
    }

    /// What is offered, or was taken, in the listing's order: a catalog's by group and place, a feed's from the newest.
    package var sortedEntries: [Entry] {
        let all = Array(entries.values)
        switch listing.kind {
        case .feed: return all.sorted { $0.isNewer(than: $1) }
        case .catalog: return all.sorted { $0.comesBefore($1) }
        }
    }
}

extension FollowedListing.Entry {
    /// Its age: the day it was published, else when it was seen.
    package var time: Timestamp { listed.published ?? seenAt }

    /// Newer by its age; of equal ones the one that stood first in the list.
    package func isNewer(than other: Self) -> Bool {
        if time != other.time { return time > other.time }
        return stoodBefore(other)
    }

    /// Whether it stands before another in a catalog: by group, by place, and those without a place as they stood.
    package func comesBefore(_ other: Self) -> Bool {
        let (mine, others) = (listed.group ?? "", other.listed.group ?? "")
        if mine != others { return mine < others }
        let (place, otherPlace) = (listed.order ?? .max, other.listed.order ?? .max)
        if place != otherPlace { return place < otherPlace }
        return stoodBefore(other)
    }

    private func stoodBefore(_ other: Self) -> Bool { (since, position) < (other.since, other.position) }
}
