/// Why an attempt ended.
package struct Failure: Error, Hashable, Sendable {
    /// The reasons, by the names that rows and events carry. Raw values are recorded: they are never reused.
    package enum Code: String, Hashable, Sendable, CaseIterable {
        case unreachable
        case nameNotResolved = "name-not-resolved"
        case connectTimeout = "connect-timeout"
        case silence
        case lowSpeed = "low-speed"
        case connectionLost = "connection-lost"
        case tls
        case status
        case protocolViolation = "protocol"
        case redirect
        case digestMismatch = "digest-mismatch"
        case entityChanged = "entity-changed"
        case suspicious
        case diskFull = "disk-full"
        case disk
        case destinationTaken = "destination-taken"
        case secretsMissing = "secrets-missing"
        case partLost = "part-lost"
        case unsupported
        /// The queue was full, and this download made room for another.
        case evicted
    }

    /// Which reason.
    package var code: Code
    /// What happened, in words for a person, without secrets.
    package var message: String
    /// Whether trying again may help.
    package var isRetryable: Bool
    /// The status code, when the origin's answer was the reason.
    package var status: UInt16?
    /// How long the origin asked to wait (`Retry-After`), in seconds; already capped by the one who read it.
    package var retryAfterSeconds: UInt32?
    /// Whether a sync of the part file failed: what it holds durably is carried on in a new file (rule 4).
    package var poisonsPart = false
    /// Whether it says nothing against the download, and is tried again for as long as it lasts: the origin was busy
    /// with other downloads of ours, the disk was full, or this machine had no network. Failures in a row count anew
    /// behind it.
    package var isExcused = false

    /// Whether an attempt ended by it; an eviction ends none.
    package var endsAttempt: Bool { code != .evicted }

    /// A reason with its words.
    package init(
        _ code: Code, _ message: String, isRetryable: Bool, status: UInt16? = nil, retryAfterSeconds: UInt32? = nil
    ) {
        self.code = code
        self.message = message
        self.isRetryable = isRetryable
        self.status = status
        self.retryAfterSeconds = retryAfterSeconds
    }
}
