/// What the library asks for now: a function of the state, whatever happened before.
package struct LibraryPlan: Hashable, Sendable {
    /// An entry that is to be enqueued.
    package struct Take: Hashable, Sendable {
        /// The listing that offers it.
        package let listing: ListingID
        /// What it is.
        package let entry: ListedEntry

        /// An entry of a listing.
        package init(listing: ListingID, entry: ListedEntry) {
            self.listing = listing
            self.entry = entry
        }
    }

    /// What is to be enqueued by itself, the newest first.
    package var take: [Take] = []
    /// Finished downloads whose files are more than their groups may hold.
    package var evict: [DownloadID] = []
    /// Listings that are to be read now.
    package var read: [ListingID] = []
    /// When the next listing is due; nil when none is.
    package var wakeAt: Timestamp?
}

extension LedgerState {
    /// What the library asks for now.
    package func libraryPlan(at now: Timestamp) -> LibraryPlan {
        var plan = library.plan(at: now)
        plan.evict = evictable(library.keepings)
        plan.take = lasting(plan.take, without: plan.evict, at: now)
        return plan
    }

    /// The finished files that are beyond what listings keep of theirs, and then those beyond what their groups may
    /// hold. O(what the listings became + groups with limits), and O(downloads) if a group holds too much.
    /// - Parameter limits: what groups would be allowed; nil for what they are.
    package func evictable(_ keepings: [Keeping], under limits: [String: GroupLimits]? = nil) -> [DownloadID] {
        let dropped = beyond(keepings) { $0.hasWholeFile }.filter(\.mayBeEvicted)
        let over = (limits ?? library.limits).filter { group, limits in
            guard let usage = catalog.groups[group] else { return false }
            return usage.files > limits.newestMax ?? .max || usage.bytes > limits.sizeBytesMax ?? .max
        }
        guard !over.isEmpty else { return dropped.map(\.id) }
        let gone = Set(dropped.map(\.id))
        var files: [String: [Download]] = [:]
        queue.downloads.visit { row in
            guard let group = row.value.order.labels.value.group, over[group] != nil, row.value.hasWholeFile,
                !gone.contains(row.value.id)
            else { return }
            files[group, default: []].append(row.value)
        }
        let groups = over.sorted { $0.key < $1.key }.flatMap { group, limits in
            limits.evicted(from: files[group] ?? [])
        }
        return dropped.map(\.id) + groups
    }

    /// Those of some entries whose files would stay: of a group that keeps so many of the newest, what is among these
    /// together with all that is there or on its way, but for what is evicted now. O(downloads), if an entry is of such
    /// a group.
    package func lasting(
        _ takes: [LibraryPlan.Take], without evicted: [DownloadID], at now: Timestamp
    ) -> [LibraryPlan.Take] {
        func limit(_ take: LibraryPlan.Take) -> (group: String, most: UInt32, age: Timestamp)? {
            guard let group = library.listings[take.listing]?.group(of: take.entry),
                let most = library.limits[group]?.newestMax
            else { return nil }
            return (group, most, take.entry.published ?? now)
        }
        let gone = Set(evicted)
        func isHeld(_ download: Download) -> Bool { download.isHereOrToCome && !gone.contains(download.id) }
        var ages: [String: [Timestamp]] = [:]
        // What joins another, or what is there, counts where that is.
        var seen: Set<ResourceURL> = []
        for take in takes {
            let isNew = seen.insert(take.entry.url).inserted
            guard let limit = limit(take) else { continue }
            let joins = !isNew || queue.downloads(from: take.entry.url).contains(where: isHeld)
            ages[limit.group, default: []] += joins ? [] : [limit.age]
        }
        guard !ages.isEmpty else { return takes }
        queue.downloads.visit { row in
            guard let group = row.value.order.labels.value.group, ages[group] != nil, isHeld(row.value) else { return }
            ages[group]?.append(row.value.age)
        }
        let newest = ages.mapValues { $0.sorted(by: >) }
        return takes.filter { take in
            guard let (group, most, age) = limit(take), let ages = newest[group], ages.count > most else { return true }
            return most > 0 && age >= ages[Int(most) - 1]
        }
    }

