/// What to fetch and where to put it, as it stands in the log: parsed, absolute and without secrets.
package struct Order: Hashable, Sendable {
    /// The URL as it may be written down (``ResourceURL/redacted``).
    package var url: ResourceURL
    /// Where the file goes.
    package var destination: Destination
    /// Names the entry of the secrets file that holds the whole URL and the headers; nil when nothing was secret.
    package var secret: SecretReference?
    /// What the finished file must hash to.
    package var expected: Digest?
    /// What its pieces must hash to, when a publisher said so.
    package var pieces: Shared<PieceHashes>?
    /// How to fetch it; one object shared by all orders that ask for the same.
    package var options: Shared<TransferOptions>
    /// What people call the file and find it by.
    package var labels: Shared<Labels>

    /// The order of a download that is asked for again: as it is asked for now. What people call the file stays where
    /// nothing else is said.
    func renewed(by other: Order) -> Order {
        var order = other
        let labels = labels.value.renewed(by: other.labels.value)
        order.labels = labels == self.labels.value ? self.labels : Shared(labels)
        return order
    }

    /// Keeps it within what the listing that names it is kept to; see ``TransferOptions/refusesPrivateAddresses`` and
    /// ``TransferOptions/refusesLinks``.
    package mutating func confine(as listing: Listing) {
        guard listing.refusesPrivateAddresses || listing.refusesLinks else { return }
        var options = options.value
        options.refusesPrivateAddresses = listing.refusesPrivateAddresses
        options.refusesLinks = listing.refusesLinks
        self.options = Shared(options)
    }

    /// The most bytes that the texts of one order may take together; what the log can record is several times that.
    package static let textBytesMax = 1 << 20

    /// The bytes that its texts take in the log, with two more for each: an empty one takes room too.
    package var textBytes: Int {
        let (labels, options) = (labels.value, options.value)
        // Not as a list of all: making it costs more than a whole order does.
        var bytes = pieces?.value.bytes.count ?? 0
        func add(_ text: String?) {
            if let text { bytes += text.utf8.count + 2 }
        }
        add(url.text)
        add(destination.directory)
        add(destination.name)
        add(labels.group)
        add(labels.title)
        add(labels.details)
        add(labels.identifier)
        add(options.userAgent)
        add(options.proxy)
        add(options.noProxy)
        add(options.certificateAuthorityFile)
        add(options.clientCertificateFile)
        add(options.clientKeyFile)
        add(options.cookieFile)
        add(options.checksumFile?.text)
        add(options.expectedType)
        for text in labels.tags { add(text) }
        for mirror in options.mirrors { add(mirror.text) }
        for name in options.headerNames { add(name) }
        return bytes
    }

    /// The name the file gets when the origin suggests none: the user's, the URL's last component, or `download`.
    package var plannedName: String {
        destination.name ?? url.plannedName
    }
}

extension ResourceURL {
    /// The name of a file from here that nobody named: the last component, or `download`.
    package var plannedName: String { FileName.safe(lastPathComponent) ?? "download" }
}

extension Order {
    /// An order of parsed parts; by the compiler's own initializer, as ``Origin`` is made.
    package init(
        url: ResourceURL, destination: Destination, secret: SecretReference? = nil, expected: Digest? = nil,
        pieces: Shared<PieceHashes>? = nil, labels: Shared<Labels> = Labels.none,
        options: Shared<TransferOptions> = TransferOptions.standard
    ) {
        self.init(
            url: url, destination: destination, secret: secret, expected: expected, pieces: pieces, options: options,
            labels: labels)
    }
}

/// Names an entry of the secrets file: a keyed hash of what it holds, so that equal secrets have equal names and the
/// name tells nothing about them.
package struct SecretReference: Hashable, Sendable, CustomStringConvertible {
    /// The length of a name in bytes.
    package static let byteCount = 16

    /// ``byteCount`` bytes.
    package let bytes: [UInt8]

    /// A name that the secrets file made.
    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    package var description: String { bytes.hex }
}

/// What people call a file and find it by.
package struct Labels: Hashable, Sendable {
    /// The group it belongs to (a podcast, a data set); nil for none.
    package var group: String?
    /// A title shown instead of the file name.
    package var title: String?
    /// Words about it.
    package var details: String?
    /// Words to find it by.
    package var tags: [String]
    /// The app's or the publisher's own name for it.
    package var identifier: String?
    /// When it was published.
    package var published: Timestamp?

    /// Labels as given.
    package init(
        group: String? = nil, title: String? = nil, details: String? = nil, tags: [String] = [],
        identifier: String? = nil, published: Timestamp? = nil
    ) {
        self.group = group
        self.title = title
        self.details = details
        self.tags = tags
        self.identifier = identifier
        self.published = published
    }

    /// These, but for what the others say.
    func renewed(by other: Labels) -> Labels {
        Labels(
            group: other.group ?? group, title: other.title ?? title, details: other.details ?? details,
            tags: other.tags.isEmpty ? tags : other.tags, identifier: other.identifier ?? identifier,
            published: other.published ?? published)
    }

    /// The most bytes of its texts together: lists show them whole.
    package static let textBytesMax = 32 << 10

    /// The bytes of its texts, with two more for each tag: an empty one takes room too.
    package var textBytes: Int {
        [group, title, details, identifier].reduce(tags.reduce(0) { $0 + $1.utf8.count + 2 }) {
            $0 + ($1?.utf8.count ?? 0)
        }
    }

    /// No labels: shared by every order that has none.
    package static let none = Shared(Labels())
}

