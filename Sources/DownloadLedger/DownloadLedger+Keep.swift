import LedgerAPI
import LedgerHolder
import LedgerModel

// What stays, and what makes room.
extension DownloadLedger {
    /// Limits what finished files a group may hold, from now on and at once; nil and nil lift the limits.
    ///
    /// ```swift
    /// try await ledger.keep(newestMax: 10, bytesMax: 2_000_000_000, in: "radio")
    /// ```
    ///
    /// What is more is evicted: all but the newest, and beyond the size the least recently used first; what is pinned
    /// never. An evicted file is unlinked for good; ``undo()`` does not bring it back. Every eviction is an event
    /// (`deleted`, its file `evicted`).
    /// - Parameters:
    ///   - newestMax: how many files stay, by ``DownloadOptions/published``, else by when they were enqueued.
    ///   - bytesMax: how many bytes they may take.
    ///   - group: its name, 1024 bytes at most; 10,000 groups may have limits.
    /// - Throws: ``DownloadError``: `usage` for a number below 1 and a group without a name; `refused` beyond those
    ///   numbers; `disk`, `disk-full`, `closed`.
    public func keep(
        newestMax: Int? = nil, bytesMax: UInt64? = nil, in group: String
    ) async throws(DownloadError) {
        let newest = try newestMax.map { most throws(DownloadError) in try Self.count(most) }
        _ = try await asked(.limit(group: group, newestMax: newest, sizeBytesMax: bytesMax))
    }

    /// A number of files to keep. One below 1 is refused: it would evict all there are.
    static func count(_ number: Int) throws(DownloadError) -> UInt32 {
        guard number >= 1 else {
            throw DownloadError(
                "usage", "\(number) files can not be kept", next: "give 1 or more, or nil to keep all")
        }
        return UInt32(clamping: number)
    }

    /// Keeps files whatever their groups may hold, also those that are still on their way.
    ///
    /// ```swift
    /// try await ledger.pin(.ids([handle.id]))
    /// ```
    /// - Throws: as ``pause(_:)-(DownloadSelection)``.
    @discardableResult
    public func pin(_ selection: DownloadSelection) async throws(DownloadError) -> DownloadOutcomes {
        try await act(.pin(true), on: selection)
    }

    /// Lets files be evicted again; at once, if their group holds too much.
    ///
    /// ```swift
    /// try await ledger.unpin(.where { $0.isPinned && $0.group == "radio" })
    /// ```
    /// - Throws: as ``pause(_:)-(DownloadSelection)``.
    @discardableResult
    public func unpin(_ selection: DownloadSelection) async throws(DownloadError) -> DownloadOutcomes {
        try await act(.pin(false), on: selection)
    }

    /// Notes that a file is of use now, so that it is evicted later than those that were not for longer.
    /// ``playbackURL(for:checking:)`` does so by itself; use within a minute is noted once.
    ///
    /// ```swift
    /// try await ledger.touch(handle.id)
    /// ```
    ///
    /// Of a download without a finished file nothing is noted.
    /// - Throws: ``DownloadError``: `not-found`, `disk`, `disk-full`, `closed`.
    public func touch(_ id: Download.ID) async throws(DownloadError) {
        try await asking { () throws(Problem) in try await service.use([LedgerModel.DownloadID(id.rawValue)]) }
    }
}
