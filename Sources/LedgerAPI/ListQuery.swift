package import LedgerModel

/// A point in the log, as a person names it.
package enum LogPoint: Hashable, Sendable, Codable {
    case sequence(SequenceNumber)
    /// The last event recorded at or before this instant.
    case time(Timestamp)
}

/// What `list` and `show` ask for.
package struct ListQuery: Hashable, Sendable, Codable {
    /// The orders a list can be in.
    package enum Sort: String, Hashable, Sendable, Codable, CaseIterable {
        case id, name, state, size, priority, added, completed
    }

    /// These downloads in this order, whatever the filter says; empty: those that the filter matches.
    package var ids: [DownloadID] = []
    /// Which downloads, when ``ids`` is empty.
    package var filter = Filter()
    /// The state as it was then; nil: as it is now. Only answered from the log, never over the socket.
    package var at: LogPoint?
    /// At most so many rows; nil: all.
    package var limit: Int?
    /// What the order goes by; equal ones stand by id, those of one priority in their turn.
    package var sort: Sort = .id
    /// Whether the order is turned round.
    package var descending = false

    /// Everything there is, by id.
    package init() {}

    /// Those that are asked for among all of a state, in the order that is asked for.
    ///
    /// Beside those, it holds no more than their number of others. By id, no more are looked at than it takes to find
    /// as many as are asked for.
    /// - Parameters:
    ///   - start: only what comes after this id in the order; heeded when that goes by id.
    ///   - shown: a download as it is filtered and sorted, or what stands for one.
    package func select<Shown: Listable>(
        from items: DownloadTable, after start: DownloadID? = nil, shown: @escaping (Download) -> Shown
    ) -> some Sequence<Shown> {
        let chosen = ids.isEmpty ? selectIDs(from: items, after: start, shown: shown) : ids
        return chosen.lazy.compactMap { items[$0].map(shown) }
    }

    private func selectIDs(
        from items: DownloadTable, after start: DownloadID?, shown: (Download) -> some Listable
    ) -> [DownloadID] {
        if sort == .id { return firstIDs(of: items, after: start, shown: shown) }
        let matcher = filter.matcher
        var first = FirstFew<Place>(min(max(0, limit ?? .max), items.count), by: isBefore)
        for download in items {
            let item = shown(download)
            let place = self.place(of: item, rank: download.rank)
            guard first.takes(place), matcher.matches(item) else { continue }
            first.insert(place)
        }
        return first.sorted.map(\.id)
    }

    /// By id they stand as they are kept: no more is looked at than it takes to find as many as are asked for.
    private func firstIDs(
        of items: DownloadTable, after start: DownloadID?, shown: (Download) -> some Listable
    ) -> [DownloadID] {
        let matcher = filter.matcher
        var found: [DownloadID] = []
        func take(_ download: Download) -> Bool {
            guard found.count < limit ?? .max else { return false }
            if matcher.matches(shown(download)) { found.append(download.id) }
            return true
        }
        if descending {
            for download in (start.map(items.before) ?? items[...]).reversed() { guard take(download) else { break } }
        } else {
            for download in start.map(items.after) ?? items[...] { guard take(download) else { break } }
        }
        return found
    }

    /// Where a download stands in the order: by number, its turn, text, id, in this order; found once for each.
    private struct Place {
        var number: Int64 = 0
        var rank: Rank = 0
        var text = ""
        let id: DownloadID
    }

    /// Not generic, and so compiled for what it compares.
    private func isBefore(_ one: Place, _ other: Place) -> Bool {
        let (first, second) = descending ? (other, one) : (one, other)
        if first.number != second.number { return first.number < second.number }
        if first.rank != second.rank { return first.rank < second.rank }
        return first.text == second.text ? first.id < second.id : first.text < second.text
    }

    private func place(of item: some Listable, rank: Rank) -> Place {
        switch sort {
        case .id: Place(id: item.id)
        case .name: Place(text: item.name, id: item.id)
        case .state: Place(text: item.state.rawValue, id: item.id)
        case .size: Place(number: Int64(clamping: item.size ?? 0), id: item.id)
        case .priority: Place(number: -Int64(item.priority), rank: rank, id: item.id)
        case .added: Place(number: item.addedAt.milliseconds, id: item.id)
        case .completed: Place(number: item.completedAt?.milliseconds ?? .max, id: item.id)
        }
    }
}