/// How to fetch: everything about the way that is not a secret.
package struct TransferOptions: Hashable, Sendable {
    /// Other URLs of the same entity, tried in order when the first fails for good.
    package var mirrors: [ResourceURL] = []
    /// The highest rate in bytes a second; nil for no limit.
    package var bytesPerSecondMax: UInt64?
    /// How often an attempt that failed for a passing reason is made again; nil for the ledger's own number.
    package var retriesMax: UInt32?
    /// The longest silence, in milliseconds: to connect, to the first byte, between bytes; nil for the ledger's own.
    package var silenceMillisecondsMax: UInt32?
    /// Not to be started before this instant.
    package var notBefore: Timestamp?
    /// The `User-Agent` to send; nil for the program's own.
    package var userAgent: String?
    /// A proxy, as `KIND://HOST:PORT` (``Proxy``); its credentials are among the secrets.
    package var proxy: String?
    /// A PEM file of the authorities to trust instead of the system's; absolute.
    package var certificateAuthorityFile: String?
    /// Whether the origin's certificate goes unchecked.
    package var isInsecure = false
    /// The names of the headers the user set; their values are among the secrets.
    package var headerNames: [String] = []
    /// Whether the user's headers and credentials may follow a redirect to another origin.
    package var forwardsHeaders = false
    /// Whether a redirect from https to http is followed.
    package var allowsDowngrade = false
    /// Whether a part fetched without any validator may be resumed on trust.
    package var resumesUnvalidated = false
    /// How many ranges are fetched at once at most; nil lets the transfer find out what helps.
    package var rangesMax: UInt32?
    /// The hours of the day in which it may run; nil for all of them.
    package var window: DailyWindow?
    /// Whether the file gets the modification time that the origin states.
    package var keepsRemoteTime = false
    /// Whether a body that the origin compressed on its own is stored as what it unpacks to.
    package var decompresses = false
    /// A PEM file with the certificate (chain) that shows who we are; absolute.
    package var clientCertificateFile: String?
    /// A PEM file with that certificate's private key; absolute. Nil when it stands in the certificate's file.
    package var clientKeyFile: String?
    /// A file of cookies in Netscape's format; absolute. Read when the transfer starts.
    package var cookieFile: String?
    /// Whether HTTP/2 is taken where the origin offers it.
    package var prefersHTTP2 = false
    /// The hosts that are reached without the proxy, as `NO_PROXY` lists them.
    package var noProxy: String?
    /// The media type that the answer must have, such as `application/zip` or `video/*`.
    package var expectedType: String?
    /// Where a file of checksums stands (as `sha256sum` prints them) that names this file.
    package var checksumFile: ResourceURL?
    /// How many bytes the publisher says the file has.
    package var expectedLength: UInt64?
    /// Whether no loopback, link-local or private address may be reached on the way: who asked is not who owns this
    /// machine (server-side request forgery).
    package var refusesPrivateAddresses = false
    /// Whether a symbolic link that has come to stand in the directory's path since ends it: who asked is not who owns
    /// this disk, and was given a place inside a root.
    package var refusesLinks = false
    /// How many of the last components of the directory a server named: a feed's title, a directory in a Metalink. A
    /// symbolic link in one of them ends it: nobody who owns this disk said to go there.
    package var namedComponents: UInt32 = 0

    /// Whether who asked is not who owns this disk, and was given a place inside a root: neither a link that stands in
    /// the way is followed for them, nor a file taken for theirs that this ledger did not download.
    package var isConfined: Bool { refusesLinks }

    /// The most ranges of one file at once.
    package static let rangesMax: UInt32 = 16

    /// Nothing asked for: shared by every order that is plain.
    package static let standard = Shared(TransferOptions())

    /// Options with nothing asked for.
    package init() {}
}

extension TransferOptions {
    /// Whether a file may be of this media type: one of the range that is expected, such as `video/*` or
    /// `application/zip`, if any is.
    package func allows(_ mediaType: String?) -> Bool {
        guard let range = expectedType else { return true }
        guard let mediaType else { return false }
        return range == "*/*" || range == mediaType || range.hasSuffix("/*") && mediaType.hasPrefix(range.dropLast())
    }
}
