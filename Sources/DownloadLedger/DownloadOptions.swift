public import FoundationEssentials

/// Everything that can be said about one download beside its URL. All of it may be left out.
public struct DownloadOptions: Hashable, Sendable {
    /// What to do when something stands under the final name.
    public enum Collision: String, Hashable, Sendable, Codable, CaseIterable {
        /// Take the next free numbered name: `file (1).pdf`.
        case number
        /// Replace it, atomically, once the new file is whole.
        case overwrite
        /// Keep it, and fetch nothing.
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
    /// Words to find it by.
    public var tags: [String] = []
    /// When it was published: what is newest in its group goes by it.
    public var published: Date?
    /// Higher comes first, -2^31 to 2^31 - 1.
    public var priority: Int32 = 0
    /// Headers to send; their values are secret and never reach the log.
    public var headers: [String: String] = [:]
    /// `user:password` for the origin; secret.
    public var credentials: String?
    /// The token of bearer authentication; secret.
    public var bearer: String?
    /// What the file must hash to, as `ALGORITHM=HEX` with md5, sha-1, sha-256 or sha-512.
    public var checksum: String?
    /// How many bytes the file must have.
    public var expectedLength: UInt64?
    /// Other URLs of the same file, tried in order.
    public var mirrors: [URL] = []
    /// The highest rate in bytes a second; nil for no limit.
    public var bytesPerSecondMax: UInt64?
    /// How often an attempt that failed for a passing reason is made again; nil for the ledger's own number.
    public var retriesMax: UInt32?
    /// The longest silence; nil for the ledger's own (60 s).
    public var silenceMax: Duration?
    /// Not to be started before this instant.
    public var notBefore: Date?
    /// The `User-Agent` to send; nil for the ledger's own.
    public var userAgent: String?
    /// What happens when the final name is taken.
    public var collision: Collision = .number
    /// Whether it waits for ``DownloadLedger/resume(_:)``.
    public var isPaused = false
    /// Whether to fetch anew what the ledger has already.
    public var again = false

    /// Nothing asked for.
    public init(group: String? = nil, title: String? = nil, identifier: String? = nil) {
        (self.group, self.title, self.identifier) = (group, title, identifier)
    }
}

/// One of several downloads to enqueue together.
public struct DownloadRequest: Hashable, Sendable {
    /// What to fetch: `http` or `https`.
    public var url: URL
    /// Where to put it: a directory (it ends with `/`) or a file; nil lets the configuration say.
    public var destination: URL?
    /// What else is asked for.
    public var options: DownloadOptions

    /// A request for a URL.
    public init(_ url: URL, to destination: URL? = nil, options: DownloadOptions = DownloadOptions()) {
        self.url = url
        self.destination = destination
        self.options = options
    }
}

/// What a file is called that was given no name, and where below the directory of downloads it stands.
public enum NamingStrategy: Hashable, Sendable {
    /// As the origin or the URL names it.
    case name
    /// By ``DownloadOptions/identifier``, with the extension of the URL; without an identifier, as ``name``.
    case identifier
    /// By the SHA-256 of the URL in hexadecimal, with the extension of the URL.
    case hashOfURL
    /// ``name`` in a directory for each group.
    case groupAndName
    /// ``identifier`` in a directory for each group.
    case groupAndIdentifier
}
