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

    /// How often one attempt takes up a description: what does not fit it and was begun anew for that is compared once
    /// more, and then taken without.
    static let descriptionsMax = 2

    /// What to do next.
    package enum Action: Sendable {
        /// Send this request.
        case request(TransferRequest)
        /// The part holds the whole entity of this length.
        case finish(length: UInt64)
        /// The finished file still is what the origin has.
        case unchanged
        /// What stands beside the part on record is not the file, as these words say: that one is taken up again.
        case leaveDoubt(String)
        /// The attempt ends.
        case fail(Failure)
    }

    /// What an answer's body is.
    package enum Judgement: Sendable {
        /// The entity from byte 0 up to `end`, or to its own: it goes into a fresh part.
        case begin(Origin, end: UInt64?)
        /// The rest of what the part holds, from `offset`, which is where the part ends.
        case append(offset: UInt64, end: UInt64)
        /// Nothing to be kept: leave the body and do this.
        case leave(Action)
    }

    let assignment: Assignment
    let settings: TransferSettings

    /// What the part file holds, and of what entity; nil when there is no part.
    var held: Held?
    /// What the part on record holds, while what comes instead may not be the file: it may be an error that calls
    /// itself a success, and a digest will tell.
    var kept: Held?
    /// The places that serve the entity.
    var sources: Sources
    /// The source that is asked now.
    private(set) var leading: Int
    /// The way to it.
    var approach: Approach
    /// Sources that were dropped and are not on record yet.
    private var dropped: [Report] = []
    var failures: [Failure] = []
    /// How the source that gave what is held failed.
    private(set) var giverFailure: Failure?
    private var startOvers = 0
    private var continuations = 0
    /// The most bytes that were held at once: a body that begins anew and is cut again is no progress.
    var reachedBytes: UInt64 = 0
    /// The digest that a source stated, and which did: what comes from others in its place is to be the same.
    var stated: (digest: Digest, source: Int)?
    var asked = RangePlan(held: ByteRangeSet(), length: nil)
    /// How many bytes to ask for first where nothing is held, of an origin that is known to serve ranges; nil for all
    /// there are.
    var opening: UInt64?
    /// What the pieces must hash to, by the order or by a Metalink that the origin pointed to.
    var pieces: PieceHashes?
    /// Where a Metalink of the entity stands that was not fetched yet.
    var described: ResourceURL?
    /// Whether one was found: it is fetched once for each entity.
    var isDescribed = false
    /// How many were taken up.
    var descriptions = 0
    /// Whether `If-Range` is left out: the source answered it with everything though nothing had changed.
    var omitsIfRange = false
    /// What lets an origin answer 304 to a request for everything; nil when it is to send what it has.
    var condition: HTTPField?
    /// Whether bytes of several sources may stand in one part: only what the whole, or each piece, hashes to can tell
    /// that they belong together.
    package var mixesSources: Bool { !usesOneSource && isJudged }
    /// The origin of the source that leads.
    var leadingOrigin: String { sources.all[leading].entry.url.origin }
    /// Whether what comes may not be the file, and stands beside what is on record.
    var isDoubtful: Bool { kept != nil }
    /// Whether a hash of the whole, or hashes of its pieces, will tell whether it is what it should be.
    var isJudged: Bool { expected != nil || pieceChecks != nil }
    /// Whether what will judge is on record: a description that an origin pointed to is not.
    var isBound: Bool { expected != nil || assignment.order.pieces != nil }
    /// Whether what proves nothing is taken of the source that gave what is held: what will judge is on record, or the
    /// user said so. A description may be gone, or given up, before it has judged.
    var takesUnproven: Bool { mixesUnproven || resumesUnvalidated }
    /// Whether only what will judge speaks for what is taken.
    var mixesUnproven: Bool { !usesOneSource && isBound }
    /// Whether only the leading source is asked, and only what it proves is taken: the rest did not fit.
    private var usesOneSource = false
    /// Whether the source that leads refuses ranges.
    var refusal = Refusal.none
    /// The sources that do not go on with what is held, as others may, and are asked for everything in the end.
    var aside: [Aside] = []
    /// Which place is asked where redirects lead elsewhere than before.
    var course = Course.ahead
    /// Whether what comes now does from the place that gave the beginning, past redirects that lead elsewhere today.
    var isBack = false
    /// Whether that place gave no more of it: it is not gone back to again.
    private(set) var isBackSpent = false
    /// Whether the last answer says that what is at its place is another entity.
    var tellsOfOther = false
    /// Whether streams were told of another file than the leading one is.
    var dispute = Dispute()
    /// Whether what came was, or may have been, put behind what was held though nothing proved that they belong
    /// together, or what an origin says of its file alone.
    var isUnproven = false

    /// What the part file holds.
    package struct Held: Hashable, Sendable {
        /// What the origin said of the entity when the part was begun.
        package var origin: Origin
        /// The bytes of the entity in the part, durable or not.
        package var bytes: ByteRangeSet
        /// Which source said it; nil where that can not be told any more.
        var source: Int?
        /// Where it was, after redirects; nil where only secrets, which no record holds, would tell.
        var place: ResourceURL?

        /// What a part holds of an entity.
        package init(origin: Origin, bytes: ByteRangeSet) {
            self.origin = origin
            self.bytes = bytes
            place = Redaction.isIn(origin.url.path) ? nil : origin.url
        }
    }

    /// A machine that takes up `assignment`; `held` is the part that was opened for it, if any.
    package init(_ assignment: Assignment, settings: TransferSettings, held: Held?) {
        self.assignment = assignment
        self.settings = settings
        self.held = held
        var sources = Sources(assignment)
        pieces = assignment.order.pieces?.value
        sources.add(held?.origin.mirrors ?? [])
        let giver = held.flatMap { sources.giver(of: $0.origin) }
        let leading = giver ?? sources.usable.first ?? 0
        if let giver { sources.learn(held?.origin.validator, of: giver) }
        approach = sources.approach(to: leading, of: assignment, settings: settings)
        stated = giver.flatMap { giver in held?.origin.digest.map { ($0, giver) } }
        self.sources = sources
        self.leading = leading
        self.held?.source = giver
        // A path with a secret in it is on record without, and nothing led from there.
        let entry = sources.all[leading].entry.url
        if let origin = held?.origin, origin.source == nil, origin.url == entry.redacted { self.held?.place = entry }
        // Whose bytes those are is not known: a validator of another source proves nothing of them.
        if held != nil, giver == nil, !mixesSources { self.held = nil }
        reachedBytes = self.held?.bytes.count ?? 0
        // That what an earlier attempt left is of the same file, the origin alone says.
        isUnproven = self.held.map { !$0.bytes.isEmpty } ?? false
    }

    /// The first thing to do.
    package mutating func start() -> Action { next() }

    /// What the part holds was lost or must not be trusted: everything is fetched anew.
    package mutating func lostPart() { held = nil }

    /// The body of an accepted answer ended, with what the part now holds.
    /// - Parameters:
    ///   - failure: why it ended early; nil when its framing says that it is whole.
    ///   - isEmpty: whether no byte of what was asked for came, though nobody else took it.
    package mutating func bodyEnded(_ failure: Failure?, held bytes: ByteRangeSet, isEmpty: Bool = false) -> Action {
        let now = bytes.count
        let isProgress = now > reachedBytes
        hold(bytes)
        if dispute.isOpen, !(failure?.isOfDisk ?? false) { return settleDispute() }
        continuations = now >= reachedBytes + Self.continuationBytesMin ? 0 : continuations + 1
        reachedBytes = max(reachedBytes, now)
        if let length = held?.origin.length, bytes.prefixCount >= length { return .finish(length: length) }
        if isBack, !isProgress, !(failure?.isOfDisk ?? false) {
            isBackSpent = true
            return next()
        }
        if failure == nil, isEmpty, asked.isPartial { return startOver("the origin's range is empty") }
        guard let failure else {
            guard held?.origin.length != nil else { return .finish(length: bytes.prefixCount) }
            // A slice shorter than was asked for: the rest is asked for at once.
            // Of wrong pieces without anything that proves the rest to be of the same entity, all of it is.
            let mayGoOn = canResume || pieces != nil
            return mayGoOn && continuations < Self.continuationsMax ? next() : failed(Self.neverEnding)
        }
        // What refused ranges begins anew each time: a retry waits for that. Of what may be an error, and does not say
        // how long it is, there may be no rest.
        let hasRest = !isDoubtful || held?.origin.length != nil
        guard failure.code == .connectionLost || failure.code == .silence, goesOnAtOnce, isProgress, canResume,
            hasRest, refusal == .none
        else { return failed(failure) }
        return continuations < Self.continuationsMax ? next() : failed(failure)
    }

    /// Pieces of what came were wrong and are to come again: what is held is the rest.
    mutating func comesAgain(held bytes: ByteRangeSet) -> Action {
        hold(bytes)
        return next()
    }

    /// Takes in what is held of the same entity now.
    mutating func hold(_ bytes: ByteRangeSet) { held?.bytes = bytes }

    /// A request failed before its body was accepted, or the entity turned out to be the wrong one: the next mirror is
    /// tried, if there is one. A failure of our own disk or name is not the origin's and ends the attempt.
    package mutating func failed(_ failure: Failure) -> Action {
        switch failure.code {
        case .disk, .diskFull, .partLost, .destinationTaken, .secretsMissing, .unsupported, .evicted:
            return .fail(failure)
        case .unreachable, .nameNotResolved, .connectTimeout, .silence, .lowSpeed, .connectionLost, .tls, .status,
            .protocolViolation, .redirect, .digestMismatch, .entityChanged, .suspicious:
            if isDoubtful { return .leaveDoubt(failure.message) }
            if let action = elsewhere(after: failure) { return action }
            if failure.code == .status, mayBeOfRange(failure) { return refused() }
            failures.append(failure)
            if leading == held?.source { giverFailure = failure }
        }
        return goOn(without: failure)
    }

    /// The whole is not what it must hash to. With bytes of several sources in it, or of two answers that nothing
    /// proved to belong together, nobody knows which were wrong: it is fetched anew from one alone, the one that gave
    /// most.
    /// - Parameter given: how many bytes each source gave in this attempt.
    package mutating func mismatched(_ failure: Failure, given: [Int: Int]) -> Action {
        let mayBeMixed = isUnproven || given.count > 1 && mixesSources
        held = nil
        guard mayBeMixed else {
            // Whose bytes were wrong is known now: those that are left may give together again.
            usesOneSource = false
            return failed(failure)
        }
        usesOneSource = true
        let most = sources.usable.max { (given[$0] ?? 0, $1) < (given[$1] ?? 0, $0) }
        if let most, most != leading { lead(most) }
        return startOver("what came in parts does not fit together")
    }

    /// A source is asked no more: it serves another entity, or gave bytes that are wrong.
    mutating func drop(_ source: Int, _ failure: Failure) {
        let isAside = aside.contains { $0.source == source }
        guard isAside || !sources.all[source].isDropped else { return }
        aside.removeAll { $0.source == source }
        sources.drop(source)
        dropped.append(.blamed(sources.all[source].entry.url.redacted, failure))
    }

    /// The sources that were dropped since the last call, to be put on record.
    mutating func takeDropped() -> [Report] {
        defer { dropped = [] }
        return dropped
    }
}

