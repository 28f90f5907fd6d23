public import FoundationEssentials

/// A download that someone asked for. All who asked for the same have one download: one transfer, its progress and its
/// file for each of them.
///
/// ```swift
/// let handle = try await ledger.enqueue(url)
/// for await progress in handle.progress { bar.show(progress.fraction) }
/// let file = try await handle.value
/// ```
///
/// Letting go of a handle stops nothing: the ledger goes on, also after the app was started anew.
public struct DownloadHandle: Sendable, Identifiable {
    /// Which download.
    public let id: Download.ID
    /// Whether it was in the ledger already.
    public let isJoined: Bool
    let ledger: DownloadLedger

    /// How far it is, now and whenever that changes, at most four times a second, until it has ended: the last element
    /// says how. Who reads slowly sees the newest. Ends without one when the ledger is closed first.
    ///
    /// ```swift
    /// for await progress in handle.progress {
    ///     show("\(progress.received) bytes at \(progress.bytesPerSecond ?? 0) bytes a second")
    /// }
    /// ```
    public var progress: AsyncStream<DownloadProgress> {
        let looks = ledger.looks(at: id)
        return AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let forwarding = Task {
                for await look in looks {
                    if case .download(let download) = look { continuation.yield(DownloadProgress(download)) }
                }
                continuation.finish()
            }
            continuation.onTermination = { _ in forwarding.cancel() }
        }
    }

    /// The finished file, once it is whole, hashed, durable and under its final name.
    ///
    /// Waits through pauses, retries and lost networks. Cancelling the task ends the waiting and not the download.
    ///
    /// ```swift
    /// let file = try await handle.value
    /// ```
    /// - Throws: ``DownloadError``: why it failed for good; `cancelled`, `deleted`, `evicted`; `missing` and `altered`
    ///   when the finished file was lost or changed since; `not-found`; `closed` when the ledger was closed first;
    ///   `interrupted` when the task was cancelled.
    public var value: URL {
        get async throws(DownloadError) {
            var isFromBefore = true
            for await look in ledger.looks(at: id) {
                switch look {
                case .lost(let error): throw error
                case .download(var download):
                    // What was whole when it was fetched may be gone since.
                    if isFromBefore, download.state == .completed { download = try await ledger.looked(at: download) }
                    isFromBefore = false
                    guard download.state.isEnd else { continue }
                    if let error = download.ending { throw error }
                    return download.fileURL
                }
            }
            throw DownloadError("interrupted", "the wait for download \(id) was cancelled", isRetryable: true)
        }
    }
}

extension Download {
    /// Why there is no file at the end; nil when there is.
    fileprivate var ending: DownloadError? {
        switch state {
        case .completed, .queued, .running, .waiting, .paused: nil
        case .failed: error ?? DownloadError("failed", "download \(id) failed")
        case .cancelled: DownloadError("cancelled", "download \(id) was cancelled", next: "retry fetches it after all")
        case .deleted:
            DownloadError(
                "deleted", "download \(id) was deleted", next: "undo brings it back while its file is in the trash")
        case .missing: DownloadError("missing", "the file of download \(id) is gone", next: "retry fetches it anew")
        case .altered:
            DownloadError("altered", "the file of download \(id) was changed", next: "retry fetches it anew")
        }
    }
}