    /// What of the downloads that came of listings is beyond what they keep, and kept by no other.
    private func beyond(_ keepings: [Keeping], where isCounted: (Download) -> Bool) -> [Download] {
        var (gone, kept): ([DownloadID: Download], Set<DownloadID>) = ([:], [])
        for keeping in keepings {
            let newest = newest(of: keeping, where: isCounted)
            let most = Int(keeping.newestMax ?? .max)
            kept.formUnion(newest.prefix(most).map(\.download.id))
            for (download, isOwn) in newest.dropFirst(most) where isOwn { gone[download.id] = download }
        }
        return gone.values.filter { !kept.contains($0.id) }.sorted { $0.id < $1.id }
    }

    /// What a listing's entries of one group became, the newest first; and whether it is the listing's own: made of
    /// that entry and of nothing else, and still of that group.
    private func newest(
        of keeping: Keeping, where isCounted: (Download) -> Bool
    ) -> [(download: Download, isOwn: Bool)] {
        keeping.entries.compactMap { entry in
            guard let download = queue[entry.download], isCounted(download) else { return nil }
            let labels = download.order.labels.value
            return (download, labels.identifier == entry.guid && labels.group == keeping.group)
        }
        .sorted { $0.0.isNewer(than: $1.0) }
    }
}

extension LedgerState {
    /// Entries of a listing whose downloads have failed, where each was made of its entry and of nothing else. In no
    /// order; O(entries).
    package func failedEntries(of id: ListingID) -> [(entry: ListedEntry, download: Download)] {
        guard let followed = library.listings[id] else { return [] }
        return followed.entries.values.compactMap { entry in
            guard let download = entry.download.flatMap({ queue[$0] }), download.phase == .failed,
                download.order.labels.value.identifier == entry.listed.guid
            else { return nil }
            return (entry.listed, download)
        }
    }

    /// Those of some downloads whose files go as soon as they are there: their listings, or groups, keep so many newer
    /// ones. O(what the listings became), and O(downloads log downloads) if some group keeps the newest.
    package func tooOld(among ids: [DownloadID]) -> [DownloadID] {
        var gone = Set(beyond(library.keepings) { $0.isHereOrToCome }.map(\.id))
        let limits = library.limits.compactMapValues(\.newestMax)
        if !limits.isEmpty {
            var groups: [String: [Download]] = [:]
            queue.downloads.visit { row in
                guard row.value.isHereOrToCome, let group = row.value.order.labels.value.group, limits[group] != nil
                else { return }
                groups[group, default: []].append(row.value)
            }
            for (group, downloads) in groups {
                let newest = downloads.sorted { $0.isNewer(than: $1) }
                gone.formUnion(newest.dropFirst(Int(limits[group] ?? .max)).map(\.id))
            }
        }
        return ids.filter { gone.contains($0) && queue[$0]?.isPinned == false }
    }
}

extension FollowedListing {
    /// How much longer than its interval it may be put off, in seconds.
    private static let graceSecondsMax: Int64 = 60

    /// What is put off for longer than this was so by a clock that was ahead and put right since, or under a longer
    /// interval: it is due.
    fileprivate var waitMax: Duration {
        .seconds(Int64(max(listing.intervalSeconds, failure?.retryAfterSeconds ?? 0)) + Self.graceSecondsMax)
    }
}

extension Library {
    /// What is to be read and enqueued now. O(entries of automatic listings).
    package func plan(at now: Timestamp) -> LibraryPlan {
        var plan = LibraryPlan()
        for followed in listings.values.sorted(by: { $0.id < $1.id }) {
            if followed.nextAt <= now || followed.nextAt > now.advanced(by: followed.waitMax) {
                plan.read.append(followed.id)
            } else {
                plan.wakeAt = min(plan.wakeAt ?? followed.nextAt, followed.nextAt)
            }
            if followed.listing.isAutomatic {
                plan.take += wanted(of: followed).map { .init(listing: followed.id, entry: $0) }
            }
        }
        return plan
    }

