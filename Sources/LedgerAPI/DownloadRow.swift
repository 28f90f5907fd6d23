package import LedgerModel

/// The state of a download in a row. Raw values go to scripts: they never change.
package enum DownloadState: String, Hashable, Sendable, Codable, CaseIterable {
    case queued
    case running
    /// Will be tried again at `retryAt`.
    case waiting
    case paused
    case completed
    case failed
    case cancelled
    case deleted
    /// The finished file is gone.
    case missing
    /// The finished file is not the one that was published.
    case altered

    /// Whether nothing more will happen by itself.
    package var isEnd: Bool {
        switch self {
        case .queued, .running, .waiting, .paused: false
        case .completed, .failed, .cancelled, .deleted, .missing, .altered: true
        }
    }
}

/// One download as `--json`, the socket and the API show it; the keys are the words of the contract.
package struct DownloadRow: Hashable, Sendable, Codable {
    /// Why the last attempt ended.
    package struct Failing: Hashable, Sendable, Codable {
        /// ``Failure/Code``, or ``notNow``.
        package var code: String
        /// In words, without secrets.
        package var message: String
        /// Whether trying again may help.
        package var retryable: Bool

        /// The code where nothing failed: something beside the download keeps it from being begun.
        package static let notNow = "not-now"

        /// A failure of three parts.
        package init(code: String, message: String, retryable: Bool) {
            self.code = code
            self.message = message
            self.retryable = retryable
        }

        /// A failure as it is on record.
        init(_ failure: Failure) {
            self.init(code: failure.code.rawValue, message: failure.message, retryable: failure.isRetryable)
        }
    }

    /// The download for ever.
    package var id: DownloadID
    /// The URL without secrets.
    package var url: String
    /// Where the file stands, or will stand as far as it is known now.
    package var path: String
    /// Where it is on its way.
    package var state: DownloadState
    /// In bytes; nil when unknown.
    package var size: UInt64?
    /// The bytes held: live while running, else the durable ones.
    package var received: UInt64
    /// `sha-256:hex` of the finished file.
    package var digest: String?
    /// The sort of content, by media type or name.
    package var kind: Kind
    /// The group it belongs to.
    package var group: String?
    /// A title shown instead of the file name.
    package var title: String?
    /// Words about it.
    package var details: String?
    /// Words to find it by.
    package var tags: [String]
    /// Higher comes first.
    package var priority: Int32
    /// How many attempts were begun.
    package var attempts: UInt32
    /// Why the last attempt ended; nil when none failed, or once a later one did not.
    package var error: Failing?
    /// When it was enqueued.
    package var addedAt: Timestamp
    /// When the origin first answered.
    package var startedAt: Timestamp?
    /// When the file stood under its final name.
    package var completedAt: Timestamp?
    /// When the origin last said, asked for a newer file, that it has none.
    package var checkedAt: Timestamp?
    /// When it will be tried again; only while waiting.
    package var retryAt: Timestamp?
    /// Bytes a second over the last seconds; nil unless running and measured.
    package var rate: UInt64?
    /// How many bytes were there already when the running attempt began; nil unless running.
    package var resumedFrom: UInt64?
    /// How many ranges are asked for or received beside each other; nil unless running.
    package var streams: Int?
    /// Whether the origin's certificate goes unchecked.
    package var insecure = false
    /// The app's or the publisher's own name for it.
    package var identifier: String?
    /// When it was published.
    package var published: Timestamp?
    /// When the finished file was last of use to someone.
    package var usedAt: Timestamp?
    /// Whether the finished file stays, whatever its group may hold.
    package var pinned = false
    /// `algorithm:hex` that the file must have; nil where none was asked for.
    package var checksum: String?
    /// The file name that was asked for; nil where the origin or the URL names it.
    package var output: String?
    /// What was asked for besides (``Order/asked``).
    package var options: [AskedOption] = []

    /// A row with what every download has; the rest is nil, zero or empty until it is set.
    package init(
        id: DownloadID, url: String, path: String, state: DownloadState, kind: Kind, priority: Int32,
        addedAt: Timestamp
    ) {
        self.id = id
        self.url = url
        self.path = path
        self.state = state
        self.kind = kind
        self.priority = priority
        self.addedAt = addedAt
        received = 0
        tags = []
        attempts = 0
    }

    /// Whether the finished file stands as it was because asking its origin for a newer one failed.
    package var isUnchecked: Bool { state == .completed && error != nil }
}
