public import FoundationEssentials
import LedgerAPI
import LedgerEngine
import LedgerHolder
import LedgerModel
import LedgerSystem
import LedgerTransfer
import SystemPackage

/// What finished files take on the disk.
///
/// ```swift
/// let storage = try await ledger.storage()
/// show("\(storage.total.files) files, \(storage.total.bytes) bytes")
/// for (group, amount) in storage.groups { show("\(group): \(amount.bytes) bytes") }
/// ```
public struct StorageUsage: Hashable, Sendable {
    /// How many files, and their bytes.
    public struct Amount: Hashable, Sendable {
        /// How many files.
        public var files: Int
        /// Their lengths together, in bytes.
        public var bytes: UInt64

        /// Files and their bytes.
        public init(files: Int, bytes: UInt64) {
            self.files = files
            self.bytes = bytes
        }
    }

    /// All finished files that are there, as far as the ledger knows; one that somebody changed counts as it was.
    public let total: Amount
    /// Those of each group, by its name; files without a group count in ``total`` alone.
    public let groups: [String: Amount]
    /// Those of each kind; kinds without a file are left out.
    public let kinds: [Download.Kind: Amount]
}

// What there is.
extension DownloadLedger {
    /// A download as it is now; nil when there never was one, or it was redacted.
    ///
    /// ```swift
    /// let download = try await ledger.download(handle.id)
    /// ```
    /// - Throws: ``DownloadError``: `closed`; so do all that follow here. None of them makes a request.
    public func download(_ id: Download.ID) async throws(DownloadError) -> Download? {
        let id = DownloadID(id.rawValue)
        return try await asking { () throws(Problem) in try await service.rows(of: [id])[id].map(Download.init) }
    }

    /// The downloads from a URL that were not deleted, the newest first; empty for what is no URL of `http` or `https`.
    /// A URL with a secret in it (a token, say) finds what was enqueued with the same one; without, as
    /// ``Download/url`` has it, what was enqueued with any.
    ///
    /// ```swift
    /// let versions = try await ledger.downloads(from: url)
    /// ```
    public func downloads(from url: URL) async throws(DownloadError) -> [Download] {
        let whole: ResourceURL
        do throws(URLProblem) { whole = try ResourceURL.parse(url.absoluteString).url } catch { return [] }
        return try await asking { () throws(Problem) in
            let ids = try await service.downloads(from: whole)
            let rows = try await service.rows(of: ids)
            return ids.compactMap { rows[$0] }.map(Download.init)
        }
    }

    /// The downloads that a query finds.
    ///
    /// ```swift
    /// var query = DownloadQuery.downloaded
    /// query.search = "shutter"
    /// let found = try await ledger.downloads(query)
    /// ```
    public func downloads(_ query: DownloadQuery = DownloadQuery()) async throws(DownloadError) -> [Download] {
        try await asking { () throws(Problem) in try await rows(query).map(Download.init) }
    }

    /// What was enqueued after a download in its group and is not deleted; nil behind the last, and for one without a
    /// group.
    ///
    /// ```swift
    /// if let next = try await ledger.next(after: download.id) { play(next.fileURL) }
    /// ```
    public func next(after id: Download.ID) async throws(DownloadError) -> Download? {
        guard let group = try await download(id)?.group else { return nil }
        var query = DownloadQuery()
        query.groups = [group]
        return try await downloads(query).first { $0.id > id }
    }

    /// What finished files take on the disk, as it is on record: no file is looked at.
    public func storage() async throws(DownloadError) -> StorageUsage {
        let catalog = try await asking { () throws(Problem) in try await service.read { $0.catalog } }
        let kinds = catalog.kinds.map { (Download.Kind($0), StorageUsage.Amount($1)) }
        let groups = catalog.groups.filter { !$0.key.isEmpty }.mapValues(StorageUsage.Amount.init)
        let total = catalog.kinds.values.reduce(into: StorageUsage.Amount(files: 0, bytes: 0)) { total, usage in
            total.files += usage.files
            total.bytes &+= usage.bytes
        }
        return StorageUsage(total: total, groups: groups, kinds: Dictionary(kinds) { first, _ in first })
    }

    /// Whether something from this URL has not ended yet: it waits, runs or is paused.
    ///
    /// ```swift
    /// let isBusy = try await ledger.isDownloading(url)
    /// let isHere = try await ledger.isDownloaded(url)
    /// let fraction = try await ledger.progress(for: url)?.fraction
    /// ```
    public func isDownloading(_ url: URL) async throws(DownloadError) -> Bool {
        try await downloads(from: url).contains { !$0.state.isEnd }
    }

    /// Whether a whole file from this URL is there, see ``localURL(for:)``.
    public func isDownloaded(_ url: URL) async throws(DownloadError) -> Bool { try await localURL(for: url) != nil }

    /// How far the newest download from this URL is; nil when there is none.
    public func progress(for url: URL) async throws(DownloadError) -> DownloadProgress? {
        try await downloads(from: url).first.map(DownloadProgress.init)
    }

