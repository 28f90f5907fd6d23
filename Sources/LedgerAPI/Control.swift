package import LedgerModel

/// What goes to the holder of a ledger over its socket: one message, answered by one ``ControlResponse``, but for
/// `watch`, which is answered by `rows` again and again, and by `end` at the end. Long lists go and come in ``parts``.
package struct ControlRequest: Hashable, Sendable, Codable {
    /// Raised when messages change their meaning. A holder that speaks another version answers
    /// ``Problem/Code/versionMismatch``.
    package static let currentVersion = 1

    /// What is asked.
    package enum Body: Hashable, Sendable, Codable {
        /// Who are you?
        case status
        /// All of them in one batch, as far as one can hold them, and before them what was gathered.
        case enqueue([EnqueueRequest])
        /// The first of a list that is too long for one message: they wait for the `enqueue` that ends it.
        case gather([EnqueueRequest])
        case act(Action, Selection, CommandID)
        /// Undo the event at this sequence, or the last thing that can be undone.
        case undo(SequenceNumber?, CommandID)
        case list(ListQuery)
        case watch(WatchQuery)
        case compact(CompactRequest)
        case reconcile(ReconcileRequest)
        case redact(RedactRequest)
        /// Change what the holder does at once, or only say what that is.
        case limit(LimitChange)
        /// What does the state that you hold hash to?
        case digest
        /// What fills the catalog and keeps it.
        case library(LibraryRequest)
        /// Leave the ledger in order, so that another process can take it. Answered by `end`, before it is done.
        case leave

        /// Whether every version of the program understands it: who one is and that another is to go can be said to
        /// a holder of any version, or none could be replaced by a newer one.
        var isTimeless: Bool { self == .status || self == .leave }
    }

    /// How long the messages of one list may be together, in bytes; a longer list is refused, whole.
    package static let listBytesMax = 1 << 30

    /// The version of the sender.
    package var version: Int
    /// What is asked.
    package var body: Body

    /// A request of this program's version; what is timeless is written as the first version does.
    package init(_ body: Body) {
        version = body.isTimeless ? 1 : Self.currentVersion
        self.body = body
    }
}

/// What `watch` and a waiting `get` ask for.
package struct WatchQuery: Hashable, Sendable, Codable {
    /// Only these; empty: all that have not ended, and all that come to be.
    package var ids: [DownloadID]
    /// Whether the stream ends once every one of ``ids`` has ended.
    package var untilEnd: Bool

    /// How often running rows are sent at most, in milliseconds.
    package static let intervalMilliseconds = 250

    /// A query for these downloads, or for all.
    package init(ids: [DownloadID] = [], untilEnd: Bool) {
        self.ids = ids
        self.untilEnd = untilEnd
    }
}

/// Who holds the ledger, and what it is doing.
package struct HolderStatus: Hashable, Sendable, Codable {
    /// Its process.
    package var processID: Int32
    /// The program's version.
    package var programVersion: String
    /// The last event.
    package var last: SequenceNumber
    /// How many downloads run now.
    package var running: Int
    /// Where it serves the API, as `HOST:PORT`; empty when it does not, nil from a program that did not say so yet.
    package var addresses: [String]?
    /// Where files of the API's clients go when they say nothing else; nil when it serves none.
    package var directory: String?
    /// Whether it gives the ledger to whoever means to hold it for long, and asks; nil from a program that did not say
    /// so yet.
    package var givesWay: Bool?

    /// A status with every field given.
    package init(
        processID: Int32, programVersion: String, last: SequenceNumber, running: Int, addresses: [String]? = nil,
        directory: String? = nil, givesWay: Bool? = nil
    ) {
        self.processID = processID
        self.programVersion = programVersion
        self.last = last
        self.running = running
        self.addresses = addresses
        self.directory = directory
        self.givesWay = givesWay
    }
}

/// The state that the holder has in memory, told by its digest.
package struct StateDigest: Hashable, Sendable, Codable {
    /// The last event in it.
    package var sequence: SequenceNumber
    /// The SHA-256 of its canonical encoding.
    package var digest: Digest

    /// A state with both fields given.
    package init(sequence: SequenceNumber, digest: Digest) {
        self.sequence = sequence
        self.digest = digest
    }
}

/// What the holder answers.
package indirect enum ControlResponse: Hashable, Sendable, Codable {
    case status(HolderStatus)
    /// More of the list may come.
    case gathered
    /// The beginning of an answer that is a long list; the next message goes on with it.
    case part(ControlResponse)
    /// One for each request, in their order.
    case enqueued([EnqueueAnswer])
    case acted([ActionAnswer])
    /// The answer to `list`; to `watch`: all rows at first, then those that changed.
    case rows([DownloadRow])
    case compacted(CompactReport)
    case reconciled(ReconcileReport)
    case redacted(RedactReport)
    case limited(LimitReport)
    case digest(StateDigest)
    case library(LibraryAnswer)
    /// Nothing more comes.
    case end
    case failed(Problem)
}
