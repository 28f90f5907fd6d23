import LedgerAPI
import LedgerHolder
import LedgerModel

// What stays, and what makes room.
extension DownloadLedger {
    /// Limits what a group may hold. What is more is evicted: all but the newest, and beyond the size the least
    /// recently used first; what is pinned never. Every eviction is an event (`deleted`, its file `evicted`). nil and
    /// nil lift the limits.
    /// - Parameters:
    ///   - newestMax: how many files stay, by ``DownloadOptions/published``, else by when they were enqueued.
    ///   - bytesMax: how many bytes they may take.
    public func keep(
        newestMax: Int? = nil, bytesMax: UInt64? = nil, in group: String
    ) async throws(DownloadError) {
        _ = try await asked(
            .limit(group: group, newestMax: newestMax.map { UInt32(clamping: $0) }, sizeBytesMax: bytesMax))
    }

    /// Keeps files whatever their groups may hold.
    @discardableResult
    public func pin(_ selection: DownloadSelection) async throws(DownloadError) -> DownloadOutcomes {
        try await act(.pin(true), on: selection)
    }

    /// Lets files be evicted again.
    @discardableResult
    public func unpin(_ selection: DownloadSelection) async throws(DownloadError) -> DownloadOutcomes {
        try await act(.pin(false), on: selection)
    }

    /// Notes that a file is of use now, so that it is evicted later than those that were not for longer.
    /// ``playbackURL(for:checking:)`` does so by itself; use within a minute is noted once.
    public func touch(_ id: Download.ID) async throws(DownloadError) {
        try await asking { () throws(Problem) in try await service.use([LedgerModel.DownloadID(id.rawValue)]) }
    }
}