extension WorkerStateMachine {
    private static let neverEnding = Failure(
        .protocolViolation, "the origin keeps answering with slices that do not reach the end", isRetryable: true)

    /// The next source is asked, if there is one.
    private mutating func goOn(without failure: Failure) -> Action {
        if sources.all.count > 1 { drop(leading, failure) } else { sources.drop(leading) }
        // Only who gave what is held can go on with it where nothing judges.
        if !mixesSources, leading == held?.source, waits(for: [failure]) { return .fail(blame()) }
        guard sources.usable.isEmpty else { return next() }
        return askAside() ?? .fail(blame())
    }

    /// Whether a body that is cut is continued at once; not for who wants no attempt made again.
    var goesOnAtOnce: Bool { (assignment.order.options.value.retriesMax ?? settings.retry.retriesMax) > 0 }

    /// Whether what is held may be continued, so that it is worth a record: its bytes can be proven to belong to what
    /// will come.
    var canResume: Bool {
        guard let held, !held.bytes.isEmpty else { return false }
        return held.origin.validator != nil || isTrusted
    }

    /// Whether ranges may be fetched beside each other: what comes can be proven to belong to what is held.
    var allowsRanges: Bool {
        // Where ranges are refused, another stream would but cut off what the one answer brings. Nobody helps with what
        // may not be the file.
        guard let origin = held?.origin, origin.length != nil, refusal == .none, !isDoubtful, !dispute.isAlone
        else { return false }
        let isAsked = assignment.order.options.value.rangesMax != nil
        return (origin.acceptsRanges || isAsked) && (origin.validator != nil || mixesSources)
    }