    /// What of a listing is to be enqueued by itself: the newest that its filter lets through, as many as it and its
    /// group keep, but those that were taken before, and those that are said to be longer than all that the group may
    /// hold.
    private func wanted(of followed: FollowedListing) -> [ListedEntry] {
        let pattern = followed.listing.pattern
        var counts: [String: UInt32] = [:]
        return followed.entries.values.filter { $0.isOffered && pattern?.matches($0.listed.title ?? "") ?? true }
            .sorted { $0.isNewer(than: $1) }
            .filter { entry in
                let group = followed.group(of: entry.listed) ?? ""
                counts[group, default: 0] += 1
                // Whichever is less: another listing of the group may keep more, and is asked for those.
                return counts[group, default: 0]
                    <= min(
                        limits[group]?.newestMax ?? .max, followed.listing.newestMax ?? .max)
            }
            .filter { entry in
                let bytesMax = followed.group(of: entry.listed).flatMap { limits[$0]?.sizeBytesMax } ?? .max
                return entry.download == nil && entry.listed.length ?? 0 <= bytesMax
            }.map(\.listed)
    }

    /// What listings keep of what their entries became, by group. One that enqueues by itself and says nothing keeps
    /// all of it, whatever another says that has the same. O(entries), if some listing says anything.
    package var keepings: [Keeping] {
        guard listings.values.contains(where: { $0.listing.newestMax != nil }) else { return [] }
        return listings.values.filter { $0.listing.newestMax != nil || $0.listing.isAutomatic }.flatMap { followed in
            var groups: [String: [Keeping.Entry]] = [:]
            for (guid, entry) in followed.entries {
                guard let download = entry.download, let group = followed.group(of: entry.listed) else { continue }
                groups[group, default: []].append(Keeping.Entry(guid: guid, download: download))
            }
            return groups.map { Keeping(newestMax: followed.listing.newestMax, group: $0.key, entries: $0.value) }
        }
    }
}

extension GroupLimits {
    /// What goes of a group's finished files: all but the newest, then what is larger than all files together may be,
    /// so that it takes no other with it, then the least recently used.
    fileprivate func evicted(from files: [Download]) -> [DownloadID] {
        let newest = files.sorted { $0.isNewer(than: $1) }
        var gone = newest.dropFirst(Int(newestMax ?? .max)).filter(\.mayBeEvicted)
        var bytes = files.reduce(0) { $0 &+ $1.fileBytes } &- gone.reduce(0) { $0 &+ $1.fileBytes }
        guard let most = sizeBytesMax else { return gone.map(\.id) }
        let goneIDs = Set(gone.map(\.id))
        let left = files.filter { !goneIDs.contains($0.id) && $0.mayBeEvicted }
        let oversized = left.filter { $0.fileBytes > most }
        let byUse = left.filter { $0.fileBytes <= most }.sorted { ($0.lastUse, $0.id) < ($1.lastUse, $1.id) }
        for download in oversized + byUse where bytes > most {
            gone.append(download)
            bytes &-= download.fileBytes
        }
        return gone.map(\.id)
    }
}

extension Download {
    /// Whether its group may let it go: it is finished, nothing is asked of it, and nobody pinned it. What stood there
    /// before it was asked for (`--skip`) was never fetched, and can not be had again.
    package var mayBeEvicted: Bool { phase == .completed && !isPinned && !hasForeignFile }

    /// Whether its file is there, or may still come.
    fileprivate var isHereOrToCome: Bool { phase.isLive || phase == .completed }

    /// Newer by its age; of equal ones the one that was enqueued last.
    fileprivate func isNewer(than other: Download) -> Bool { (age, id) > (other.age, other.id) }

    /// What its file takes, in bytes.
    fileprivate var fileBytes: UInt64 { shownLength ?? 0 }

    /// What "newest" goes by: the day it was published, else when it was enqueued.
    fileprivate var age: Timestamp { order.labels.value.published ?? addedAt }

    /// When its file was last of use to someone.
    fileprivate var lastUse: Timestamp { usedAt ?? completedAt ?? addedAt }
}
