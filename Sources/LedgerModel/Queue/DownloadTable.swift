/// Every download by its id, in the order of the ids.
///
/// Ids only grow, so a new download goes to the end. Rows stand in pages of ``pageRowsMax``: growing moves the last one
/// alone, and a copy of the table shares every page until that page is written. A million
/// downloads are looked at by a snapshot while events go on, and cost no second million.
package struct DownloadTable: Hashable, Sendable {
    /// How many rows a page has at most. Removing leaves shorter pages.
    package static let pageRowsMax = 256

    private var pages: [Page] = []
    /// The first id of each page: found without a look at the pages.
    private var firsts: [DownloadID] = []
    /// How many downloads there are.
    package private(set) var count = 0
    /// Where downloads were found last, by the last bits of their ids.
    private var found = Array(repeating: Index(page: 0, row: 0), count: foundMax)
    private static let foundMax = 256

    private struct Page: Sendable {
        var ids: [DownloadID] = []
        var rows: [Download] = []

        /// A page without rows, and with room for so many.
        init(room: Int) {
            ids.reserveCapacity(room)
            rows.reserveCapacity(room)
        }
    }

    /// Where a row stands; of use until a row is removed.
    package struct Index: Hashable, Comparable, Sendable {
        fileprivate var page: Int
        fileprivate var row: Int

        package static func < (one: Self, other: Self) -> Bool {
            one.page != other.page ? one.page < other.page : one.row < other.row
        }
    }

    /// No downloads.
    package init() {}

    /// Downloads of which each has a higher id than the one before.
    package init(ascending downloads: some Sequence<Download>) {
        for download in downloads { append(download) }
    }

    /// The ids, ascending.
    package var ids: [DownloadID] {
        var ids: [DownloadID] = []
        ids.reserveCapacity(count)
        for page in pages { ids += page.ids }
        return ids
    }

    /// Whether there is a download with this id.
    package func contains(_ id: DownloadID) -> Bool { index(of: id) != nil }

    /// Where the download with this id stands; nil when there is none. O(log n).
    package func index(of id: DownloadID) -> Index? {
        guard let index = firstIndex(notBefore: id), index != endIndex, pages[index.page].ids[index.row] == id else {
            return nil
        }
        return index
    }

    /// Where the download with this id stands, remembered for the next time: what runs is looked up for all that it
    /// reports.
    mutating func find(_ id: DownloadID) -> Index? {
        let place = Int(truncatingIfNeeded: id.rawValue % UInt64(Self.foundMax))
        let last = found[place]
        if last.page < pages.count, last.row < pages[last.page].ids.count, pages[last.page].ids[last.row] == id {
            return last
        }
        guard let index = index(of: id) else { return nil }
        found[place] = index
        return index
    }

    /// Goes over all downloads, ascending, where they stand: a copy of one counts a dozen references.
    package func visit(_ body: (borrowing Lent<Download>) -> Void) {
        for page in pages {
            page.rows.lend { rows in
                for place in rows.indices { body(rows[place]) }
            }
        }
    }

    /// The downloads with higher ids than this one, ascending.
    package func after(_ id: DownloadID) -> SubSequence {
        guard let index = firstIndex(notBefore: id), index != endIndex else { return self[endIndex...] }
        return pages[index.page].ids[index.row] == id ? self[self.index(after: index)...] : self[index...]
    }

    /// The downloads with lower ids than this one, ascending.
    package func before(_ id: DownloadID) -> SubSequence { self[..<(firstIndex(notBefore: id) ?? endIndex)] }

    /// The download with this id; nil when there is none. Setting keeps the order, and nil removes.
    package subscript(id: DownloadID) -> Download? {
        get { index(of: id).map { pages[$0.page].rows[$0.row] } }
        set {
            if let newValue {
                precondition(newValue.id == id, "a download stands under its own id")
                update(newValue)
            } else {
                remove(id)
            }
        }
    }

    /// Puts a download where its id belongs: at the end when it is a new one.
    /// - Returns: the one that stood there before.
    @discardableResult
    package mutating func update(_ download: Download) -> Download? {
        guard let index = index(of: download.id) else {
            append(download)
            return nil
        }
        let old = pages[index.page].rows[index.row]
        pages[index.page].rows[index.row] = download
        return old
    }

    /// Takes a download out. O(pages).
    /// - Returns: the one that stood there.
    @discardableResult
    package mutating func remove(_ id: DownloadID) -> Download? {
        guard let index = index(of: id) else { return nil }
        count -= 1
        pages[index.page].ids.remove(at: index.row)
        let removed = pages[index.page].rows.remove(at: index.row)
        if let first = pages[index.page].ids.first {
            firsts[index.page] = first
        } else {
            pages.remove(at: index.page)
            firsts.remove(at: index.page)
        }
        return removed
    }

    /// Puts a download with a higher id than all others at the end.
    package mutating func append(_ download: consuming Download) {
        let id = download.id
        precondition(pages.last?.ids.last.map { $0 < id } ?? true, "ids only grow")
        if pages.last.map({ $0.ids.count >= Self.pageRowsMax }) ?? true {
            // A table of several pages fills the next one too: its rows are not moved while it grows.
            pages.append(Page(room: pages.isEmpty ? 0 : Self.pageRowsMax))
            firsts.append(id)
        }
        let page = pages.count - 1
        pages[page].ids.append(id)
        pages[page].rows.append(download)
        count += 1
    }

    /// Puts downloads at the end whose ids are higher than all others. Their pages are taken as they are.
    package mutating func append(_ others: DownloadTable) {
        guard let first = others.firsts.first else { return }
        precondition(pages.last?.ids.last.map { $0 < first } ?? true, "ids only grow")
        pages += others.pages
        firsts += others.firsts
        count += others.count
    }

    /// Whether ids ascend, each over its own row, and are counted; for the queue's own check.
    var isWhole: Bool {
        let ids = pages.flatMap(\.ids)
        return zip(ids, ids.dropFirst()).allSatisfy { $0 < $1 } && firsts == pages.map(\.ids[0])
            && ids == pages.flatMap(\.rows).map(\.id) && ids.count == count
    }

    /// The first row whose id is `id` or higher; nil when there are no rows.
    private func firstIndex(notBefore id: DownloadID) -> Index? {
        let page = firsts.prefixLength(while: { $0 <= id }) - 1
        guard page >= 0 else { return pages.isEmpty ? nil : startIndex }
        let ids = pages[page].ids
        // Those that were enqueued together have numbers in a row.
        let guess = Int(clamping: id.rawValue - ids[0].rawValue)
        if guess < ids.count, ids[guess] == id { return Index(page: page, row: guess) }
        let row = ids.prefixLength(while: { $0 < id })
        return row < ids.count ? Index(page: page, row: row) : Index(page: page + 1, row: 0)
    }

    package static func == (one: Self, other: Self) -> Bool {
        one.count == other.count && one.elementsEqual(other)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(count)
        for download in self { hasher.combine(download) }
    }
}

extension DownloadTable: BidirectionalCollection {
    package var startIndex: Index { Index(page: 0, row: 0) }
    package var endIndex: Index { Index(page: pages.count, row: 0) }

    package func index(after index: Index) -> Index {
        index.row + 1 < pages[index.page].rows.count
            ? Index(page: index.page, row: index.row + 1) : Index(page: index.page + 1, row: 0)
    }

    package func index(before index: Index) -> Index {
        index.row > 0
            ? Index(page: index.page, row: index.row - 1)
            : Index(page: index.page - 1, row: pages[index.page - 1].rows.count - 1)
    }

    /// The row at an index, changed where it stands; its id stays.
    package subscript(index: Index) -> Download {
        _read { yield pages[index.page].rows[index.row] }
        _modify { yield &pages[index.page].rows[index.row] }
    }
}