    /// Whether a part without a validator may be continued: the user said so, or a digest will judge the whole, or
    /// hashes of the order will judge its pieces.
    private var isTrusted: Bool {
        resumesUnvalidated || assignment.order.expected != nil || assignment.order.pieces != nil && pieceChecks != nil
    }

    /// Whether the user said that what proves nothing may be continued.
    var resumesUnvalidated: Bool { assignment.order.options.value.resumesUnvalidated }

    mutating func next() -> Action {
        asked = everything
        if let held {
            let plan = RangePlan(held: held.bytes, length: held.origin.length)
            if plan.isWhole, let length = held.origin.length { return .finish(length: length) }
            if canResume { asked = plan }
        }
        return ask()
    }

    /// Another source leads: what the one before refused says nothing of it.
    mutating func lead(_ source: Int) { (leading, omitsIfRange, refusal) = (source, false, .none) }

    /// Asks for this of what is held.
    mutating func ask(for plan: RangePlan) -> Action {
        asked = plan
        return ask()
    }

    /// Asks from the entry again: what a redirect led to may have been good for one request only.
    private mutating func ask() -> Action {
        if sources.all[leading].isDropped {
            if let other = sources.usable.first {
                lead(other)
            } else if let action = askAside() {
                return action
            }
        }
        // The validators of two sources have nothing to do with each other.
        if let held, held.source != leading, !mixesSources { asked = everything }
        approach = sources.approach(to: leading, of: assignment, settings: settings)
        (course, tellsOfOther) = (.ahead, false)
        if let refusal = approach.refusal { return failed(refusal) }
        return .request(request())
    }