    /// The finished file from this URL, if it is there now and whole as far as its length and time tell; nil
    /// otherwise. What is found gone or changed is recorded.
    ///
    /// ```swift
    /// if let file = try await ledger.localURL(for: url) { share(file) }
    /// ```
    public func localURL(for url: URL) async throws(DownloadError) -> URL? {
        try await local(for: url)?.localURL
    }

    /// The download whose finished file from this URL is there.
    private func local(for url: URL) async throws(DownloadError) -> Download? {
        let known = try await downloads(from: url).filter { $0.state == .completed }
        return try await local(among: known.map { DownloadID($0.id.rawValue) })
    }

    /// The first of some downloads whose finished file is there.
    private func local(among ids: [DownloadID]) async throws(DownloadError) -> Download? {
        guard !ids.isEmpty else { return nil }
        return try await asking { () throws(Problem) in
            let unknown = try await service.lookAtFiles(of: ids)
            let rows = try await service.rows(of: ids)
            return ids.filter { !unknown.contains($0) }.compactMap { rows[$0] }.map(Download.init).first {
                $0.localURL != nil
            }
        }
    }

    /// A finished download behind a look whether its file is there.
    func looked(at download: Download) async throws(DownloadError) -> Download {
        let id = DownloadID(download.id.rawValue)
        return try await asking { () throws(Problem) in
            try await service.lookAtFiles(of: [id])
            return try await service.rows(of: [id])[id].map(Download.init) ?? download
        }
    }

    /// What to play: the local file if it is whole, else the URL itself, and no request is made to find that out. A
    /// file that is returned counts as used, see ``touch(_:)``.
    ///
    /// ```swift
    /// play(try await ledger.playbackURL(for: url))
    /// ```
    /// - Parameters:
    ///   - url: where the file comes from.
    ///   - checking: whether the file is hashed first, which takes a second for each GB or so; one that is not what was
    ///     fetched is recorded as `altered`, and the URL is returned.
    public func playbackURL(for url: URL, checking: Bool = false) async throws(DownloadError) -> URL {
        try await playback(of: try await local(for: url), or: url, checking: checking)
    }

    /// What to play of an entry of a listing: the file of the download that it became, if it is whole, else where the
    /// entry comes from, with its secrets, which ``Listing/Entry/url`` leaves out.
    ///
    /// ```swift
    /// play(try await ledger.playbackURL(of: entry))
    /// ```
    /// - Parameters:
    ///   - entry: the entry; of one that is in no listing any longer its URL is returned.
    ///   - checking: as of ``playbackURL(for:checking:)``.
    public func playbackURL(
        of entry: Listing.Entry, checking: Bool = false
    ) async throws(DownloadError) -> URL {
        let source = try await asking { () throws(Problem) in
            try await service.source(of: entry.guid, in: entry.listing.rawValue)
        }
        let download = try await local(among: [source?.download].compactMap(\.self))
        return try await playback(
            of: download, or: source.map { URL(ofLedger: $0.url.text) } ?? entry.url, checking: checking)
    }

    private func playback(
        of download: Download?, or url: URL, checking: Bool
    ) async throws(DownloadError) -> URL {
        guard let download, let file = download.localURL else { return url }
        let ids = [DownloadID(download.id.rawValue)]
        let isWhole = try await asking { () throws(Problem) in
            if checking, !(try await service.hashFiles(of: ids)) { return false }
            // A full disk keeps nobody from playing what is on it.
            do throws(Problem) { try await service.use(ids) } catch { if error.code != .diskFull { throw error } }
            return true
        }
        return isWhole ? file : url
    }

    /// The rows that a query finds.
    func rows(_ query: DownloadQuery) async throws(Problem) -> [DownloadRow] {
        var rows = try await service.list(query.list).filter(query.matches)
        if query.sort == .priority { rows = try await inTurn(rows, query.isDescending) }
        return Array(rows.dropFirst(max(0, query.offset)).prefix(max(0, query.limit ?? .max)))
    }

    /// Rows by their priority, and of equals those that have not ended as their turn comes, before the others.
    private func inTurn(_ rows: [DownloadRow], _ isDescending: Bool) async throws(Problem) -> [DownloadRow] {
        let queue = try await service.read { state in state.queue.liveDownloads.map(\.id) }
        let turns = Dictionary(uniqueKeysWithValues: zip(queue, 0...))
        let keyed = rows.map { row in (turn: (-Int64(row.priority), turns[row.id] ?? .max), row: row) }
        return keyed.sorted { one, other in
            let (first, second) = isDescending ? (other, one) : (one, other)
            return first.turn == second.turn ? one.row.id < other.row.id : first.turn < second.turn
        }.map(\.row)
    }

    func asking<Answer>(_ body: () async throws(Problem) -> Answer) async throws(DownloadError) -> Answer {
        do throws(Problem) { return try await body() } catch { throw DownloadError(error) }
    }
}

extension StorageUsage.Amount {
    init(_ usage: Catalog.Usage) { self.init(files: usage.files, bytes: usage.bytes) }
}
