public import FoundationEssentials
import LedgerAPI
import LedgerHolder
import LedgerModel

/// What of downloads is to become something else; what is nil stays as it is.
///
/// ```swift
/// var update = DownloadUpdate()
/// (update.title, update.tags) = ("Lesson 1, second edition", ["new"])
/// try await ledger.update(handle.id, with: update)
/// ```
public struct DownloadUpdate: Hashable, Sendable {
    /// Another group, of which it counts from now on; empty for none. Its file stays where it is.
    public var group: String?
    /// Another title; empty for none.
    public var title: String?
    /// Other words about it; empty for none.
    public var details: String?
    /// Other words to find it by, instead of all that there were.
    public var tags: [String]?
    /// Another priority, last among its equals.
    public var priority: Int32?
    /// Another highest rate in bytes a second; 0 for no limit. Holds at once, also for what runs.
    public var bytesPerSecondMax: UInt64?
    /// How often an attempt that failed for a passing reason is made again.
    public var retriesMax: UInt32?
    /// The longest silence, to the millisecond; from the next attempt on.
    public var silenceMax: Duration?
    /// Another instant before which it is not started; one that has passed is no wait.
    public var notBefore: Date?
    /// Another URL of the same file, for one download: it goes on from what is there when the file proves to be the
    /// same. Headers and credentials go along to the same origin only.
    public var url: URL?

    /// No change.
    public init() {}

    /// The same as the ledger's holder is asked for it.
    var request: ChangeRequest {
        var request = ChangeRequest()
        (request.group, request.title, request.details, request.tags) = (group, title, details, tags)
        (request.priority, request.bytesPerSecondMax, request.retriesMax) = (priority, bytesPerSecondMax, retriesMax)
        request.silenceMillisecondsMax = silenceMax.map { UInt32(clamping: $0.milliseconds) }
        request.notBefore = notBefore.map { Timestamp($0) }
        request.url = url?.absoluteString
        return request
    }
}

extension DownloadLedger {
    /// Changes downloads. What is finished can be called and grouped otherwise; all else is changed of what waits,
    /// runs, is paused or has failed. ``undo()`` takes it back.
    ///
    /// ```swift
    /// var louder = DownloadUpdate()
    /// louder.priority = 10
    /// try await ledger.update(.where { $0.group == "course" }, with: louder)
    /// ```
    /// - Throws: as ``pause(_:)-(DownloadSelection)``; `usage` for a URL that can not be parsed, or for more than one
    ///   download.
    @discardableResult
    public func update(
        _ selection: DownloadSelection, with update: DownloadUpdate
    ) async throws(DownloadError) -> DownloadOutcomes {
        try await act(.change(update.request), on: selection)
    }

    /// Changes one download.
    /// - Throws: ``DownloadError``: why it was refused, such as `refused` for another URL of a file that is there; as
    ///   ``update(_:with:)-(DownloadSelection,_)``.
    @discardableResult
    public func update(_ id: Download.ID, with update: DownloadUpdate) async throws(DownloadError) -> Download {
        try one(id, await self.update(.ids([id]), with: update))
    }

    /// Changes how much is done at once, until the ledger is closed; what is nil stays as it is.
    ///
    /// ```swift
    /// try await ledger.limit(runningMax: 1, bytesPerSecondMax: 500_000)
    /// ```
    /// - Parameters:
    ///   - runningMax: downloads at once; with 0 nothing more is begun.
    ///   - runningPerHostMax: downloads at once from one host.
    ///   - bytesPerSecondMax: the highest rate of all downloads together in bytes a second; 0 for no limit.
    /// - Throws: ``DownloadError``: `closed`; `usage` for a bound below 0.
    public func limit(
        runningMax: Int? = nil, runningPerHostMax: Int? = nil, bytesPerSecondMax: UInt64? = nil
    ) async throws(DownloadError) {
        try LedgerConfiguration.requireBound("runningMax", runningMax)
        try LedgerConfiguration.requireBound("runningPerHostMax", runningPerHostMax)
        var change = LimitChange()
        (change.runningMax, change.runningPerHostMax) = (runningMax, runningPerHostMax)
        change.bytesPerSecondMax = bytesPerSecondMax
        let limits = change
        _ = try await asking { () throws(Problem) in try await service.limit(limits) }
    }
}
