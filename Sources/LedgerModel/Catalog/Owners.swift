/// Whose file stands under each final path: the download that published there last, also when it was deleted since.
///
/// A deleted download keeps its claim, so that an older one under the same name is never taken for the owner of a file
/// that is not its own.
struct Owners: DownloadIndex {
    private var publications = NewestIndex<String, Publication>()

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
    subscript(path: String) -> DownloadID? { publications[path]?.id }

    /// The owners of all these downloads.
    init(of downloads: DownloadTable) {
        publications.reserve(downloads.finishedCount)
        downloads.visit { rows in
            for place in rows.indices { insert(rows[place].id, file: rows[place].file, past: rows[place].past) }
        }
    }

    /// Takes in what a download with these parts published. Not the download itself, which would be copied out of its
    /// page: see ``DownloadTable/visit(_:)``.
    private mutating func insert(_ id: DownloadID, file: Shared<PublishedFile>?, past: Shared<Download.Past>?) {
        guard let past, let sequence = past.value.publishedIn,
            let path = past.value.standing?.value.file.path ?? file?.value.path
        else { return }
        publications.insert(Publication(sequence: sequence, id: id), for: path)
    }

    mutating func forget(_ download: Download) {
        guard let path = download.shownFile?.path, let sequence = download.publishedIn else { return }
        publications.remove(Publication(sequence: sequence, id: download.id), for: path)
    }

    mutating func update(from old: Download?, to new: Download) {
        if let old, old.publishedIn == new.publishedIn, old.shownFile == new.shownFile { return }
        if let old { forget(old) }
        insert(new.id, file: new.file, past: new.past)
    }
}
