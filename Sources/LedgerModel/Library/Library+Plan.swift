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
        let limits = library.effectiveLimits
        var plan = library.plan(at: now)
        plan.evict = evictable(under: limits)
        return plan
    }

    /// The finished files that are beyond what their groups may hold. O(groups with limits), and O(downloads) if one of
    /// them holds too much.
    package func evictable(under limits: [String: GroupLimits]) -> [DownloadID] {
        let over = limits.filter { group, limits in
            guard let usage = catalog.groups[group] else { return false }
            return usage.files > limits.newestMax ?? .max || usage.bytes > limits.sizeBytesMax ?? .max
        }
        guard !over.isEmpty else { return [] }
        var files: [String: [Download]] = [:]
        queue.downloads.visit { row in
            guard let group = row.value.order.labels.value.group, over[group] != nil, row.value.hasWholeFile else {
                return
            }
            files[group, default: []].append(row.value)
        }
        return over.sorted { $0.key < $1.key }.flatMap { group, limits in
            limits.evicted(from: files[group] ?? [], usage: catalog.groups[group]?.bytes ?? 0)
        }
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

    /// Those of some downloads whose files go as soon as they are there: their groups keep so many newer ones.
    /// O(downloads log downloads), if some group keeps the newest.
    package func tooOld(among ids: [DownloadID]) -> [DownloadID] {
        let limits = library.effectiveLimits.compactMapValues(\.newestMax)
        guard !limits.isEmpty else { return [] }
        var kept: [String: [Download]] = [:]
        queue.downloads.visit { row in
            guard row.value.phase.isLive || row.value.phase == .completed,
                let group = row.value.order.labels.value.group, limits[group] != nil
            else { return }
            kept[group, default: []].append(row.value)
        }
        let oldest = kept.compactMapValues { downloads -> (Timestamp, DownloadID)? in
            let most = downloads[0].order.labels.value.group.flatMap { limits[$0] } ?? 0
            guard most > 0, downloads.count >= most else { return nil }
            let last = downloads.sorted { ($0.age, $0.id) > ($1.age, $1.id) }[Int(most) - 1]
            return (last.age, last.id)
        }
        return ids.filter { id in
            guard let download = queue[id], !download.isPinned, let group = download.order.labels.value.group,
                let most = limits[group]
            else { return false }
            return most == 0 || oldest[group].map { $0 > (download.age, id) } ?? false
        }
    }
}

extension FollowedListing {
    /// How much longer than its interval it may be put off, in seconds.
    private static let graceSecondsMax: Int64 = 60

    /// What is put off for longer than this was so by a clock that was ahead and put right since, or under a longer
    /// interval: it is due.
    fileprivate var waitMax: Duration {
        .seconds(Int64(listing.intervalSeconds) + Self.graceSecondsMax)
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
    /// group keep, but those that were taken before.
    private func wanted(of followed: FollowedListing) -> [ListedEntry] {
        let pattern = followed.listing.pattern
        var counts: [String: UInt32] = [:]
        return followed.entries.values.filter { $0.isOffered && pattern?.matches($0.listed.title ?? "") ?? true }
            .sorted { $0.isNewer(than: $1) }
            .filter { entry in
                let group = followed.group(of: entry.listed) ?? ""
                counts[group, default: 0] += 1
                // Another listing of the group may keep more, and this one is not asked for those.
                return counts[group, default: 0] <= limits[group]?.newestMax ?? followed.listing.newestMax ?? .max
            }
            .filter { $0.download == nil }.map(\.listed)
    }

    /// What each group may hold: what was said of it, else what the listings say that fill it; of several the most. One
    /// of which nothing is enqueued by itself, and which says nothing, has no part in it. O(entries), if some listing
    /// says anything.
    package var effectiveLimits: [String: GroupLimits] {
        guard listings.values.contains(where: { $0.listing.newestMax != nil }) else { return limits }
        var newest: [String: UInt32] = [:]
        for followed in listings.values where followed.listing.isAutomatic || followed.listing.newestMax != nil {
            let groups = Set(followed.entries.values.compactMap { followed.group(of: $0.listed) })
            for group in groups {
                newest[group] = max(newest[group] ?? 0, followed.listing.newestMax ?? .max)
            }
        }
        var limits = self.limits
        for (group, newest) in newest where newest != .max && limits[group]?.newestMax == nil {
            limits[group, default: GroupLimits()].newestMax = newest
        }
        return limits
    }
}

extension GroupLimits {
    /// What goes of a group's finished files: all but the newest, then what is larger than all files together may be,
    /// so that it takes no other with it, then the least recently used.
    fileprivate func evicted(from files: [Download], usage: UInt64) -> [DownloadID] {
        let newest = files.sorted { ($0.age, $0.id) > ($1.age, $1.id) }
        var gone = newest.dropFirst(Int(newestMax ?? .max)).filter(\.mayBeEvicted)
        var bytes = gone.reduce(usage) { $0 - min($0, $1.fileBytes) }
        guard let most = sizeBytesMax else { return gone.map(\.id) }
        let goneIDs = Set(gone.map(\.id))
        let left = files.filter { !goneIDs.contains($0.id) && $0.mayBeEvicted }
        let oversized = left.filter { $0.fileBytes > most }
        let byUse = left.filter { $0.fileBytes <= most }.sorted { ($0.lastUse, $0.id) < ($1.lastUse, $1.id) }
        for download in oversized + byUse where bytes > most {
            gone.append(download)
            bytes -= min(bytes, download.fileBytes)
        }
        return gone.map(\.id)
    }
}

extension Download {
    /// Whether its group may let it go: it is finished, nothing is asked of it, and nobody pinned it. What stood there
    /// before it was asked for (`--skip`) was never fetched, and can not be had again.
    package var mayBeEvicted: Bool { phase == .completed && !isPinned && origin != nil }

    /// What its file takes, in bytes.
    fileprivate var fileBytes: UInt64 { shownLength ?? 0 }

    /// What "newest" goes by: the day it was published, else when it was enqueued.
    fileprivate var age: Timestamp { order.labels.value.published ?? addedAt }

    /// When its file was last of use to someone.
    fileprivate var lastUse: Timestamp { usedAt ?? completedAt ?? addedAt }
}
