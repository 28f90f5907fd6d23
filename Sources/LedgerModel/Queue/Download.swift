/// One download, as its events made it.
package struct Download: Hashable, Sendable {
    /// Its id for ever.
    package let id: DownloadID
    /// What to fetch and where to put it.
    package var order: Order
    /// Where it stands.
    package var phase: Phase
    /// Higher comes first.
    package var priority: Int32
    /// The place among downloads of one priority; lower comes first.
    package var rank: Rank
    /// How many interruptions it has seen; see ``Lease``.
    package var epoch: UInt32 = 0
    /// What the origin said, once it was asked; boxed because most of a long queue has none.
    package var origin: Shared<Origin>?
    /// Which part file holds the bytes: the first is 1, and starting over makes the next. 0 before the first answer.
    package var generation: UInt32 = 0
    /// What that part file holds durably.
    package var durable = ByteRangeSet()
    /// The CRC-32C of the bytes of each of those ranges; empty when they are not known.
    package var sums: RangeSums = []
    /// Whether a sync of that part file failed: what is durable moves to a new one before anything is added to it.
    package var isPoisoned = false
    /// The sources that do not serve the entity: no attempt asks them again.
    package var blamed: Shared<[ResourceURL]>?
    /// Attempts that failed since the last progress.
    package var failuresInRow: UInt32 = 0
    /// Attempts that failed, in all.
    package var failuresTotal: UInt32 = 0
    /// Why the last attempt failed; nil once it went on.
    package var failure: Shared<Failure>?
    /// When it was enqueued.
    package let addedAt: Timestamp
    /// The file, from `verified` on.
    package var file: Shared<PublishedFile>?
    /// What most downloads that wait do not have; nil when that is nothing.
    var past: Shared<Past>?

    /// The finished file as the catalog shows it: also while its origin is asked for a newer one.
    package var shownFile: PublishedFile? { standing?.value.file ?? file?.value }

    /// How long that file is, in bytes; nil when there is none.
    package var shownLength: UInt64? { standing?.value.file.length ?? file?.value.length }

    /// Where that file stands: a look at it would be a copy of all that it holds.
    var shownPath: String? { standing?.value.file.path ?? file?.value.path }

    /// Whether it has, or had, a finished file, also one that was seen to be gone, and was not deleted; also while its
    /// origin is asked for a newer one.
    package var hasFinishedFile: Bool { phase.isFinished || standing != nil }

    /// Whether its finished file was never fetched: it stood there before it was asked for.
    package var hasForeignFile: Bool { hasFinishedFile && !isFileFetched }

    /// Whether an origin gave it its finished file, or that which it had.
    var isFileFetched: Bool { standing.map { $0.value.origin != nil } ?? (origin != nil) }

    /// Whether its finished file is there and unchanged, as far as was seen.
    package var hasWholeFile: Bool { phase == .completed || standing != nil }

    /// Whether it ever was more than an order that stands in the queue.
    package var isBegun: Bool {
        origin != nil || file != nil || failure != nil || past != nil || failuresTotal > 0 || !phase.isStanding
    }

    /// The right to work on it now.
    package var lease: Lease { Lease(id, epoch: epoch) }

    /// Whether this download is what an order for the same asks for that says this about a taken name: it says the
    /// same; or the order would rather fetch nothing, and the file is there or on its way already.
    func heeds(_ collision: Destination.Collision) -> Bool {
        order.destination.collision == collision || collision == .skip && phase.isAtHand
    }

    /// Whether its origin is asked as an order asks that names the same file: who sends headers, or a name and a
    /// password, may be given what others are not. Another secret in the query is only another ticket for the same.
    func asks(like order: Order) -> Bool {
        let names = order.options.value.headerNames
        let isKnown = !names.isEmpty || order.secret != nil && !order.url.text.contains(Redaction.word)
        return !isKnown || order.secret == self.order.secret && names == self.order.options.value.headerNames
    }

    /// Whether what is fetched for this download, or was, is what these options ask for: checked as they say, and
    /// unpacked or not. What is to begin anew does so as it is asked for then.
    func serves(_ options: TransferOptions) -> Bool {
        guard phase.isAtHand else { return true }
        let own = order.options.value
        let isOfType =
            phase == .completed
            ? options.allows(origin?.value.mediaType)
            : options.expectedType == nil || options.expectedType == own.expectedType
        return isOfType && options.decompresses == own.decompresses
            && (options.checksumFile == nil || options.checksumFile == own.checksumFile)
    }

    /// The name that its file has, or is to have as far as the origin has told it; nil before it was asked.
    var givenName: String? {
        guard let path = file?.value.path.utf8 else { return origin?.value.suggestedName }
        let start = path.lastIndex(of: UInt8(ascii: "/")).map { path.index(after: $0) } ?? path.startIndex
        return String(decoding: path[start...], as: UTF8.self)
    }

    /// Its place in the order of the queue.
    package var key: QueueKey { QueueKey(priority: priority, rank: rank, id: id) }
}

