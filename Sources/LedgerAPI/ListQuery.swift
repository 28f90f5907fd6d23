package import LedgerModel

/// Which downloads: the filters of `list`, joined by and. What is nil or empty does not filter.
package struct Filter: Hashable, Sendable, Codable {
    /// In one of these states. Empty: in any but `deleted`.
    package var states: [DownloadState] = []
    /// Every word of it occurs in URL, name, title, details, group or tags; case does not count.
    package var search: String?
    /// Of one of these kinds.
    package var kinds: [Kind] = []
    /// In this group.
    package var group: String?

    /// Everything but what is deleted.
    package init() {}

    /// Whether nothing was asked for.
    package var isEmpty: Bool { self == Filter() }

    /// Whether a row is meant.
    package func matches(_ row: DownloadRow) -> Bool {
        guard states.isEmpty ? row.state != .deleted : states.contains(row.state) else { return false }
        guard kinds.isEmpty || kinds.contains(row.kind), group == nil || row.group == group else { return false }
        guard let search else { return true }
        let text = ([row.url, row.name, row.title ?? "", row.details ?? "", row.group ?? ""] + row.tags)
            .joined(separator: "\n").lowercased()
        return search.lowercased().split(separator: " ").allSatisfy { text.contains($0) }
    }
}

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
    /// What the order goes by; equal ones stand by id.
    package var sort: Sort = .id
    /// Whether the order is turned round.
    package var descending = false

    /// Everything there is, by id.
    package init() {}

    /// The rows that are asked for among all of a state, in the order that is asked for.
    ///
    /// In the order of ids no more rows are made than are looked at: a short list of a million downloads costs little
    /// more than the sorting of their ids.
    /// - Parameter row: makes the row of a download, or of what stands for one.
    package func select<Item>(
        from items: [DownloadID: Item], row: @escaping (Item) -> DownloadRow
    ) -> [DownloadRow] {
        guard ids.isEmpty else { return ids.compactMap { items[$0].map(row) } }
        let rowsMax = max(0, limit ?? .max)
        guard sort != .id else {
            let ordered = ordered(Array(items.keys))
            return Array(ordered.lazy.compactMap { items[$0].map(row) }.filter(filter.matches).prefix(rowsMax))
        }
        var chosen = Array(items.values.lazy.map(row).filter(filter.matches).map { (key: key(of: $0), row: $0) })
        chosen.sort { one, other in
            let (first, second) = descending ? (other, one) : (one, other)
            return first.key == second.key ? first.row.id < second.row.id : first.key < second.key
        }
        return chosen.prefix(rowsMax).map(\.row)
    }

    /// Not generic, and so compiled for what it sorts.
    private func ordered(_ ids: [DownloadID]) -> [DownloadID] { ids.sorted { descending ? $1 < $0 : $0 < $1 } }

    /// What a row is sorted by, found once for each.
    private enum Key: Comparable {
        case number(Int64)
        case text(String)
    }

    private func key(of row: DownloadRow) -> Key {
        switch sort {
        case .id: .number(0)
        case .name: .text(row.name)
        case .state: .text(row.state.rawValue)
        case .size: .number(Int64(clamping: row.size ?? 0))
        case .priority: .number(-Int64(row.priority))
        case .added: .number(row.addedAt.milliseconds)
        case .completed: .number(row.completedAt?.milliseconds ?? .max)
        }
    }
}
