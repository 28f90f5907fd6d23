package import LedgerModel

/// Everything that can be asked for one download, as it was asked: not parsed yet, and with its secrets.
///
/// Secrets travel only in here, over the 0600 socket. ``order()`` is the one way from here into the ledger.
package struct EnqueueRequest: Hashable, Sendable, Codable {
    /// A header to send.
    package struct Header: Hashable, Sendable, Codable {
        /// A token of RFC 9110.
        package var name: String
        /// What stands after the colon.
        package var value: String

        /// A header of a name and a value.
        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// What the pieces of the file must hash to.
    package struct Pieces: Hashable, Sendable, Codable {
        /// The algorithm's name.
        package var algorithm: String
        /// The length of a piece in bytes.
        package var length: UInt64
        /// The hashes in hexadecimal, one behind the other.
        package var hashes: String

        /// The hashes of pieces of a length.
        package init(algorithm: String, length: UInt64, hashes: String) {
            self.algorithm = algorithm
            self.length = length
            self.hashes = hashes
        }
    }

    /// What to do when something stands under the final name.
    package enum Collision: String, Hashable, Sendable, Codable { case number, overwrite, skip, refuse }

    /// The URL; `user:password@` in it is taken as credentials.
    package var url: String
    /// Other URLs of the same entity, tried in order.
    package var mirrors: [String] = []
    /// Where the file goes; absolute.
    package var directory: String
    /// The file's name; nil lets the origin or the URL name it.
    package var name: String?
    /// What happens when the final name is taken.
    package var collision: Collision = .number
    /// Headers to send to the origin; their values are secret.
    package var headers: [Header] = []
    /// `user:password` for basic authentication.
    package var credentials: String?
    /// `ALGORITHM=HEX`.
    package var checksum: String?
    /// The group it belongs to.
    package var group: String?
    /// A title shown instead of the file name.
    package var title: String?
    /// Words about it.
    package var details: String?
    /// Words to find it by.
    package var tags: [String] = []
    /// The app's own name for it.
    package var identifier: String?
    /// When it was published.
    package var published: Timestamp?
    /// Higher comes first.
    package var priority: Int32 = 0
    /// The highest rate in bytes a second; 0 for no limit, nil when nothing is said.
    package var bytesPerSecondMax: UInt64?
    /// How often an attempt that failed for a passing reason is made again; nil for the ledger's own number.
    package var retriesMax: UInt32?
    /// The longest silence in milliseconds; nil for the ledger's own.
    package var silenceMillisecondsMax: UInt32?
    /// Not to be started before this instant.
    package var notBefore: Timestamp?
    /// The `User-Agent` to send; nil for the program's own.
    package var userAgent: String?
    /// A proxy with its credentials (``proxyForm``).
    package var proxy: String?
    /// A PEM file; absolute.
    package var certificateAuthorityFile: String?
    /// Whether the origin's certificate goes unchecked.
    package var isInsecure = false
    /// Whether headers and credentials may follow a redirect to another origin.
    package var forwardsHeaders = false
    /// Whether a redirect from https to http is followed.
    package var allowsDowngrade = false
    /// Whether a part fetched without any validator may be resumed on trust.
    package var resumesUnvalidated = false
    /// How many ranges are fetched at once at most; nil lets the transfer find out what helps.
    package var rangesMax: UInt32?
    /// The hours of the day in which it may run, as `HH:MM-HH:MM`.
    package var window: String?
    /// Whether the file gets the modification time that the origin states.
    package var keepsRemoteTime = false
    /// Whether a body that the origin compressed on its own is stored as what it unpacks to.
    package var decompresses = false
    /// A PEM file with the certificate that shows who we are; absolute.
    package var clientCertificateFile: String?
    /// A PEM file with its private key; absolute.
    package var clientKeyFile: String?
    /// A file of cookies in Netscape's format; absolute.
    package var cookieFile: String?
    /// Whether HTTP/2 is taken where the origin offers it.
    package var prefersHTTP2 = false
    /// The hosts that are reached without the proxy, as `NO_PROXY` lists them.
    package var noProxy: String?
    /// The token of bearer authentication, for the origin of ``url``; secret.
    package var bearer: String?
    /// The media type that the answer must have.
    package var expectedType: String?
    /// Where a file of checksums stands that names this file.
    package var checksumFile: String?
    /// How many bytes the publisher says the file has.
    package var expectedLength: UInt64?
    /// Whether no loopback, link-local or private address may be reached on the way, and no ``proxy`` named.
    package var refusesPrivateAddresses = false
    /// Whether a symbolic link that comes to stand in the directory's path ends it; see
    /// ``TransferOptions/refusesLinks``.
    package var refusesLinks = false
    /// How many of the last components of the directory a server named; see ``TransferOptions/namedComponents``.
    package var namedComponents: UInt32 = 0
    /// Whether ``proxy`` is the one of the program's own configuration, which goes with ``refusesPrivateAddresses``
    /// too: one that a client names would be a way around.
    package var trustsProxy = false
    /// What its pieces must hash to.
    package var pieces: Pieces?
    /// Whether to fetch anew what the ledger has already.
    package var again = false
    /// Whether it waits for `resume` when it is new.
    package var isPaused = false
    /// Whether to ask the origin, when the file is finished, if it has a newer one.
    package var ifModified = false
    /// The name of this request: sent again under the same name it gets the first answer.
    package var command: CommandID

    /// Whether its URL is one of https.
    package var isSecure: Bool { url.drop { $0.isWhitespace }.prefix(6).lowercased() == "https:" }

    /// A plain request: this URL into this absolute directory.
    package init(url: String, directory: String, command: CommandID) {
        self.url = url
        self.directory = directory
        self.command = command
    }
}

/// What became of one ``EnqueueRequest``.
package enum EnqueueAnswer: Hashable, Sendable, Codable {
    /// It stands in the ledger; `joined` when an equal one was there already.
    case accepted(DownloadRow, joined: Bool)
    case refused(Problem)
}