extension Download {
    /// A download that was just enqueued; by the compiler's own initializer, as ``Origin`` is made: `epoch` is named
    /// for that one to be meant, and not this one again.
    package init(id: DownloadID, order: Order, phase: Phase, priority: Int32, rank: Rank, addedAt: Timestamp) {
        self.init(id: id, order: order, phase: phase, priority: priority, rank: rank, epoch: 0, addedAt: addedAt)
    }
}

/// Where a download stands.
package enum Phase: Hashable, Sendable {
    /// Ready to run, or running.
    case queued
    /// To be tried (again) at this instant.
    case waiting(until: Timestamp)
    case paused
    /// Whole and verified; the file is being renamed to its final name.
    case publishing
    case completed
    /// Completed, but the file is gone.
    case missing
    /// Completed, but the file has changed.
    case altered
    case failed
    case cancelled
    case deleted

    /// Whether the download still has a place in the queue.
    package var isLive: Bool {
        switch self {
        case .queued, .waiting, .paused, .publishing: true
        case .completed, .missing, .altered, .failed, .cancelled, .deleted: false
        }
    }

    /// Whether its file is there as it was published, or on its way.
    var isAtHand: Bool { isLive || self == .completed }

    /// Whether it has a place in the queue, and its turn later or when somebody says so.
    var isStanding: Bool {
        switch self {
        case .queued, .waiting, .paused: true
        case .publishing, .completed, .missing, .altered, .failed, .cancelled, .deleted: false
        }
    }

    /// Whether a worker may hold the download's lease.
    package var mayRun: Bool {
        switch self {
        case .queued, .waiting, .publishing: true
        case .paused, .completed, .missing, .altered, .failed, .cancelled, .deleted: false
        }
    }

    /// Whether the download has, or had, a finished file, or is about to give it its name.
    package var isThere: Bool { isFinished || self == .publishing }

    /// Whether the download has, or had, a finished file.
    package var isFinished: Bool {
        switch self {
        case .completed, .missing, .altered: true
        case .queued, .waiting, .paused, .publishing, .failed, .cancelled, .deleted: false
        }
    }
}

/// A whole file: what it is and where it stands.
package struct PublishedFile: Hashable, Sendable {
    /// Its absolute path.
    package var path: String
    /// Its length in bytes when it was whole.
    package var length: UInt64
    /// The SHA-256 of its bytes when it was whole.
    package var sha256: Digest
    /// What `stat(2)` said after it was published, or of the file that was seen in its place; nil until then.
    package var identity: FileIdentity?

    /// A file with every fact given.
    package init(path: String, length: UInt64, sha256: Digest, identity: FileIdentity?) {
        self.path = path
        self.length = length
        self.sha256 = sha256
        self.identity = identity
    }
}

/// A finished file that stands while its origin is asked for a newer one, with what the origin said of it: whatever
/// becomes of the question, the download can be what it was.
package struct StandingFile: Hashable, Sendable {
    /// The file.
    package var file: PublishedFile
    /// What the origin said of its bytes; nil for a file that was found in its place.
    package var origin: Origin?

    /// A file and what the origin said of it.
    package init(file: PublishedFile, origin: Origin?) {
        self.file = file
        self.origin = origin
    }
}

/// The order of the queue: higher priority first, then lower rank, then older.
package struct QueueKey: Hashable, Comparable, Sendable {
    /// Higher comes first.
    package let priority: Int32
    /// Lower comes first within a priority.
    package let rank: Rank
    /// The download.
    package let id: DownloadID

    /// The place of a download.
    package init(priority: Int32, rank: Rank, id: DownloadID) {
        self.priority = priority
        self.rank = rank
        self.id = id
    }

    package static func < (one: Self, other: Self) -> Bool {
        if one.priority != other.priority { return one.priority > other.priority }
        if one.rank != other.rank { return one.rank < other.rank }
        return one.id < other.id
    }
}
