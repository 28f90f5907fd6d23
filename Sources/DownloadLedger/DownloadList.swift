public import Observation

/// The downloads that a screen shows, kept as they are. For SwiftUI and every other observer.
///
/// ```swift
/// let list = DownloadList(ledger, .queue)
/// let following = Task { await list.follow() }
/// ```
///
/// In SwiftUI:
///
/// ```swift
/// // SwiftUI
/// struct Queue: View {
///     let list: DownloadList
///     var body: some View {
///         List(list.downloads) { download in
///             ProgressView(download.name, value: DownloadProgress(download).fraction ?? 0)
///         }
///         .task { await list.follow() }
///     }
/// }
/// ```
@MainActor @Observable
public final class DownloadList {
    /// What the query finds, in its order; empty until ``follow()`` or ``reload()`` was called.
    public private(set) var downloads: [Download] = []
    /// Why the last look failed (`closed`, say); nil when it did not.
    public private(set) var error: DownloadError?
    /// Which downloads. Another query is shown with the next change, or by ``reload()``.
    ///
    /// ```swift
    /// list.query = .downloaded
    /// await list.reload()
    /// ```
    public var query: DownloadQuery { didSet { if query != oldValue { isStale = true } } }

    @ObservationIgnored private let ledger: DownloadLedger
    @ObservationIgnored private var isStale = true

    /// A list of what `query` finds, empty until it follows.
    public init(_ ledger: DownloadLedger, _ query: DownloadQuery = DownloadQuery()) {
        self.ledger = ledger
        self.query = query
    }

    /// Shows what there is, and what changes, until the task is cancelled or the ledger is closed.
    public func follow() async {
        var (batches, last) = ledger.board.batches()
        await reload()
        for await batch in batches {
            let hasMissed = batch.number != last + 1
            last = batch.number
            if isStale || hasMissed || !replace(batch.changes) { await reload() }
        }
    }

    /// Asks for everything anew. It throws nothing: see ``error``.
    public func reload() async {
        isStale = false
        do throws(DownloadError) {
            downloads = try await ledger.downloads(query)
            error = nil
        } catch { self.error = error }
    }

    /// Shows the progress of those that are shown; false when more than that has changed, or their order has.
    private func replace(_ changes: [DownloadChange]) -> Bool {
        var progressed: [Download.ID: Download] = [:]
        for change in changes {
            guard case .progressed(let download) = change else { return false }
            progressed[download.id] = download
        }
        for place in downloads.indices {
            guard let newer = progressed[downloads[place].id] else { continue }
            if query.sort == .size, newer.size != downloads[place].size { return false }
            downloads[place] = newer
        }
        return true
    }
}
