package import LedgerModel

/// What a list filters and sorts by.
package protocol Listable {
    /// The download for ever.
    var id: DownloadID { get }
    /// The URL without secrets.
    var url: String { get }
    /// Where the file stands, or will stand as far as it is known now.
    var path: String { get }
    /// Where it is on its way.
    var state: DownloadState { get }
    /// The sort of content, by media type or name.
    var kind: Kind { get }
    /// The group it belongs to.
    var group: String? { get }
    /// A title shown instead of the file name.
    var title: String? { get }
    /// Words about it.
    var details: String? { get }
    /// Words to find it by.
    var tags: [String] { get }
    /// Higher comes first.
    var priority: Int32 { get }
    /// In bytes; nil when unknown.
    var size: UInt64? { get }
    /// When it was enqueued.
    var addedAt: Timestamp { get }
    /// When the file stood under its final name.
    var completedAt: Timestamp? { get }
}

extension Listable {
    /// The last component of ``path``, as bars and tables show it.
    package var name: String {
        // By code units, as the disk does.
        let path = path
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        return String(path[(slash.map(path.utf8.index(after:)) ?? path.startIndex)...])
    }
}

extension DownloadRow: Listable {}

/// A download as it stands at one instant: what the ledger knows, and what its worker is doing if one has it. Its row
/// says the same; here each value is found when it is asked for, so that a list makes rows of no more than it shows.
package struct ShownDownload: Listable, Sendable {
    /// What the ledger knows.
    package let download: Download
    package let state: DownloadState
    /// What its worker is doing; nil unless it is running.
    let live: LiveFigures?
    /// When the hours open that it waits for; nil when it does not.
    let opening: Timestamp?
    /// Why nothing is begun now that it could be; nil when it does not wait for that.
    let hindrance: String?

    /// A download with what is known beside the ledger.
    /// - Parameters:
    ///   - live: what its worker is doing; nil when it has none.
    ///   - opening: when the hours open that it waits for, if it does.
    ///   - hindrance: why nothing is begun now, in words; nil when there is no reason not to.
    package init(
        _ download: Download, live: LiveFigures? = nil, opening: Timestamp? = nil, hindrance: String? = nil
    ) {
        self.download = download
        let state = DownloadState(download.phase, isRunning: live != nil)
        // A worker that was stopped is at work for a moment yet, and one that ended has gauges for another.
        self.live = state == .running ? live : nil
        self.opening = self.live == nil ? opening : nil
        self.hindrance = self.opening == nil && (state == .queued || state == .waiting) ? hindrance : nil
        self.state = self.opening == nil && self.hindrance == nil ? state : .waiting
    }

    package var id: DownloadID { download.id }
    package var url: String { download.order.url.text }
    package var path: String {
        if let path = download.file?.value.path ?? download.shownFile?.path { return path }
        let destination = download.order.destination
        let name = destination.name ?? download.origin?.value.suggestedName ?? download.order.plannedName
        return destination.path(of: name)
    }
    package var kind: Kind { kind(at: path) }
    package var group: String? { download.order.labels.value.group }
    package var title: String? { download.order.labels.value.title }
    package var details: String? { download.order.labels.value.details }
    package var tags: [String] { download.order.labels.value.tags }
    package var priority: Int32 { download.priority }
    /// What the origin has just said goes on record with the first progress, up to a second later.
    package var size: UInt64? { download.file?.value.length ?? live?.total ?? download.origin?.value.length }
    package var addedAt: Timestamp { download.addedAt }
    package var completedAt: Timestamp? { download.completedAt }

    func kind(at path: String) -> Kind { Kind(mediaType: download.origin?.value.mediaType, name: path) }
}
