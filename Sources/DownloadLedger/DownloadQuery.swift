public import FoundationEssentials
import LedgerAPI
import LedgerModel

/// Which downloads of the catalog, and in which order. What is nil or empty does not filter; the rest is joined by and.
///
/// ```swift
/// var query = DownloadQuery()
/// query.search = "aperture shutter"
/// query.kinds = [.video]
/// (query.sort, query.isDescending) = (.completed, true)
/// (query.offset, query.limit) = (0, 50)
/// let page = try await ledger.downloads(query)
/// ```
public struct DownloadQuery: Hashable, Sendable {
    /// The orders that a list can be in, each ascending unless ``isDescending``; equal ones stand by their number.
    ///
    /// ```swift
    /// var query = DownloadQuery.downloaded
    /// query.sort = .size
    /// ```
    public enum Sort: String, Hashable, Sendable, Codable, CaseIterable {
        /// By number: as they were enqueued.
        case id
        /// By the name of the file.
        case name
        /// By the word of the state, alphabetically.
        case state
        /// By length; an unknown one counts as 0.
        case size
        /// The order of the queue: the highest priority first, and of equals what has not ended as its turn comes.
        case priority
        /// By when they were enqueued.
        case added
        /// By when the file stood under its final name; what has not yet comes last.
        case completed
    }

    /// Every word of it occurs in name, title, details, URL, group or tags; case does not count.
    public var search: String?
    /// In one of these states. Empty: in any but `deleted`.
    public var states: Set<Download.State> = []
    /// Of one of these kinds.
    public var kinds: Set<Download.Kind> = []
    /// In one of these groups.
    public var groups: Set<String> = []
    /// With all of these tags.
    public var tags: Set<String> = []
    /// Enqueued within this time, both ends included.
    public var added: ClosedRange<Date>?
    /// Completed within this time, both ends included.
    public var completed: ClosedRange<Date>?
    /// What the order goes by.
    public var sort = Sort.id
    /// Whether the order is turned round.
    public var isDescending = false
    /// How many are passed over at the beginning; 0 or more.
    public var offset = 0
    /// How many there are at most, 0 or more; nil for all.
    public var limit: Int?

    /// Everything but what is deleted, by number.
    public init() {}

    /// The screens of an offline library: what is there, whatever it is.
    public static var downloaded: DownloadQuery {
        var query = DownloadQuery()
        query.states = [.completed]
        return query
    }

    /// What has not ended, the highest priority first.
    public static var queue: DownloadQuery {
        var query = DownloadQuery()
        query.states = [.queued, .running, .waiting, .paused]
        query.sort = .priority
        return query
    }
}

extension DownloadQuery {
    /// What the list of the ledger can do of it.
    var list: ListQuery {
        var list = ListQuery()
        list.filter.search = search
        list.filter.states = states.compactMap { DownloadState(rawValue: $0.rawValue) }
        list.filter.kinds = kinds.compactMap { LedgerModel.Kind(rawValue: $0.rawValue) }
        if groups.count == 1 { list.filter.group = groups.first }
        list.sort = ListQuery.Sort(rawValue: sort.rawValue) ?? .id
        list.descending = isDescending
        if !isFiltering, sort != .priority {
            list.limit = limit.map { limit in
                let sum = max(0, limit).addingReportingOverflow(max(0, offset))
                return sum.overflow ? .max : sum.partialValue
            }
        }
        return list
    }

    /// Whether it asks for more than the list can do.
    private var isFiltering: Bool { groups.count > 1 || !tags.isEmpty || added != nil || completed != nil }

    /// Whether a row that the list found is meant.
    func matches(_ row: DownloadRow) -> Bool {
        guard isFiltering else { return true }
        guard groups.isEmpty || row.group.map(groups.contains) ?? false, tags.isSubset(of: row.tags) else {
            return false
        }
        if let added, !added.contains(Date(row.addedAt)) { return false }
        if let completed { return row.completedAt.map { completed.contains(Date($0)) } ?? false }
        return true
    }
}
