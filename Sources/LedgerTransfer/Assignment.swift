package import LedgerModel

/// All that a worker needs to start: made by the engine of the queue's download and its secrets.
package struct Assignment: Sendable {
    /// The right to work on it.
    package var lease: Lease
    /// What was ordered.
    package var order: Order
    /// The first 8 hexadecimal digits of the ledger's id.
    package var ledgerPrefix: String
    /// The URL with its secrets.
    package var url: ResourceURL
    /// Other URLs of the same entity, with their secrets.
    package var mirrors: [Mirror]
    /// Where a list of checksums stands that names the file, with its secrets; nil for none.
    package var checksumFile: Mirror?
    /// The headers the user set: bound to the origin of ``url``.
    package var headers: [Header]
    /// `user:password` for basic authentication: bound to the origin of ``url``.
    package var credentials: String?
    /// The token of bearer authentication: bound to the origin of ``url``.
    package var bearer: String?
    /// The cookies of the file that the order names, each bound to its own domain; read when an attempt starts.
    package var cookies: CookieFile?
    /// The proxy with its credentials; nil for none.
    package var proxy: Proxy?
    /// What the log knows of the entity; nil before the first `resolved`.
    package var origin: Origin?
    /// What the log claims the part file of ``generation`` holds.
    package var durable: SummedRanges
    /// The part file on record; 0 before the first.
    package var generation: UInt32
    /// What the names of its part files begin with.
    package var partStem: String
    /// Whether a sync of that part file failed, so that a new one takes over what is durable in it.
    package var isPoisoned = false
    /// The sources, as they may be written down, that are on record as not serving the entity.
    package var blamed: [ResourceURL] = []
    /// What is on record of the whole part, when a publication was cut short; nil while it is fetched.
    package var verified: Verified?
    /// The finished file whose origin is asked for a newer one; nil when there is none.
    package var standing: StandingFile?
    /// The file that a newer one takes the place of; nil when there is none, or it was never fetched: it is somebody
    /// else's.
    var replaced: PublishedFile? { standing.flatMap { $0.origin == nil ? nil : $0.file } }
    /// Whether the last attempt ended because what it was left was not what it should be: that is on record, and the
    /// next one is not to end for it again.
    package var isLossOnRecord = false
    /// Attempts in a row that ended without progress.
    package var attemptsFailed: UInt32
    /// Whether those ended with what is excused (``LedgerModel/Failure/isExcused``): another failure is the first.
    package var isExcused = false

    /// What a `verified` event says.
    package struct Verified: Hashable, Sendable {
        /// The length in bytes.
        package var length: UInt64
        /// The sum of the part.
        package var sha256: Digest
        /// The final path that was chosen.
        package var path: String

        /// A whole part on record.
        package init(length: UInt64, sha256: Digest, path: String) {
            self.length = length
            self.sha256 = sha256
            self.path = path
        }
    }

    /// Another URL of the same entity, with its secrets.
    package struct Mirror: Hashable, Sendable {
        /// The URL.
        package var url: ResourceURL
        /// `user:password` for basic authentication: bound to the origin of this URL.
        package var credentials: String?

        /// A mirror of a URL and what is bound to it.
        package init(_ url: ResourceURL, credentials: String? = nil) {
            self.url = url
            self.credentials = credentials
        }
    }

    /// A header the user set. Its value is a secret.
    package struct Header: Hashable, Sendable {
        /// The field's name.
        package var name: String
        /// The field's value.
        package var value: String

        /// A header of a name and a value.
        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// An assignment of an order that was never worked on, without secrets; change what differs.
    package init(lease: Lease, order: Order, ledgerPrefix: String) {
        self.lease = lease
        self.order = order
        self.ledgerPrefix = ledgerPrefix
        url = order.url
        mirrors = order.options.value.mirrors.map { Mirror($0) }
        checksumFile = order.options.value.checksumFile.map { Mirror($0) }
        headers = []
        credentials = nil
        proxy = nil
        origin = nil
        durable = SummedRanges()
        generation = 0
        partStem = order.plannedName
        attemptsFailed = 0
    }
}
