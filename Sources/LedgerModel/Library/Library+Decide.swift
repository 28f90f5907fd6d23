extension LedgerState {
    /// Turns a command into events, or refuses it. Changes nothing.
    /// - Parameter running: the downloads that run, or are about to: none of them makes room for another.
    package func decide(
        _ command: Command, at now: Timestamp, limits: Limits = Limits(), running: Set<DownloadID> = []
    ) throws(Rejection) -> Decision {
        guard case .library(let command) = command else {
            return try queue.decide(command, at: now, limits: limits, running: running)
        }
        if case .take(let id, let guid, let order, let again) = command {
            return try take(id, guid, order, again, at: now, limits, running)
        }
        return Decision(try library.decide(command, after: sequence).map { .init(nil, .library($0)) })
    }

    /// Enqueues an entry, or joins what has the same already; either way the entry has become that download. `again`
    /// fetches after all what failed, was given up, is gone or was deleted.
    private func take(
        _ id: ListingID, _ guid: String, _ order: Order, _ again: Bool, at now: Timestamp, _ limits: Limits,
        _ running: Set<DownloadID>
    ) throws(Rejection) -> Decision {
        guard let listing = library.listings[id] else { throw .noListing(id) }
        guard let entry = listing.entries[guid] else { throw .noEntry(id, guid: guid) }
        if let taken = entry.download, let known = queue[taken] {
            if !again || known.phase.isLive || known.phase == .completed { return Decision([], joined: taken) }
        }
        var decision = try queue.decide(
            .enqueue(order, priority: 0, again: false), at: now, limits: limits, running: running)
        let enqueued = decision.events.firstIndex { $0.event.kind == .enqueued }
        let new = enqueued.map { DownloadID(SequenceNumber(sequence.rawValue + UInt64($0) + 1)) }
        guard let download = new ?? decision.joined else { return decision }
        decision.events.append(.init(nil, .library(.taken(id, guid: guid, download))))
        return decision
    }
}

extension Library {
    /// What of a refresh goes into one event, in bytes of text.
    package static let listedBytesMax = 256 << 10

    fileprivate func decide(
        _ command: LibraryCommand, after last: SequenceNumber
    ) throws(Rejection) -> [LibraryEvent] {
        switch command {
        case .limit(let group, let limits):
            guard limits != self.limits[group] ?? GroupLimits() else { return [] }
            guard group.utf8.count <= GroupLimits.nameBytesMax else {
                throw .tooMuch("the bytes of a group's name", max: GroupLimits.nameBytesMax)
            }
            guard limits.isEmpty || self.limits[group] != nil || self.limits.count < GroupLimits.groupsMax else {
                throw .tooMuch("limited groups", max: GroupLimits.groupsMax)
            }
            return [.limited(group: group, limits)]
        case .follow(let listing): return try follow(listing)
        case .unfollow(let id): return [.unfollowed(try known(id).id)]
        case .refresh(let id, let entries, let refresh):
            return changes(of: try known(id), to: entries) + [.refreshed(id, refresh)]
        case .take: preconditionFailure("the state decides this")
        case .hook(let name, let details):
            if hooks[name] != nil { return [] }
            guard hooks.count < Hook.hooksMax else { throw .tooMuch("hooks", max: Hook.hooksMax) }
            return [.hooked(name: name, details: details)]
        case .deliver(let name, let through):
            guard let hook = hooks[name], hook.cursor < through, through <= last else { return [] }
            return [.delivered(hook: name, through: through)]
        }
    }

    private func follow(_ listing: Listing) throws(Rejection) -> [LibraryEvent] {
        if let filter = listing.filter {
            guard filter.utf8.count <= Listing.filterBytesMax else {
                throw .tooMuch("the bytes of a filter", max: Listing.filterBytesMax)
            }
            guard TitleFilter.isValid(filter) else { throw .badFilter(filter) }
        }
        if let same = listings.values.first(where: { $0.listing.source == listing.source }) {
            return same.listing == listing ? [] : [.followed(listing, replacing: same.id)]
        }
        guard listings.count < Listing.listingsMax else { throw .tooMuch("listings", max: Listing.listingsMax) }
        return [.followed(listing, replacing: nil)]
    }

    private func known(_ id: ListingID) throws(Rejection) -> FollowedListing {
        guard let listing = listings[id] else { throw .noListing(id) }
        return listing
    }

    /// What is new or was changed, in events of a bounded size, and what a catalog holds no longer.
    private func changes(of followed: FollowedListing, to entries: [ListedEntry]?) -> [LibraryEvent] {
        guard let entries else { return [] }
        var room = Listing.entriesMax - followed.entries.count
        var events: [LibraryEvent] = []
        var (some, bytes) = ([ListedEntry](), 0)
        for entry in entries {
            if let known = followed.entries[entry.guid] {
                if known.listed == entry, known.isOffered { continue }
            } else {
                guard room > 0 else { continue }
                room -= 1
            }
            if bytes + entry.textBytes > Self.listedBytesMax, !some.isEmpty {
                events.append(.listed(followed.id, some))
                (some, bytes) = ([], 0)
            }
            some.append(entry)
            bytes += entry.textBytes
        }
        if !some.isEmpty { events.append(.listed(followed.id, some)) }
        return events + delisted(followed, entries)
    }

    private func delisted(_ followed: FollowedListing, _ entries: [ListedEntry]) -> [LibraryEvent] {
        guard followed.listing.kind == .catalog else { return [] }
        let offered = Set(entries.map(\.guid))
        let gone = followed.entries.values.filter { $0.isOffered && !offered.contains($0.listed.guid) }
            .map(\.listed.guid).sorted()
        return gone.isEmpty ? [] : [.delisted(followed.id, gone)]
    }
}
