public import FoundationEssentials
import LedgerAPI
import LedgerHolder
import LedgerModel

/// What was done since the ledger was made, deleted downloads too.
///
/// ```swift
/// let figures = try await ledger.statistics().total
/// show("\(figures.completed) of \(figures.enqueued), \(figures.bytes) bytes")
/// ```
public struct DownloadStatistics: Hashable, Sendable {
    /// Figures of one host, one day, or all.
    public struct Figures: Hashable, Sendable {
        /// Downloads enqueued.
        public let enqueued: UInt64
        /// Files completed.
        public let completed: UInt64
        /// Bytes of those files.
        public let bytes: UInt64
        /// Attempts that failed, made again or not.
        public let failures: UInt64
    }

    /// Of all.
    public let total: Figures
    /// By host; those seen after the first 10,000 are counted together under `other`.
    public let hosts: [String: Figures]
    /// By day, each by its begin in UTC.
    public let days: [Date: Figures]
}

extension DownloadLedger {
    /// What was done so far: some microseconds, whatever the size of the ledger.
    /// - Throws: ``DownloadError``: `closed`.
    public func statistics() async throws(DownloadError) -> DownloadStatistics {
        let statistics = try await asking { () throws(Problem) in try await service.read { $0.statistics } }
        let days = statistics.days.map {
            (Date(timeIntervalSince1970: Double($0.key) * 86_400), DownloadStatistics.Figures($0.value))
        }
        return DownloadStatistics(
            total: DownloadStatistics.Figures(statistics.total),
            hosts: statistics.hosts.mapValues(DownloadStatistics.Figures.init),
            days: Dictionary(days) { first, _ in first })
    }
}

extension DownloadStatistics.Figures {
    fileprivate init(_ figures: Statistics.Figures) {
        self.init(
            enqueued: figures.enqueued, completed: figures.completed, bytes: figures.bytes,
            failures: figures.failures)
    }
}
