import LedgerModel

/// Of which entity the part is.
extension WorkerStateMachine {
    /// Accepts the entity from byte 0 up to `end`, or to its own end.
    mutating func begin(_ origin: Origin, of response: TransferResponse, end: UInt64? = nil) -> Judgement {
        var origin = origin
        // What a place that an origin named says of its own file judges nothing.
        let isLearned = sources.all[leading].isLearned
        if isLearned { origin.digest = nil }
        if let digest = origin.digest {
            stated = (digest, leading)
        } else if let stated, stated.source != leading {
            origin.digest = stated.digest
        }
        if let failure = impossible(length: origin.length) { return .leave(failed(failure)) }
        if isLearned, origin.digest == nil, assignment.order.expected == nil, assignment.order.pieces == nil {
            let words = "'\(approach.url.redacted)', which the origin named, has a file that nothing tells from another"
            return .leave(failed(Failure(.entityChanged, words, isRetryable: false)))
        }
        if let failure = unexpected(origin) { return .leave(failed(failure)) }
        let mayBeNone = assignment.order.expected != nil && isNoFile(origin, response)
        if isDoubtful, !mayBeNone { return .leave(.leaveDoubt("the origin has another file again")) }
        // By a retry, and of no other file than before.
        if assignment.attemptsFailed > 0, let before = assignment.origin, before.validator == origin.validator {
            origin.beginnings = before.beginnings.addingClamped(1)
        }
        if (held?.origin ?? assignment.origin)?.validator != origin.validator { sources.beginAnew() }
        if held?.origin.length != origin.length { takeUpOthers() }
        // What stands beside it has its own progress.
        if mayBeNone, kept == nil { reachedBytes = 0 }
        kept = mayBeNone ? kept ?? held : nil
        var fresh = Held(origin: origin, bytes: ByteRangeSet())
        (fresh.source, fresh.place) = (leading, approach.url)
        (held, isUnproven) = (fresh, false)
        // What was said of another entity's pieces.
        pieces = assignment.order.pieces?.value
        isDescribed = false
        sources.learn(origin.validator, of: leading)
        return .begin(origin, end: end ?? origin.length ?? endMax)
    }

    /// Why no file is as long as an answer says; nil when one may be.
    func impossible(length: UInt64?) -> Failure? {
        guard let length, length > FileIdentity.lengthMax else { return nil }
        let words = "the origin says that the file is \(length) bytes long, more than a file can be"
        return Failure(.protocolViolation, words, isRetryable: false)
    }

    /// What came is not the file, as these words say: the part on record holds what it did.
    mutating func goBack(_ words: String) -> Action {
        // The way that it came by is no way to what is held.
        course = .returned
        return failed(
            Failure(
                .suspicious, "the origin answered with something else: \(words); what was fetched before is kept",
                isRetryable: true))
    }

    /// What the part on record holds is held again.
    mutating func leaveDoubt() {
        (held, kept, isUnproven) = (kept, nil, true)
        reachedBytes = held?.bytes.count ?? 0
    }

    /// Whether an answer to who gives up what is held for it may be an error that calls itself a success: it lost what
    /// tells versions of the file apart, and is of another type, or packed, or is not known to be more than that. Where
    /// only a hash tells them apart, what is held may be the error.
    func isNoFile(_ origin: Origin, _ response: TransferResponse) -> Bool {
        guard let now = origin.answeredAt, validator(of: response, now: now) == nil,
            let held = kept ?? held, !held.bytes.isEmpty
        else { return false }
        let isLess = isEncoded(response) || origin.length.map { $0 < held.bytes.count } ?? true
        guard held.origin.validator != nil else { return isLess && assignment.order.expected != nil }
        return isLess || origin.mediaType != held.origin.mediaType
    }

    /// Learns the length that the first answer did not tell.
    mutating func learn(length: UInt64?) {
        if let length, held?.origin.length == nil { held?.origin.length = length }
    }
}
