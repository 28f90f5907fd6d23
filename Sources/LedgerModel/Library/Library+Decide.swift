extension LedgerState {
    /// Turns a command into events, or refuses it. Changes nothing.
    /// - Parameter running: the downloads that run, or are about to: none of them makes room for another.
    package func decide(
        _ command: Command, at now: Timestamp, limits: Limits = Limits(), running: Set<DownloadID> = []
    ) throws(Rejection) -> Decision {
        guard case .library(let command) = command else {
            var decision = try queue.decide(
                sparingForeign(command), at: now, limits: limits, running: running)
            if case .report = command { decision.events += displaced(by: decision.events) }
            if case .relocate(let id, let relocation) = command { try requireUnowned(relocation, of: id) }
            return decision
        }
        if case .take(let id, let guid, let order, let again) = command {
            return try take(id, guid, order, again, at: now, limits, running)
        }
        return Decision(try library.decide(command, after: sequence).map { .init(nil, .library($0)) })
    }

    /// A file that takes the place of another download's leaves that one without: its own was replaced, or was away.
    /// Of one whose deletion was undone only the disk tells: its file may not be back from the trash yet.
    private func displaced(by events: [Decision.Proposed]) -> [Decision.Proposed] {
        var paths: [DownloadID: String] = [:]
        return events.compactMap { proposed in
            guard let id = proposed.id else { return nil }
            if case .verified(_, _, let path) = proposed.event { paths[id] = path }
            guard proposed.event.kind == .completed, let path = paths[id] ?? queue[id]?.file?.value.path,
                let owner = owner(of: path), owner != id, let other = queue[owner],
                other.phase == .completed || other.phase == .altered, !other.wasBroughtBack,
                other.file.map({ DiskName($0.value.path) }) == DiskName(path)
            else { return nil }
            return .init(owner, .missing)
        }
    }

    /// What stood there before it was asked for (`--skip`) was never the ledger's to take away, unless another download
    /// had fetched it.
    private func sparingForeign(_ command: Command) -> Command {
        guard case .delete(let id, let deletion) = command, deletion != .keepFile, deletion != .evicted,
            let download = queue[id], download.hasForeignFile, let file = download.shownFile
        else { return command }
        let isFetched = publishers(of: file.path).contains { other in
            guard other != id, let other = queue[other] else { return false }
            return other.isFileFetched && other.shownFile?.sha256 == file.sha256
        }
        return isFetched ? command : .delete(id, .keepFile)
    }

    /// A directory moved to where files of other downloads stand took their place, or is not what stands there.
    private func requireUnowned(_ relocation: Relocation, of id: DownloadID) throws(Rejection) {
        guard let path = queue[id]?.shownPath.flatMap(relocation.moved), let owner = owner(of: path), owner != id,
            queue[owner]?.hasWholeFile ?? false
        else { return }
        throw .destinationTaken(path: path, by: owner)
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
    /// Why 0 is no limit: who means that there is none would lose every file.
    private static let keepsNothing = "it keeps no file at all"

    fileprivate func decide(
        _ command: LibraryCommand, after last: SequenceNumber
    ) throws(Rejection) -> [LibraryEvent] {
        switch command {
        case .limit(let group, let limits):
            guard limits != self.limits[group] ?? GroupLimits() else { return [] }
            guard !group.isEmpty || limits.isEmpty else { throw .badLimit("the group has no name") }
            guard limits.newestMax != 0, limits.sizeBytesMax != 0 else { throw .badLimit(Self.keepsNothing) }
            guard group.utf8.count <= GroupLimits.nameBytesMax else {
                throw .tooMuch("the bytes of a group's name", max: GroupLimits.nameBytesMax)
            }
            guard limits.isEmpty || self.limits[group] != nil || self.limits.count < GroupLimits.groupsMax else {
                throw .tooMuch("limited groups", max: GroupLimits.groupsMax)
            }
            return [.limited(group: group, limits)]
        case .follow(let listing, let others): return try follow(listing, besides: others)
        case .unfollow(let id): return [.unfollowed(try known(id).id)]
        case .refresh(let id, let entries, let refresh):
            return changes(of: try known(id), to: entries, refresh)
        case .take: preconditionFailure("the state decides this")
        case .relocate(let relocation):
            return listings.values.sorted { $0.id < $1.id }.compactMap { followed in
                let moved = followed.listing.moved(by: relocation)
                return moved == followed.listing ? nil : .followed(moved, replacing: followed.id)
            }
        case .hook(let name, let details):
            if hooks[name] != nil { return [] }
            return [.hooked(name: name, details: details)]
        case .deliver(let name, let through):
            guard let hook = hooks[name], hook.cursor < through, through <= last else { return [] }
            return [.delivered(hook: name, through: through)]
        }
    }

    private func follow(_ listing: Listing, besides others: Set<ListingID>) throws(Rejection) -> [LibraryEvent] {
        guard listing.textBytes <= Listing.textBytesMax else {
            throw .tooMuch("the bytes of a listing's texts", max: Listing.textBytesMax)
        }
        guard listing.newestMax != 0 else { throw .badLimit(Self.keepsNothing) }
        if let filter = listing.filter {
            guard filter.utf8.count <= Listing.filterBytesMax else {
                throw .tooMuch("the bytes of a filter", max: Listing.filterBytesMax)
            }
            do throws(PatternProblem) { _ = try TitlePattern(filter) } catch {
                throw .badFilter(filter, error.message)
            }
        }
        let same = listings.values.first { known in
            known.listing.source == listing.source && known.listing.kind == listing.kind && !others.contains(known.id)
        }
        if let same {
            return same.listing == listing ? [] : [.followed(listing, replacing: same.id)]
        }
        guard listings.count < Listing.listingsMax else { throw .tooMuch("listings", max: Listing.listingsMax) }
        return [.followed(listing, replacing: nil)]
    }

    private func known(_ id: ListingID) throws(Rejection) -> FollowedListing {
        guard let listing = listings[id] else { throw .noListing(id) }
        return listing
    }

    /// What is new or was changed, in events of a bounded size, what a catalog holds no longer, and how it went.
    private func changes(
        of followed: FollowedListing, to entries: [ListedEntry]?, _ refresh: Refresh
    ) -> [LibraryEvent] {
        guard let entries else { return [.refreshed(followed.id, refresh)] }
        var (refresh, room, passedOver) = (refresh, Listing.entriesMax - followed.entries.count, 0)
        var news: [ListedEntry] = []
        for entry in entries {
            if let known = followed.entries[entry.guid] {
                if known.listed == entry, known.isOffered { continue }
            } else if room > 0 {
                room -= 1
            } else {
                passedOver += 1
                continue
            }
            news.append(entry)
        }
        var events = Self.portions(of: news) { $0.textBytes }.map { LibraryEvent.listed(followed.id, $0) }
        // What did not come whole says nothing of what is gone.
        if refresh.failure == nil { events += delisted(followed, entries) }
        if passedOver > 0 { refresh.failure = refresh.failure ?? Self.full(passedOver) }
        return events + [.refreshed(followed.id, refresh)]
    }

    /// What fits into one event each, in order; none of it empty.
    private static func portions<Item>(of items: [Item], by bytes: (Item) -> Int) -> [[Item]] {
        var portions: [[Item]] = []
        var left = 0
        for item in items {
            let size = bytes(item)
            if size > left || portions.isEmpty {
                portions.append([])
                left = listedBytesMax
            }
            portions[portions.count - 1].append(item)
            left -= size
        }
        return portions
    }

    private static func full(_ passedOver: Int) -> Failure {
        Failure(
            .unsupported,
            "\(passedOver) new entries were passed over: \(Listing.entriesMax) are all that is kept of a listing. "
                + "Remove it and add it anew; what was fetched of it stays", isRetryable: false)
    }

    private func delisted(_ followed: FollowedListing, _ entries: [ListedEntry]) -> [LibraryEvent] {
        guard followed.listing.kind == .catalog else { return [] }
        let offered = Set(entries.map(\.guid))
        let gone = followed.entries.values.filter { $0.isOffered && !offered.contains($0.listed.guid) }
            .map(\.listed.guid).sorted()
        return Self.portions(of: gone) { $0.utf8.count }.map { .delisted(followed.id, $0) }
    }
}
