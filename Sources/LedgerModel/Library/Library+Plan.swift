import _StringProcessing

/// What the library asks for now: a function of the state, whatever happened before.
package struct LibraryPlan: Hashable, Sendable {
    /// An entry that is to be enqueued by itself.
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

    /// What is to be enqueued, the newest first.
    package var take: [Take] = []
    /// Finished downloads whose files are more than their groups may hold.
    package var evict: [DownloadID] = []
    /// Listings that are to be read now.
    package var read: [ListingID] = []
    /// When the next listing is due; nil when none is.
    package var wakeAt: Timestamp?
}

extension LedgerState {
    /// What the library asks for now. O(entries of automatic listings + files, if some group holds too much).
    package func libraryPlan(at now: Timestamp) -> LibraryPlan {
        var plan = LibraryPlan()
        let limits = library.effectiveLimits
        for followed in library.listings.values.sorted(by: { $0.id < $1.id }) {
            if followed.nextAt <= now {
                plan.read.append(followed.id)
            } else {
                plan.wakeAt = min(plan.wakeAt ?? followed.nextAt, followed.nextAt)
            }
            if followed.listing.isAutomatic {
                plan.take += wanted(of: followed, under: limits).map { .init(listing: followed.id, entry: $0) }
            }
        }
        plan.evict = evictable(under: limits)
        return plan
    }

    /// What of a listing is to be enqueued by itself: the newest that its filter lets through, as many as its group
    /// keeps, but those that were taken before.
    private func wanted(of followed: FollowedListing, under limits: [String: GroupLimits]) -> [ListedEntry] {
        let filter = TitleFilter(followed.listing.filter)
        var counts: [String: UInt32] = [:]
        return followed.entries.values.filter { $0.isOffered && filter.passes($0.listed.title ?? "") }
            .sorted { $0.isNewer(than: $1) }
            .filter { entry in
                let group = followed.group(of: entry.listed) ?? ""
                counts[group, default: 0] += 1
                return counts[group, default: 0] <= limits[group]?.newestMax ?? .max
            }
            .filter { $0.download == nil }.map(\.listed)
    }

    /// The finished files that are beyond what their groups may hold.
    private func evictable(under limits: [String: GroupLimits]) -> [DownloadID] {
        let over = limits.filter { group, limits in
            guard let usage = catalog.groups[group] else { return false }
            return usage.files > limits.newestMax ?? .max || usage.bytes > limits.sizeBytesMax ?? .max
        }
        guard !over.isEmpty else { return [] }
        var files: [String: [Download]] = [:]
        for entry in catalog.entries.values where entry.isWhole {
            guard let group = entry.labels.value.group, over[group] != nil, let download = queue[entry.id] else {
                continue
            }
            files[group, default: []].append(download)
        }
        return over.sorted { $0.key < $1.key }.flatMap { group, limits in
            limits.evicted(from: files[group] ?? [], usage: catalog.groups[group]?.bytes ?? 0)
        }
    }
}

extension Library {
    /// What each group may hold: what was said of it, else what the listings say that fill it; of several the most.
    package var effectiveLimits: [String: GroupLimits] {
        var newest: [String: UInt32] = [:]
        for followed in listings.values {
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
    /// What goes of a group's finished files: all but the newest, then the least recently used.
    fileprivate func evicted(from files: [Download], usage: UInt64) -> [DownloadID] {
        let newest = files.sorted { ($0.age, $0.id) > ($1.age, $1.id) }
        var gone = newest.dropFirst(Int(newestMax ?? .max)).filter(\.mayBeEvicted)
        var bytes = gone.reduce(usage) { $0 - min($0, $1.shownFile?.length ?? 0) }
        guard let most = sizeBytesMax else { return gone.map(\.id) }
        let goneIDs = Set(gone.map(\.id))
        let left = files.filter { !goneIDs.contains($0.id) && $0.mayBeEvicted }
        for download in left.sorted(by: { ($0.lastUse, $0.id) < ($1.lastUse, $1.id) }) where bytes > most {
            gone.append(download)
            bytes -= min(bytes, download.shownFile?.length ?? 0)
        }
        return gone.map(\.id)
    }
}

extension Download {
    /// Whether its group may let it go: it is finished, nothing is asked of it, and nobody pinned it.
    package var mayBeEvicted: Bool { phase == .completed && !isPinned }

    /// What "newest" goes by: the day it was published, else when it was enqueued.
    fileprivate var age: Timestamp { order.labels.value.published ?? addedAt }

    /// When its file was last of use to someone.
    fileprivate var lastUse: Timestamp { usedAt ?? completedAt ?? addedAt }
}

/// Tells which titles are wanted.
package struct TitleFilter {
    private let regex: Regex<AnyRegexOutput>?

    /// The filter of a regular expression; nil lets everything through. One that is none, which is refused where it is
    /// given, lets everything through too.
    package init(_ pattern: String?) {
        do { regex = try pattern.map { try Regex($0).ignoresCase() } } catch { regex = nil }
    }

    /// Whether a pattern is a regular expression.
    package static func isValid(_ pattern: String) -> Bool {
        do {
            _ = try Regex(pattern)
            return true
        } catch { return false }
    }

    /// Whether a title is wanted.
    package func passes(_ title: String) -> Bool {
        guard let regex else { return true }
        do { return try regex.firstMatch(in: title) != nil } catch { return false }
    }
}
