/// Whose file stands under each final path: the download that published there last, also when it was deleted since.
///
/// A deleted download keeps its claim, so that an older one under the same name is never taken for the owner of a file
/// that is not its own.
struct Owners: DownloadIndex {
    private var publications = NewestIndex<DiskName, Publication>()

    /// One publication of a file under a path, by the event that recorded it.
    private struct Publication: Hashable, Comparable, Sendable {
        let sequence: SequenceNumber
        let id: DownloadID

        static func < (one: Self, other: Self) -> Bool {
            one.sequence != other.sequence ? one.sequence < other.sequence : one.id < other.id
        }
    }

    /// No files at all.
    init() {}

    /// The download that published under this absolute path last; nil when none did.
    subscript(path: String) -> DownloadID? { publications[DiskName(path)]?.id }

    /// All downloads that published under this absolute path, the last one first.
    func publishers(of path: String) -> [DownloadID] { publications.values(of: DiskName(path)).map(\.id) }

    /// The owners of all these downloads.
    init(of downloads: DownloadTable) {
        var count = 0
        downloads.visit { count += $0.value.hasFinishedFile ? 1 : 0 }
        publications.reserve(count)
        downloads.visit { insert($0.value) }
    }

    private mutating func insert(_ download: Download) {
        guard let sequence = download.publishedIn, let path = download.shownPath else { return }
        publications.insert(Publication(sequence: sequence, id: download.id), for: DiskName(path))
    }

    mutating func forget(_ download: Download) {
        guard let path = download.shownPath, let sequence = download.publishedIn else { return }
        publications.remove(Publication(sequence: sequence, id: download.id), for: DiskName(path))
    }

    mutating func update(from old: Download?, to new: Download) {
        if let old, old.publishedIn == new.publishedIn, old.shownFile == new.shownFile { return }
        if let old { forget(old) }
        insert(new)
    }
}
