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
    package func select(from rows: [DownloadRow]) -> [DownloadRow] {
        guard ids.isEmpty else {
            let byID = Dictionary(rows.map { ($0.id, $0) }) { first, _ in first }
            return ids.compactMap { byID[$0] }
        }
        var chosen = rows.filter(filter.matches)
        chosen.sort { one, other in
            let (first, second) = descending ? (other, one) : (one, other)
            return comesBefore(first, second) ?? (first.id < second.id)
        }
        return limit.map { Array(chosen.prefix(max(0, $0))) } ?? chosen
    }

    /// Whether `one` is to stand before `other`; nil when the sort says nothing about them.
    private func comesBefore(_ one: DownloadRow, _ other: DownloadRow) -> Bool? {
        func less<T: Comparable>(_ first: T, _ second: T) -> Bool? { first == second ? nil : first < second }
        return switch sort {
        case .id: nil
        case .name: less(one.name, other.name)
        case .state: less(one.state.rawValue, other.state.rawValue)
        case .size: less(one.size ?? 0, other.size ?? 0)
        case .priority: less(other.priority, one.priority)
        case .added: less(one.addedAt, other.addedAt)
        case .completed: less(one.completedAt?.milliseconds ?? .max, other.completedAt?.milliseconds ?? .max)
        }
    }
}
