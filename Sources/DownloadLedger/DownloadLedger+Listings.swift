public import FoundationEssentials
import LedgerAPI
import LedgerEngine
import LedgerHolder
import LedgerModel
import SystemPackage

// Feeds and catalogs: what fills the library by itself.
extension DownloadLedger {
    /// Follows a feed or a catalog from now on and reads it at once; one from the same source is followed in this way
    /// from now on. What could not be read is told in ``Listing/error``, and read again later.
    ///
    /// ```swift
    /// var following = Listing.Following(.feed)
    /// following.isAutomatic = true
    /// following.newestMax = 10
    /// let podcast = try await ledger.follow(feed, following)
    /// ```
    ///
    /// What was enqueued once is never again by itself, also when it was deleted. A ledger follows 10,000 listings, and
    /// remembers 100,000 entries of each.
    /// - Parameters:
    ///   - source: `http` or `https`, or a file. `user:password@` in it opens its files too, where they are at the same
    ///     origin, and is kept out of the log.
    ///   - following: how it is followed.
    /// - Throws: ``DownloadError``: `bad-url`, `bad-destination`, `usage` (a filter that is no regular expression),
    ///   `refused` (more than a ledger takes), `disk`, `disk-full`, `closed`.
    @discardableResult
    public func follow(_ source: URL, _ following: Listing.Following) async throws(DownloadError) -> Listing {
        if let directory = following.directory { try Self.requireFile(directory) }
        let root = following.directory?.path(percentEncoded: false) ?? filesPath
        var request = FollowRequest(
            kind: following.kind.model,
            source: source.isFileURL ? source.path(percentEncoded: false) : source.absoluteString, directory: root)
        request.group = following.group
        request.newestMax = try following.newestMax.map { most throws(DownloadError) in try Self.count(most) }
        request.filter = following.filter
        request.isAutomatic = following.isAutomatic
        request.intervalSeconds = UInt32(clamping: following.interval.milliseconds / 1000)
        guard let listing = try await listings(after: .follow(request)).first else {
            throw DownloadError("internal", "the listing was followed and is not there")
        }
        return listing
    }

    /// Follows a listing no longer. What was downloaded, or is on its way, stays.
    ///
    /// ```swift
    /// try await ledger.unfollow(podcast.id)
    /// ```
    /// - Throws: ``DownloadError``: `not-found`, `disk`, `disk-full`, `closed`.
    public func unfollow(_ id: Listing.ID) async throws(DownloadError) {
        _ = try await asked(.unfollow(id.rawValue, nil))
    }

    /// Reads listings now: those with these numbers, or all of a kind. Returns once they are read, or failed to be.
    ///
    /// ```swift
    /// for podcast in try await ledger.refresh() {
    ///     if let error = podcast.error { show("\(podcast.source): \(error.message)") }
    /// }
    /// ```
    /// - Parameters:
    ///   - ids: which; none for all of `kind`.
    ///   - kind: what sort of them, when `ids` is empty.
    /// - Throws: ``DownloadError``: `not-found`, `disk`, `disk-full`, `closed`. What an origin did wrong is told in
    ///   ``Listing/error``.
    @discardableResult
    public func refresh(
        _ ids: [Listing.ID] = [], kind: Listing.Kind = .feed
    ) async throws(DownloadError) -> [Listing] {
        try await listings(after: .refresh(ids.map(\.rawValue), kind.model))
    }

    /// What is followed, by number; without a request.
    ///
    /// ```swift
    /// for listing in try await ledger.listings() { show("\(listing.title ?? listing.source)") }
    /// ```
    /// - Throws: ``DownloadError``: `closed`.
    public func listings() async throws(DownloadError) -> [Listing] {
        try await asking { () throws(Problem) in try await service.listings(of: nil).map(Listing.init) }
    }

    /// The entries of a listing as it was last read, downloaded or not: a feed's from the newest, a catalog's in its
    /// order. Without a request.
    ///
    /// ```swift
    /// for entry in try await ledger.entries(of: podcast.id) {
    ///     show("\(entry.title ?? entry.guid): \(entry.download?.state.rawValue ?? "available")")
    /// }
    /// ```
    /// - Throws: ``DownloadError``: `not-found`, `closed`.
    public func entries(of id: Listing.ID) async throws(DownloadError) -> [Listing.Entry] {
        try await asking { () throws(Problem) in try await service.entries(of: id.rawValue).map(Listing.Entry.init) }
    }

    /// What comes after an entry in its group and is still offered, in the order of ``entries(of:)``: in a catalog the
    /// next one, in a feed the next older one. Nil behind the last.
    ///
    /// ```swift
    /// let next = try await ledger.next(after: entry)
    /// ```
    /// - Throws: ``DownloadError``: `not-found` when the listing is not followed any longer, `closed`.
    public func next(after entry: Listing.Entry) async throws(DownloadError) -> Listing.Entry? {
        let entries = try await entries(of: entry.listing).filter { $0.group == entry.group && $0.isOffered }
        guard let place = entries.firstIndex(where: { $0.guid == entry.guid }) else { return nil }
        return entries.dropFirst(place + 1).first
    }

    /// Downloads an entry; one that is on its way or here is joined, one that failed, is gone or was deleted is fetched
    /// after all. One that is older than what its listing, or its group, keeps of the newest goes as soon as it is
    /// here, unless it is pinned.
    ///
    /// ```swift
    /// let handle = try await ledger.enqueue(entry)
    /// ```
    /// - Throws: ``DownloadError``: `not-found`, `queue-full`, `destination-taken`, `disk`, `disk-full`, `closed`.
    public func enqueue(_ entry: Listing.Entry) async throws(DownloadError) -> DownloadHandle {
        let request = LibraryRequest.take(entry.listing.rawValue, guids: [entry.guid], nil, newCommand)
        guard case .taken(let answers) = try await asked(request), let answer = answers.first else {
            throw DownloadError("internal", "the ledger gave no answer to this request")
        }
        switch answer {
        case .accepted(let row, let joined):
            return DownloadHandle(id: Download.ID(row.id.rawValue), isJoined: joined, ledger: self)
        case .refused(let problem): throw DownloadError(problem)
        }
    }

    /// Where files go that are given no destination.
    var filesPath: String {
        configuration.directory?.path(percentEncoded: false) ?? service.ledger.home.path.appending("downloads").string
    }

    private func listings(after request: LibraryRequest) async throws(DownloadError) -> [Listing] {
        guard case .listings(let rows) = try await asked(request) else { return [] }
        return rows.map(Listing.init)
    }

    func asked(_ request: LibraryRequest) async throws(DownloadError) -> LibraryAnswer {
        try await asking { () throws(Problem) in try await service.library(request) }
    }
}
