/// What a screen wants to know, as it happens: an element of ``DownloadLedger/changes``.
///
/// ```swift
/// for await change in changes {
///     switch change {
///     case .added(let download), .changed(let download), .progressed(let download): show(download)
///     case .finished(let download): notify("\(download.name) is here")
///     case .failed(let download, let error): notify("\(download.name): \(error.message)")
///     case .removed(let download): hide(download)
///     case .missed: reload()
///     }
/// }
/// ```
public enum DownloadChange: Hashable, Sendable {
    /// It is new, or was brought back by ``DownloadLedger/undo()``.
    case added(Download)
    /// It received bytes; at most four times a second for each download.
    case progressed(Download)
    /// Its state, place, order or labels changed.
    case changed(Download)
    /// Its file stands under ``Download/fileURL``, whole and durable.
    case finished(Download)
    /// It failed, and is not tried again by itself.
    case failed(Download, DownloadError)
    /// It was cancelled or deleted.
    case removed(Download)
    /// This stream was not read for so long that older changes were let go: ask for what you show anew.
    case missed

    /// How many changes a stream keeps for a slow reader; beyond it the oldest are let go, and ``missed`` says
    /// so.
    public static let bufferedMax = 4096
}

extension DownloadChange {
    /// What became of a download that was shown as `before`, nil when it had ended or was not there.
    init(to download: Download, from before: Download?, isNew: Bool, hasEnded: Bool) {
        switch download.state {
        case .cancelled where hasEnded, .deleted where hasEnded: self = .removed(download)
        case .completed where hasEnded: self = .finished(download)
        case .failed where hasEnded:
            self = .failed(download, download.error ?? DownloadError("failed", "the download failed"))
        default:
            if isNew {
                self = .added(download)
            } else {
                self = before?.hasProgressedOnly(to: download) == true ? .progressed(download) : .changed(download)
            }
        }
    }
}

extension Download {
    /// Whether nothing but figures of a transfer differs.
    fileprivate func hasProgressedOnly(to next: Download) -> Bool {
        var before = self
        (before.received, before.size, before.bytesPerSecond) = (next.received, next.size, next.bytesPerSecond)
        (before.resumedFrom, before.startedAt) = (next.resumedFrom, next.startedAt)
        return state == .running && before == next
    }
}
