public import FoundationEssentials

/// How far a download is.
///
/// ```swift
/// for await progress in handle.progress {
///     switch progress.phase {
///     case .connecting: show("asking")
///     case .downloading(let held): show("\(progress.received) bytes, \(held) of them from before")
///     case .waiting(let until, let error):
///         show("\(error?.message ?? "waiting") until \(until?.description ?? "-")")
///     case .queued, .paused, .finished, .ended: show("\(progress.phase)")
///     }
/// }
/// ```
public struct DownloadProgress: Hashable, Sendable {
    /// What a download is doing.
    public enum Phase: Hashable, Sendable {
        /// It waits for its turn.
        case queued
        /// It is tried again at this instant, after this error, or when its hours open.
        case waiting(until: Date?, after: DownloadError?)
        /// It waits for `resume`.
        case paused
        /// The origin is asked, nothing is held and nothing came yet.
        case connecting
        /// Bytes come, or are asked for behind those that were there already when the attempt began: so many.
        case downloading(resumedFrom: UInt64)
        /// The file stands under its final name.
        case finished
        /// It ended in another way.
        case ended(Download.State, DownloadError?)
    }

    /// What it is doing.
    public let phase: Phase
    /// The bytes held: while it runs those received, else those that are durable.
    public let received: UInt64
    /// The bytes there will be; nil when the origin does not say.
    public let total: UInt64?
    /// The rate in bytes a second over the last seconds; nil when it does not run or was not measured yet.
    public let bytesPerSecond: UInt64?

    /// The part that is there, from 0 to 1; nil when the length is unknown.
    public var fraction: Double? {
        guard let total else { return nil }
        return total == 0 ? 1 : min(1, Double(received) / Double(total))
    }

    /// How long the rest takes at the present rate; nil when that can not be told.
    public var timeLeft: Duration? {
        guard let total, let bytesPerSecond, bytesPerSecond > 0 else { return nil }
        return .seconds(Double(total - min(total, received)) / Double(bytesPerSecond))
    }

    /// How far a download was when it was looked at.
    public init(_ download: Download) {
        received = download.received
        total = download.size
        bytesPerSecond = download.bytesPerSecond
        phase =
            switch download.state {
            case .queued: .queued
            case .waiting: .waiting(until: download.retryAt, after: download.error)
            case .paused: .paused
            case .running:
                download.received == 0 && download.bytesPerSecond == nil
                    ? .connecting : .downloading(resumedFrom: download.resumedFrom ?? download.received)
            case .completed: .finished
            case .failed, .cancelled, .deleted, .missing, .altered: .ended(download.state, download.error)
            }
    }
}
