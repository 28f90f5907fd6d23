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

    /// Whether nothing was asked for: it would mean everything.
    package var isEmpty: Bool { self == Filter() }

    /// Whether words were asked for and there are none, as where a script's variable is empty.
    package var lacksWords: Bool { search.map { WordSearch($0).isEmpty } ?? false }

    /// Whether it may say what something is done to: it asks for something, and for words where it speaks of them.
    package var selects: Bool { !isEmpty && !lacksWords }

    /// Tells one download after the other whether it is meant.
    package var matcher: Matcher { Matcher(filter: self, words: search.map { WordSearch($0) }) }

    /// A filter that is ready to be asked about many downloads.
    package struct Matcher: Sendable {
        fileprivate let filter: Filter
        fileprivate let words: WordSearch?

        /// Whether a download is meant.
        package func matches(_ item: some Listable) -> Bool {
            let state = item.state
            guard filter.states.isEmpty ? state != .deleted : filter.states.contains(state) else { return false }
            if let group = filter.group, item.group != group { return false }
            guard filter.kinds.isEmpty || filter.kinds.contains(item.kind) else { return false }
            guard let words else { return true }
            return words.areFound(
                in: [item.url, item.name, item.title ?? "", item.details ?? "", item.group ?? ""] + item.tags)
        }
    }
}
