import HTTPTypes
package import LedgerModel

/// One attempt at one download, as a value: what to ask for, what an answer means, and what comes next.
///
/// It holds what the part file holds and compares every answer with that and with what was asked for. Whatever does not
/// fit starts over into a fresh part; bytes of two entities never meet.
package struct WorkerStateMachine: Sendable {
    /// How often one attempt starts over before it gives up: an entity that changes faster is not to be had now.
    package static let startOversMax = 3
    /// How many times in a row a cut body is continued at once when each time less than ``continuationBytesMin`` came.
    package static let continuationsMax = 16
    /// Progress that counts as such between two cuts, in bytes.
    package static let continuationBytesMin: UInt64 = 64 << 10

    /// What to do next.
    package enum Action: Sendable {
        /// Send this request.
        case request(TransferRequest)
        /// The part holds the whole entity of this length.
        case finish(length: UInt64)
        /// The attempt ends.
        case fail(Failure)
    }

    /// What an answer's body is.
    package enum Judgement: Sendable {
        /// The whole entity from byte 0: it goes into a fresh part.
        case begin(Origin)
        /// The rest of what the part holds, from `offset`, which is where the part ends.
        case append(offset: UInt64, end: UInt64)
        /// Nothing to be kept: leave the body and do this.
        case leave(Action)
    }

    let assignment: Assignment
    let settings: TransferSettings

    /// What the part file holds, and of what entity; nil when there is no part.
    private(set) var held: Held?
    /// The URL of the next request, after redirects.
    var url: ResourceURL
    /// Whether the user's headers still go with the request.
    var carriesHeaders = true
    /// The credentials that still go with the request.
    var credentials: String?
    /// Where redirects start from: the order's URL, or the mirror that is tried now.
    private(set) var entry: Assignment.Mirror
    private var mirrorsLeft: [Assignment.Mirror]
    var visited: [ResourceURL] = []
    private var failures: [Failure] = []
    private var startOvers = 0
    private var continuations = 0
    var asked = RangePlan(held: ByteRangeSet(), length: nil)

    /// What the part file holds.
    package struct Held: Hashable, Sendable {
        /// What the origin said of the entity when the part was begun.
        package var origin: Origin
        /// The bytes of the entity in the part, durable or not.
        package var bytes: ByteRangeSet
    }

    /// A machine that takes up `assignment`; `held` is the part that was opened for it, if any.
    package init(_ assignment: Assignment, settings: TransferSettings, held: Held?) {
        self.assignment = assignment
        self.settings = settings
        self.held = held
        url = assignment.url
        entry = Assignment.Mirror(assignment.url, credentials: assignment.credentials)
        mirrorsLeft = assignment.mirrors
    }

    /// The first thing to do.
    package mutating func start() -> Action { next() }

    /// What the part holds was lost or must not be trusted: everything is fetched anew.
    package mutating func lostPart() { held = nil }

    /// The body of an accepted answer ended, with what the part now holds.
    /// - Parameter failure: why it ended early; nil when its framing says that it is whole.
    package mutating func bodyEnded(_ failure: Failure?, held bytes: ByteRangeSet) -> Action {
        let before = held?.bytes.prefixCount ?? 0
        let now = bytes.prefixCount
        held?.bytes = bytes
        continuations = now >= before + Self.continuationBytesMin ? 0 : continuations + 1
        if let length = held?.origin.length, now >= length { return .finish(length: length) }
        guard let failure else {
            guard held?.origin.length != nil else { return .finish(length: now) }
            // A slice shorter than was asked for: the rest is asked for at once.
            return canResume && continuations < Self.continuationsMax ? next() : failed(Self.neverEnding)
        }
        guard failure.code == .connectionLost || failure.code == .silence, now > before, canResume else {
            return failed(failure)
        }
        return continuations < Self.continuationsMax ? next() : failed(failure)
    }

    /// A request failed before its body was accepted, or the entity turned out to be the wrong one: the next mirror is
    /// tried, if there is one. A failure of our own disk or name is not the origin's and ends the attempt.
    package mutating func failed(_ failure: Failure) -> Action {
        switch failure.code {
        case .disk, .diskFull, .partLost, .destinationTaken, .secretsMissing, .unsupported:
            return .fail(failure)
        case .unreachable, .nameNotResolved, .connectTimeout, .silence, .lowSpeed, .connectionLost, .tls, .status,
            .protocolViolation, .redirect, .digestMismatch, .entityChanged, .suspicious:
            failures.append(failure)
        }
        guard !mirrorsLeft.isEmpty else { return .fail(blame()) }
        entry = mirrorsLeft.removeFirst()
        return next()
    }
}

extension WorkerStateMachine {
    private static let neverEnding = Failure(
        .protocolViolation, "the origin keeps answering with slices that do not reach the end", isRetryable: true)

    /// The one failure to record: with several URLs, the words of each; worth another try when one of them was.
    private func blame() -> Failure {
        guard failures.count > 1 else {
            return failures.first ?? Failure(.unreachable, "no URL to ask", isRetryable: false)
        }
        var failure = failures.first(where: \.isRetryable) ?? failures[0]
        failure.message = "all \(failures.count) URLs failed: " + failures.map(\.message).joined(separator: "; ")
        return failure
    }

    /// Whether what is held may be continued: its bytes can be proven to belong to what will come.
    private var canResume: Bool {
        guard let held, held.bytes.prefixCount > 0 else { return false }
        return held.origin.validator != nil || isTrusted
    }

    /// Whether a later attempt could continue what is held, so that it is worth a record.
    var isWorthKeeping: Bool { canResume || (held?.bytes.isEmpty == false && held?.origin.validator != nil) }

    /// Whether a part without a validator may be continued: the user said so, or a digest will judge the whole.
    private var isTrusted: Bool {
        assignment.order.options.value.resumesUnvalidated || assignment.order.expected != nil
    }

    mutating func next() -> Action {
        asked = RangePlan(held: ByteRangeSet(), length: nil)
        if let held {
            let plan = RangePlan(held: held.bytes, length: held.origin.length)
            if plan.isWhole, let length = held.origin.length { return .finish(length: length) }
            if canResume { asked = plan }
        }
        return ask()
    }

    /// Asks from the entry again: what a redirect led to may have been good for one request only.
    private mutating func ask() -> Action {
        url = entry.url
        visited = []
        carriesHeaders = assignment.order.options.value.forwardsHeaders || url.origin == assignment.url.origin
        credentials = entry.credentials ?? (carriesHeaders ? assignment.credentials : nil)
        return .request(request())
    }

    /// Nothing of what is held fits: the same URL is asked for everything.
    mutating func startOver(_ why: String) -> Action {
        startOvers += 1
        guard startOvers <= Self.startOversMax else {
            return failed(
                Failure(
                    .entityChanged, "\(why), \(startOvers) times in one attempt", isRetryable: true))
        }
        asked = RangePlan(held: ByteRangeSet(), length: nil)
        return ask()
    }

    var askedFrom: UInt64 { asked.start }

    /// Accepts the whole entity from byte 0.
    mutating func begin(_ origin: Origin) -> Judgement {
        if let length = origin.length, length > UInt64(Int64.max) {
            let words = "the origin says that the file is \(length) bytes long, more than a file can be"
            return .leave(failed(Failure(.protocolViolation, words, isRetryable: false)))
        }
        held = Held(origin: origin, bytes: ByteRangeSet())
        return .begin(origin)
    }

    /// Learns the length that the first answer did not tell.
    mutating func learn(length: UInt64?) {
        if let length, held?.origin.length == nil { held?.origin.length = length }
    }
}
