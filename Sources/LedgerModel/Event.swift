/// What happened to a download or to the log: never refused, edited or reordered.
///
/// Everything a fold needs is resolved in the event: paths, instants, ids. The id of the download an event is about
/// stands in its ``Recorded`` envelope. Cases that hold much hold it in a box: most events of a log are small, and are
/// copied often.
package enum Event: Hashable, Sendable {
    /// An order was accepted. The event's own sequence is the download's id for ever.
    indirect case enqueued(Order, priority: Int32, rank: Rank)
    /// The origin answered; bytes now go into the part file of this generation, which holds none yet.
    indirect case resolved(Origin, generation: UInt32)
    /// These byte ranges, and no others, are durable in the part file. The sums are the CRC-32C of the bytes of each,
    /// by which a part that was changed behind our back is told; none when they are not known.
    case progressed(ByteRangeSet, sums: RangeSums = [])
    /// The part file is whole and durable, and will stand under `path`.
    indirect case verified(length: UInt64, sha256: Digest, path: String)
    /// The file stands under its final name and the directory is synced.
    case completed(FileIdentity)
    /// An attempt ended; it is made again at `retryAt`, or never when that is nil.
    indirect case failed(Failure, retryAt: Timestamp?)
    case paused
    case resumed
    case cancelled
    /// A failed, cancelled or lost download is to be fetched after all, from what is still there.
    case retried
    case moved(priority: Int32, rank: Rank)
    /// The order itself was changed; what was fetched so far is kept when the entity is the same.
    indirect case changed(Order)
    /// Removed from the queue or the catalog.
    indirect case deleted(Deletion)
    /// What the event at this sequence did was undone: a deletion, a cancellation, a pause, a resumption, a move, a
    /// change.
    case restored(undoing: SequenceNumber)
    /// Reconciling found the finished file gone.
    case missing
    /// Reconciling found the finished file changed.
    indirect case altered(FileIdentity, sha256: Digest?)
    /// Reconciling (or `--skip`) found a file in its place and took it as the finished one. Where it `isKnown`, the
    /// ledger had it as finished there with the same content: only its time, or where it lies on the disk, differs.
    indirect case found(FileIdentity, sha256: Digest, path: String, isKnown: Bool = false)
    /// Everything up to `through` now stands in a snapshot; the segments before it left the log.
    case compacted(through: SequenceNumber, archived: Bool)
    /// The size and root of the log were handed out.
    indirect case checkpointed(size: UInt64, root: Digest)
    /// A damaged end of the log was cut off and kept aside.
    indirect case repaired(cut: UInt64, reason: String)
    /// The payload of an earlier record was removed; its leaf hash stays. About a download, that of every record about
    /// it, the first of which this is; nothing is known of the download any longer.
    indirect case redacted(SequenceNumber, reason: String)
    /// One of several sources of a download did not keep up or did not serve the entity, and the others went on
    /// without it; a failure that is not retryable keeps it out of later attempts too.
    indirect case blamed(ResourceURL, Failure)
    /// A user asked whether the finished file still is what the origin has. It stays until a newer one takes its place.
    case rechecked
    /// The origin still has what the finished file holds.
    case unchanged
    /// The finished file was of use to someone: it was played, or opened.
    case used
    /// Whether the finished file stays, whatever its group may hold.
    case pinned(Bool)
    /// A directory was moved as a whole by somebody else: what of the download stood in it stands elsewhere since.
    indirect case relocated(Relocation)
    /// Something happened to what fills the catalog; it is about no one download.
    indirect case library(LibraryEvent)
}

/// What becomes of the file of a deleted download.
package enum Deletion: Hashable, Sendable {
    /// The file stays where it is.
    case keepFile
    /// The file goes to this absolute path, from which `undo` brings it back.
    case trash(path: String)
    /// The file is unlinked.
    case purge
    /// The file is unlinked: it was more than its group may hold.
    case evicted
    /// The file had been in the trash at this absolute path since the download was deleted, and is unlinked: it was
    /// there for too long, or the trash is too large. The deletion can not be undone any more.
    case expired(path: String)
}

/// A place in the queue among downloads of one priority; lower comes first.
package typealias Rank = Int64

extension Event {
    /// The kinds of events, by the names that rows and filters use. Raw values are recorded: they are never reused.
    package enum Kind: UInt8, Hashable, Sendable, CaseIterable {
        case enqueued = 1
        case resolved = 2
        case progressed = 3
        case verified = 4
        case completed = 5
        case failed = 6
        case paused = 7
        case resumed = 8
        case cancelled = 9
        case retried = 10
        case moved = 11
        case changed = 12
        case deleted = 13
        case restored = 14
        case missing = 15
        case altered = 16
        case found = 17
        case compacted = 18
        case checkpointed = 19
        case repaired = 20
        case redacted = 21
        case blamed = 22
        case rechecked = 23
        case unchanged = 24
        case used = 25
        case pinned = 26
        case limited = 27
        case followed = 28
        case unfollowed = 29
        case listed = 30
        case delisted = 31
        case refreshed = 32
        case taken = 33
        case hooked = 34
        case delivered = 35
        case relocated = 36

        /// The word for the kind.
        package var name: String { String(describing: self) }
    }

    /// Which kind this event is.
    package var kind: Kind {
        switch self {
        case .enqueued: .enqueued
        case .resolved: .resolved
        case .progressed: .progressed
        case .verified: .verified
        case .completed: .completed
        case .failed: .failed
        case .paused: .paused
        case .resumed: .resumed
        case .cancelled: .cancelled
        case .retried: .retried
        case .moved: .moved
        case .changed: .changed
        case .deleted: .deleted
        case .restored: .restored
        case .missing: .missing
        case .altered: .altered
        case .found: .found
        case .compacted: .compacted
        case .checkpointed: .checkpointed
        case .repaired: .repaired
        case .redacted: .redacted
        case .blamed: .blamed
        case .rechecked: .rechecked
        case .unchanged: .unchanged
        case .used: .used
        case .pinned: .pinned
        case .relocated: .relocated
        case .library(let event): event.kind
        }
    }
}

extension LibraryEvent {
    /// Which kind this event is.
    package var kind: Event.Kind {
        switch self {
        case .limited: .limited
        case .followed: .followed
        case .unfollowed: .unfollowed
        case .listed: .listed
        case .delisted: .delisted
        case .refreshed: .refreshed
        case .taken: .taken
        case .hooked: .hooked
        case .delivered: .delivered
        }
    }
}
