/// Why a command was refused. Nothing was recorded.
package enum Rejection: Error, Hashable, Sendable {
    case notFound(DownloadID)
    case alreadyCompleted(DownloadID)
    /// It was completed, and its file was seen to be gone since.
    case alreadyMissing(DownloadID)
    /// It was completed, and its file was seen to be another since.
    case alreadyAltered(DownloadID)
    case alreadyCancelled(DownloadID)
    case alreadyDeleted(DownloadID)
    case alreadyPaused(DownloadID)
    case alreadyFailed(DownloadID)
    /// Resume of what is not paused.
    case notPaused(DownloadID)
    /// Retry of what has not failed and was not cancelled or lost.
    case notRetryable(DownloadID)
    /// A file is being renamed to its final name; in a moment it is completed.
    case publishing(DownloadID)
    /// A report under an epoch that has passed.
    case stale(Lease)
    /// A report that does not fit the download's phase.
    case outOfOrder(Lease)
    /// An observation about a file that is not finished.
    case notCompleted(DownloadID)
    case nothingToUndo
    case notUndoable(SequenceNumber)
    /// Undo by the number of a download, of which nothing that was done to it can be undone.
    case nothingToUndoOf(DownloadID)
    /// Undo of a deletion whose file left the trash for good.
    case expired(SequenceNumber, DownloadID)
    /// An expiry of what is not in the trash.
    case notInTrash(DownloadID)
    /// A redaction of what is not deleted.
    case notDeleted(DownloadID)
    /// A redaction of what is deleted, and whose file is still in the trash.
    case inTrash(DownloadID)
    /// Nothing was recorded at this sequence yet.
    case noEvent(SequenceNumber, last: SequenceNumber)
    /// Another live download writes this path.
    case destinationTaken(path: String, by: DownloadID)
    /// A download that goes without a look at certificates does what was asked for with one.
    case unchecked(by: DownloadID)
    /// The queue is full; the bound is `Limits.queuedDownloadsMax`.
    case queueFull(max: Int)
    /// An order whose texts are longer than ``Order/textBytesMax``.
    case orderTooLarge(bytes: Int, max: Int)
    /// An eviction of what was pinned, or is no finished file any longer.
    case notEvictable(DownloadID)
    case noListing(ListingID)
    case noEntry(ListingID, guid: String)
    /// A filter that is no regular expression, and why.
    case badFilter(String, String)
    /// A limit that no group can have, and why.
    case badLimit(String)
    /// What no record can hold, or would not read back as it is; and why.
    case unrecordable(String)
    /// More of something than a ledger takes.
    case tooMuch(String, max: Int)
}
