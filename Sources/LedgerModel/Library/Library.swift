/// What fills the catalog and keeps it: limits of groups, listings with their entries, and hooks.
package struct Library: Hashable, Sendable {
    /// What groups may hold, by their names.
    package var limits: [String: GroupLimits] = [:]
    /// What is followed.
    package var listings: [ListingID: FollowedListing] = [:]
    /// What entries became of listings that are followed no longer, by ``Listing/formerKey`` and their guids: what was
    /// enqueued once is never again by itself, also when its listing is followed anew.
    package var former: [String: [String: DownloadID]] = [:]
    /// Who is told of events, by their names.
    package var hooks: [String: Hook] = [:]

    /// The library before the first event.
    package init() {}

    /// Whether there is nothing in it.
    package var isEmpty: Bool { self == Library() }

    /// The secrets that listings and their entries need.
    package var ownedSecrets: Set<SecretReference> {
        var owned: Set<SecretReference> = []
        for followed in listings.values {
            if let secret = followed.listing.secret { owned.insert(secret) }
            for entry in followed.entries.values { if let secret = entry.listed.secret { owned.insert(secret) } }
        }
        return owned
    }

    /// Up to where every hook was told; nil when there is none. A hook that is ``Hook/heldEventsMax`` behind counts no
    /// longer: it may never come back.
    package func untold(before last: SequenceNumber) -> SequenceNumber? {
        hooks.values.map(\.cursor).filter { $0 >= last || last.rawValue - $0.rawValue <= Hook.heldEventsMax }.min()
    }

    /// Takes an event into account. What is about a listing or a hook that is not known any longer changes nothing.
    package mutating func apply(_ event: LibraryEvent, at place: SequenceNumber, _ time: Timestamp) {
        switch event {
        case .limited(let group, let limits):
            self.limits[group] = limits.isEmpty ? nil : limits
        case .followed(let listing, let replaced):
            follow(listing, as: replaced ?? place, at: time)
        case .unfollowed(let id):
            if let followed = listings.removeValue(forKey: id) { remember(followed) }
        case .listed(let id, let entries):
            let became = listings[id].flatMap { former[$0.listing.formerKey] } ?? [:]
            for (position, entry) in entries.enumerated() {
                listings[id]?.take(entry, became[entry.guid], place, UInt32(clamping: position), time)
            }
        case .delisted(let id, let guids):
            for guid in guids { listings[id]?.drop(guid) }
        case .refreshed(let id, let refresh):
            listings[id]?.take(refresh, at: time)
        case .taken(let id, let guid, let download):
            listings[id]?.entries[guid]?.download = download
        case .hooked(let name, let details):
            if hooks.count >= Hook.hooksMax, let last = hooks.values.min(by: Hook.isFurtherBehind) {
                hooks[last.name] = nil
            }
            hooks[name] = Hook(name: name, details: details, cursor: place)
        case .delivered(let name, let through):
            hooks[name]?.cursor = through
        }
    }

    /// Beyond ``Listing/listingsMax`` sources, and ``Listing/entriesMax`` entries of one, nothing more is remembered.
    private mutating func remember(_ followed: FollowedListing) {
        let source = followed.listing.formerKey
        var taken = former[source] ?? [:]
        let latest = followed.entries.values.sorted { one, other in
            (one.since, one.position, one.listed.guid) > (other.since, other.position, other.listed.guid)
        }
        for entry in latest {
            guard let download = entry.download, taken.count < Listing.entriesMax else { continue }
            taken[entry.listed.guid] = download
        }
        if !taken.isEmpty, former[source] != nil || former.count < Listing.listingsMax { former[source] = taken }
    }

    private mutating func follow(_ listing: Listing, as id: ListingID, at time: Timestamp) {
        guard listings[id] != nil else {
            listings[id] = FollowedListing(id: id, listing: listing, at: time)
            return
        }
        listings[id]?.listing = listing
        // It may be read in another way now.
        listings[id]?.nextAt = time
    }
}

extension FollowedListing {
    fileprivate mutating func take(
        _ entry: ListedEntry, _ became: DownloadID?, _ place: SequenceNumber, _ position: UInt32, _ time: Timestamp
    ) {
        if entries[entry.guid] == nil {
            var new = Entry(entry, since: place, position: position, seenAt: time)
            new.download = became
            entries[entry.guid] = new
        } else {
            entries[entry.guid]?.listed = entry
            entries[entry.guid]?.isOffered = true
        }
    }

    /// What was taken stays known, so that it is never taken anew by itself.
    fileprivate mutating func drop(_ guid: String) {
        if entries[guid]?.download == nil { entries[guid] = nil } else { entries[guid]?.isOffered = false }
    }

    fileprivate mutating func take(_ refresh: Refresh, at time: Timestamp) {
        nextAt = refresh.nextAt
        failure = refresh.failure
        failuresInRow = refresh.failure == nil ? 0 : failuresInRow + 1
        // What came in part has a title all the same.
        guard refresh.failure == nil || refresh.title != nil else { return }
        refreshedAt = time
        title = refresh.title ?? title
        firstTitle = firstTitle ?? title
        (entityTag, lastModified) = (refresh.entityTag, refresh.lastModified)
    }
}