    /// The request for what is asked, to where it is asked now.
    func request() -> TransferRequest {
        // What another place calls its file otherwise may be the same, as a hash will tell.
        let isOther = held.map { $0.source == leading && !isPlace(approach.url, of: $0) } ?? false
        let validator = omitsIfRange || isOther && mixesUnproven ? nil : validator(for: leading)
        var request = approach.request(range: asked.rangeField, validator: validator)
        if let condition, !asked.isPartial { request.fields[condition.name] = condition.value }
        request.decodes = assignment.order.options.value.decompresses
        return request
    }

    /// What the ranges of a source are asked for under: the validator of the bytes that are held, when they are its own
    /// or nothing else can tell; else the one that it gave itself.
    func validator(for source: Int) -> Validator? {
        guard let held, held.source != source, mixesSources else { return held?.origin.validator }
        return sources.all[source].validator
    }

    /// Follows a redirect, or says why not.
    mutating func redirected(by response: TransferResponse, now: Timestamp) -> Action {
        do throws(Failure) {
            try approach.redirect(to: response.location, status: response.status, setting: (response.cookiesSet, now))
            return .request(request())
        } catch { return failed(error) }
    }

    /// Nothing of what is held fits: the same URL is asked for everything.
    mutating func startOver(_ why: String) -> Action {
        if isDoubtful, asked.isPartial { return .leaveDoubt(why) }
        if let action = elsewhere() { return action }
        let failure = Failure(.entityChanged, why, isRetryable: false)
        if let action = passOver(failure) { return action }
        startOvers += 1
        guard startOvers <= Self.startOversMax else {
            return failed(
                Failure(
                    .entityChanged, "\(why), \(startOvers) times in one attempt", isRetryable: true))
        }
        // Without one, for it may be the rest that does not fit its beginning.
        return askWithoutOpening()
    }

    /// A plan that holds nothing.
    var everything: RangePlan { RangePlan(held: ByteRangeSet(), length: nil, opening: opening) }

    /// The origin is asked for everything at once.
    mutating func askWithoutOpening() -> Action {
        opening = nil
        asked = everything
        return ask()
    }
}
