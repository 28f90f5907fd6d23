package import LedgerAPI
package import LedgerModel

/// Downloads that are no more than orders in the queue, and in which state people see each: a long queue is told by its
/// length. It takes nine bytes for each, where a row takes hundreds.
package struct Unbegun: Hashable, Sendable {
    /// Ascending; those of which a row was told since are still among them.
    private var ids: [DownloadID] = []
    /// The state of each; nil for one of which a row was told since.
    private var states: [DownloadState?] = []

    /// How many are in each state.
    package private(set) var counts: [DownloadState: Int] = [:]

    /// No downloads.
    package init() {}

    /// How many there are.
    package var count: Int { counts.values.reduce(0, +) }

    /// Whether this download is among them. O(log n).
    package func contains(_ id: DownloadID) -> Bool { place(of: id) != nil }

    /// Takes a download in, unless it has a lower id than one that is or was among them.
    /// - Returns: whether it is among them now.
    package mutating func append(_ id: DownloadID, _ state: DownloadState) -> Bool {
        guard ids.last.map({ $0 < id }) ?? true else { return false }
        ids.append(id)
        states.append(state)
        counts[state, default: 0] += 1
        return true
    }

    /// Takes a download out: a row tells of it from now on.
    /// - Returns: the state it was in; nil when it is not among them.
    @discardableResult
    package mutating func remove(_ id: DownloadID) -> DownloadState? {
        guard let place = place(of: id) else { return nil }
        return change(place, to: nil)
    }

    /// Takes note of the state that a download is in now, if it is among them.
    /// - Returns: whether it is.
    mutating func update(_ id: DownloadID, _ state: DownloadState) -> Bool {
        guard let place = place(of: id) else { return false }
        change(place, to: state)
        return true
    }

    @discardableResult
    private mutating func change(_ place: Int, to state: DownloadState?) -> DownloadState? {
        let old = states[place]
        guard old != state else { return old }
        states[place] = state
        if let old { counts[old, default: 0] -= 1 }
        if let state { counts[state, default: 0] += 1 }
        return old
    }

    private func place(of id: DownloadID) -> Int? {
        let place = ids.prefixLength(while: { $0 < id })
        return place < ids.count && ids[place] == id && states[place] != nil ? place : nil
    }
}
