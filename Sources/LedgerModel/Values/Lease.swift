/// The right to work on a download: its id and the epoch that every interruption raises.
///
/// The fencing token of the pool: a report under an epoch that has passed is refused as stale, so a worker that was
/// paused, replaced or forgotten can do no harm and needs no acknowledgement.
package struct Lease: Hashable, Sendable, CustomStringConvertible {
    /// The download.
    package let id: DownloadID
    /// How many interruptions (pause, failure, cancel, change ...) the download has seen.
    package let epoch: UInt32

    /// The right to work on `id` in its `epoch`.
    package init(_ id: DownloadID, epoch: UInt32) {
        self.id = id
        self.epoch = epoch
    }

    package var description: String { id.description + "@" + String(epoch) }
}
