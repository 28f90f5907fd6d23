/// Whose file stands under each final path: the download that published there last, also when it was deleted since.
///
/// A deleted download keeps its claim, so that an older one under the same name is never taken for the owner of a file
/// that is not its own.
package struct Owners: Hashable, Sendable {
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
    package init() {}

    /// The download that published under this absolute path last; nil when none did.
    package subscript(path: String) -> DownloadID? { publications[path]?.id }

    /// Makes room for so many paths.
    mutating func reserve(_ count: Int) { publications.reserve(count) }

    mutating func forget(_ download: Download) {
        guard let path = download.shownFile?.path, let sequence = download.publishedIn else { return }
        publications.remove(Publication(sequence: sequence, id: download.id), for: path)
    }

    mutating func update(from old: Download?, to new: Download) {
        if let old, old.publishedIn == new.publishedIn, old.shownFile == new.shownFile { return }
        if let old { forget(old) }
        if let path = new.shownFile?.path, let sequence = new.publishedIn {
            publications.insert(Publication(sequence: sequence, id: new.id), for: path)
        }
    }
}
