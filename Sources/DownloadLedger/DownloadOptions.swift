public import FoundationEssentials

/// Everything that can be said about one download beside its URL. All of it may be left out.
///
/// ```swift
/// var options = DownloadOptions(group: "course", title: "Lesson 1")
/// options.mirrors = [mirror]
/// options.checksum = "sha-256=" + publishedSum
/// options.priority = 10
/// let handle = try await ledger.enqueue(url, options: options)
/// ```
///
/// Group, title, details, tags and identifier together may take 32 KiB; more is `usage`, as is what can not be sent or
/// parsed. All texts of one download together, but for what is secret, may take 1 MiB; more is `refused`.
public struct DownloadOptions: Hashable, Sendable {
    /// What to do when something stands under the final name.
    public enum Collision: String, Hashable, Sendable, Codable, CaseIterable {
        /// Take the next free numbered name: `file (1).pdf`. A given name that is being written is joined instead, see
        /// ``DownloadLedger/enqueue(_:to:options:)``.
        case number
        /// Replace it, atomically, once the new file is whole.
        case overwrite
        /// Keep it, and fetch nothing: it is hashed and taken as the finished file, whatever is in it.
        case skip
    }

    /// The app's own name for it, by which ``NamingStrategy/identifier`` names the file.
    public var identifier: String?
    /// The group it belongs to (a podcast, a course).
    public var group: String?
    /// A title shown instead of the file name.
    public var title: String?
    /// Words about it.
    public var details: String?
    /// Words to find it by; a query finds what has all of its own.
    public var tags: [String] = []
    /// When it was published: what is newest in its group goes by it.
    public var published: Date?
    /// Higher comes first, -2^31 to 2^31 - 1.
    public var priority: Int32 = 0
    /// Headers to send, to its own origin alone; their values are secret and never reach the log.
    public var headers: [String: String] = [:]
    /// `user:password` for the origin; secret. Not together with ``bearer``.
    public var credentials: String?
    /// The token of bearer authentication; secret. Not together with ``credentials``.
    public var bearer: String?
    /// What the file must hash to, as `ALGORITHM=HEX` with md5, sha-1, sha-256 or sha-512. What does not is never given
    /// its name; the download fails with `digest-mismatch`.
    public var checksum: String?
    /// How many bytes the file must have; nil for what the origin says.
    public var expectedLength: UInt64?
    /// Other URLs of the same file, tried in order; beside each other when ``checksum`` can tell that it is the same.
    public var mirrors: [URL] = []
    /// The highest rate of it in bytes a second; nil or 0 for no limit. It holds over time, not over each moment.
    public var bytesPerSecondMax: UInt64?
    /// How often an attempt that failed for a passing reason is made again, without progress between; nil for what
    /// ``LedgerConfiguration/retries`` says.
    public var retriesMax: UInt32?
    /// The longest silence: to connect, to the first byte, between bytes; nil for ``LedgerConfiguration/silenceMax``.
    public var silenceMax: Duration?
    /// Not to be started before this instant, by the wall clock; nil for at once.
    public var notBefore: Date?
    /// The `User-Agent` to send; nil for ``LedgerConfiguration/userAgent``.
    public var userAgent: String?
    /// What happens when the final name is taken.
    public var collision: Collision = .number
    /// Whether it is enqueued paused, and waits for ``DownloadLedger/resume(_:)-(Download.ID)``.
    public var isPaused = false
    /// Whether to fetch anew what the ledger has already, into a file of its own.
    public var again = false

    /// What most apps say; nothing by default.
    public init(group: String? = nil, title: String? = nil, identifier: String? = nil) {
        (self.group, self.title, self.identifier) = (group, title, identifier)
    }
}

/// One of several downloads to enqueue together.
///
/// ```swift
/// let requests = [
///     DownloadRequest(first, options: DownloadOptions(group: "course")),
///     DownloadRequest(second, to: directory.appending(path: "second.mp4")),
/// ]
/// let answers = try await ledger.enqueue(requests)
/// ```
public struct DownloadRequest: Hashable, Sendable {
    /// What to fetch: `http` or `https`.
    public var url: URL
    /// Where to put it: a directory (it ends with `/`) or a file; nil lets the configuration say.
    public var destination: URL?
    /// What else is asked for.
    public var options: DownloadOptions

    /// A request for a URL; all but the URL may be left out.
    public init(_ url: URL, to destination: URL? = nil, options: DownloadOptions = DownloadOptions()) {
        self.url = url
        self.destination = destination
        self.options = options
    }
}

/// What a file is called that was given no name, and where below the directory of downloads it stands.
///
/// ```swift
/// configuration.naming = .groupAndIdentifier
/// ```
///
/// Names are made safe: never a path, never hidden, 200 bytes at most. A name that is taken is numbered, see
/// ``DownloadOptions/Collision``.
public enum NamingStrategy: Hashable, Sendable {
    /// As the origin or the URL names it.
    case name
    /// By ``DownloadOptions/identifier``, with the extension of the URL; without an identifier, as ``name``. One that
    /// can be no name as it is has digits of its hash behind it: two identifiers are two files.
    case identifier
    /// By the SHA-256 of the URL in hexadecimal, with the extension of the URL; without its fragment and without
    /// `user:password@`.
    case hashOfURL
    /// ``name`` in a directory for each group.
    case groupAndName
    /// ``identifier`` in a directory for each group.
    case groupAndIdentifier
}
