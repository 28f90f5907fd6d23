/// An error as people and scripts see it: what went wrong, why, what to do next, and the exit code.
///
/// The only error that crosses the control socket. It holds no secrets.
package struct Problem: Error, Hashable, Sendable, Codable {
    /// The reasons that a program can act on. Raw values go to scripts: they never change.
    package enum Code: String, Hashable, Sendable, Codable, CaseIterable {
        case usage
        case badURL = "bad-url"
        case badDestination = "bad-destination"
        case notFound = "not-found"
        case refused
        case destinationTaken = "destination-taken"
        case queueFull = "queue-full"
        case stale
        case noLedger = "no-ledger"
        case held
        /// The process that held the ledger went away before it answered; the request may be repeated.
        case holderLeft = "holder-left"
        case versionMismatch = "version-mismatch"
        case corrupted
        case tampered
        case tooNew = "too-new"
        case missing
        case disk
        case diskFull = "disk-full"
        case closed
        case `internal`
    }

    /// Which reason.
    package var code: Code
    /// What went wrong, in one sentence without a full stop.
    package var message: String
    /// Why, when the message does not say it; one sentence.
    package var cause: String?
    /// What to type or to check next.
    package var next: String?
    /// What the program exits with.
    package var exitCode: ExitCode

    /// An error in words.
    package init(
        _ code: Code, _ message: String, cause: String? = nil, next: String? = nil, exitCode: ExitCode = .failed
    ) {
        self.code = code
        self.message = message
        self.cause = cause
        self.next = next
        self.exitCode = exitCode
    }
}
