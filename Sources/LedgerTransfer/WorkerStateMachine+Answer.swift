import HTTPTypes
package import LedgerModel

extension WorkerStateMachine {
    /// Judges the head of an answer against what was asked for and what is held.
    /// - Parameter now: the wall clock, for dates in fields.
    package mutating func answered(_ response: TransferResponse, now: Timestamp) -> Judgement {
        let judgement = judge(response, now: now)
        switch judgement {
        case .begin, .append:
            if let held { take(held) }
            if case .append = judgement {
                refusal = .none
                dispute.endInFavor()
            } else {
                dispute.begin()
            }
            learnPlaces(of: response)
        case .leave(.finish): dispute.endInFavor()
        case .leave: break
        }
        return judgement
    }

    private mutating func judge(_ response: TransferResponse, now: Timestamp) -> Judgement {
        if response.isRedirect { return .leave(redirected(by: response, now: now)) }
        tellsOfOther =
            held.map { isPlace(approach.url, of: $0) ? $0.isOther(by: response) : $0.isOtherBeyondTag(by: response) }
            ?? false
        switch response.status {
        case 204, 205:
            guard !asked.isPartial else { return misfit("the origin answers that there is nothing") }
            var origin = origin(of: response, now: now)
            origin.length = 0
            if let suspicion = suspicion(of: origin, in: response) { return .leave(failed(suspicion)) }
            return begin(origin, of: response)
        // What comes with it is about what is being made, not the file (RFC 9110, section 15.3.3).
        case 202: return .leave(failed(statusFailure(response, now: now)))
        case 200...299:
            // From another place than before it is not looked at as long as the first one may give it.
            if case .ahead = course, let action = elsewhere() { return .leave(action) }
            return response.status == 206 ? partial(response, now: now) : whole(response, now: now)
        case 304 where condition != nil && !asked.isPartial: return .leave(.unchanged)
        case 416: return .leave(unsatisfied(response))
        default: return .leave(failed(statusFailure(response, now: now)))
        }
    }

    /// A 206: the slice it says it is, of the entity that is held, or nothing of it is kept.
    private mutating func partial(_ response: TransferResponse, now: Timestamp) -> Judgement {
        if response.mediaType == "multipart/byteranges" {
            return misfit("the origin answers in several parts")
        }
        guard case .slice(let slice, let total)? = response.contentRange else {
            return misfit("the origin's range can not be read")
        }
        if let failure = impossible(length: total) { return .leave(failed(failure)) }
        // What is held may be of another entity, unless it is what the rest was asked for.
        guard total != nil || asked.isPartial && held?.origin.length != nil else {
            return misfit("the origin does not say how long the whole is")
        }
        guard slice.lowerBound == asked.start else {
            return misfit("the origin answers from byte \(slice.lowerBound) where \(asked.start) was asked for")
        }
        if !asked.isPartial {
            var origin = origin(of: response, now: now)
            origin.length = isUnpacked(response) ? nil : total
            origin.acceptsRanges = true
            if let suspicion = suspicion(of: origin, in: response) { return .leave(failed(suspicion)) }
            // What follows could not be proven to belong to it.
            let isProvable =
                !isUnpacked(response) && (origin.validator != nil || assignment.order.expected != nil)
            if asked.opening != nil, slice.upperBound != total, !isProvable { return .leave(askWithoutOpening()) }
            return begin(origin, of: response, end: isUnpacked(response) ? nil : slice.upperBound)
        }
        guard let held else { return misfit("nothing is held to continue") }
        if let suspicion = suspicion(of: origin(of: response, now: now), in: response) {
            return .leave(failed(suspicion))
        }
        if let total, let length = held.origin.length, total != length {
            return misfit("the entity has another length now")
        }
        if let total, let failure = unexpected(length: total) { return .leave(failed(failure)) }
        guard belongs(response, at: approach.url, from: leading, to: held, trusting: resumesUnvalidated, now: now)
        else {
            let isThere = isPlace(approach.url, of: held)
            return misfit(isThere ? "the entity has changed" : "nothing proves that another place has the same")
        }
        if let total, total < held.bytes.upperBound { return misfit("the entity is shorter now") }
        learn(length: total)
        // The last byte was asked for to learn of what entity it is.
        if total == held.bytes.prefixCount { return .leave(.finish(length: held.bytes.prefixCount)) }
        return .append(offset: slice.lowerBound, end: min(slice.upperBound, asked.end ?? slice.upperBound))
    }

    /// A 200: the whole entity from byte 0, unless it is something that must not replace good bytes.
    private mutating func whole(_ response: TransferResponse, now: Timestamp) -> Judgement {
        if let text = response.fields.value(of: .contentRange) {
            // A slice with the wrong status is the slice it says it is: good only when it is everything, and its length
            // says so too.
            guard case .slice(let range, let total?) = ContentRange(reading: text), range == 0..<total,
                response.framing == .length(total)
            else { return misfit("the origin answers 200 with a slice") }
        }
        if let failure = unpackable(response) { return .leave(failed(failure)) }
        let origin = origin(of: response, now: now)
        if let suspicion = suspicion(of: origin, in: response) { return .leave(failed(suspicion)) }
        if let action = askAgain(insteadOf: origin) { return .leave(action) }
        if isRest(origin) { return misfit("the origin answers 200 with what may be the rest alone") }
        if let action = passOver(Self.notSlice) { return .leave(action) }
        return begin(origin, of: response)
    }

    /// Whether a 200 to a request for a range may hold no more than that range, as programs answer that heed `Range`
    /// and leave the status as it was. Asked for everything, they give everything.
    private func isRest(_ origin: Origin) -> Bool {
        guard let length = origin.length else { return asked.isPartial || asked.opening != nil }
        guard asked.isPartial, let held else { return length == asked.opening }
        let whole = held.origin.length
        if length == whole { return false }
        if let end = asked.end ?? whole, end > asked.start, length == end - asked.start { return true }
        // Another validator says that this is another entity, which `If-Range` has answered whole.
        return origin.validator == nil || origin.validator == held.origin.validator
    }

    /// A 416: what we hold is the whole entity, or does not belong to it. Where the answer does not say of what entity
    /// it speaks, the last byte does.
    private mutating func unsatisfied(_ response: TransferResponse) -> Action {
        guard asked.isPartial, let held else {
            if asked.opening != nil { return askWithoutOpening() }
            return failed(
                Failure(
                    .status, "the origin answered 416 to a request for everything", isRetryable: false, status: 416))
        }
        if case .unsatisfied(let total) = response.contentRange,
            total == held.bytes.prefixCount, total == held.bytes.upperBound,
            held.origin.length == nil || held.origin.length == total
        {
            let proof = proof(response, at: approach.url, held)
            if accepts(proof, trusting: resumesUnvalidated) {
                learn(length: total)
                return .finish(length: total)
            }
            if proof == nil, asked.start == total {
                asked = RangePlan(held: ByteRangeSet(0..<total - 1), length: total)
                return .request(request())
            }
        }
        return startOver("the origin has nothing after byte \(asked.start)")
    }

    private mutating func misfit(_ why: String) -> Judgement {
        guard asked.isPartial else {
            if asked.opening != nil { return .leave(askWithoutOpening()) }
            return .leave(failed(Failure(.protocolViolation, why, isRetryable: true)))
        }
        return .leave(startOver(why))
    }

    /// Whether a 206 of a source is of the entity that is held. Another source than the one that the bytes came from
    /// has a validator of its own, which must stay the same; that it is the same entity, a hash tells.
    /// - Parameter isTrusting: whether what proves nothing is taken though no hash will judge.
    mutating func belongs(
        _ response: TransferResponse, at place: ResourceURL, from source: Int, to held: Held,
        trusting isTrusting: Bool, now: Timestamp
    ) -> Bool {
        if !isPackedAlike(response, held) || statesOtherDigest(response) { return false }
        guard held.source != source else {
            return accepts(proof(response, at: place, held), trusting: isTrusting)
        }
        guard mixesSources else { return false }
        guard let known = sources.all[source].validator else { return true }
        return validator(of: response, now: now) == known
    }

    /// Whether what an answer is of goes together with what is held; remembers when that was not proven.
    private mutating func accepts(_ proof: Bool?, trusting isTrusting: Bool) -> Bool {
        guard proof ?? (isTrusting || mixesUnproven) else { return false }
        isUnproven = isUnproven || proof == nil
        return true
    }

    /// Whether an answer proves to be of the entity that is held, or not to be; nil when it proves neither, whatever
    /// was asked for: some origins ignore `If-Range`. That two places call their files alike proves nothing, and only a
    /// hash can tell that what they call otherwise is the same.
    private func proof(_ response: TransferResponse, at place: ResourceURL, _ held: Held) -> Bool? {
        let isContradicted = held.origin.isContradicted(by: response.fields)
        guard isPlace(place, of: held) else { return isContradicted && !isBound ? false : nil }
        if isContradicted { return false }
        switch held.origin.validator {
        case .entityTag(let tag)?:
            guard let text = response.fields.value(of: .eTag) else { return nil }
            return EntityTag(parsing: text).map { !$0.isWeak && $0.quoted == tag } ?? false
        case .lastModified(let date)?:
            // Another one that goes with the clock tells nothing.
            return response.fields.value(of: .lastModified).flatMap { held.origin.isSameDate($0, date) ? true : nil }
        case nil: return nil
        }
    }

    func isEncoded(_ response: TransferResponse) -> Bool { ContentCoding(response.fields) != .identity }

    /// Whether the bytes of an answer are kept as they are served, packed as those that are held or not at all.
    func isPackedAlike(_ response: TransferResponse, _ held: Held) -> Bool {
        !isUnpacked(response) && ContentCoding(response.fields).name == held.origin.contentCoding
    }

    /// What an answer says about its entity.
    func origin(of response: TransferResponse, now: Timestamp) -> Origin {
        let named = response.fields.value(of: .contentDisposition).flatMap(ContentDisposition.fileName).flatMap {
            FileName.safe($0)
        }
        let length: UInt64? =
            switch response.framing {
            case .length(let length): isUnpacked(response) ? nil : length
            case .chunked, .close: nil
            }
        // Also a name shows: it may hold no more than the URL that is written down.
        let shown = approach.url.redacted
        var origin = Origin(
            url: shown, length: length, validator: keptValidator(of: response, now: now),
            acceptsRanges: response.fields.value(of: .acceptRanges)?.lowercased() == "bytes",
            mediaType: response.mediaType,
            suggestedName: named ?? shown.plannedName, answeredAt: now,
            source: approach.isLed ? approach.entry.url.redacted : nil,
            contentCoding: isUnpacked(response) ? nil : ContentCoding(response.fields).name)
        addStated(by: response, to: &origin)
        origin.note(response.fields)
        if assignment.order.options.value.checksumFile != nil { origin.digest = assignment.order.expected }
        return origin
    }

    /// What the bytes of an answer can be carried on under. Of what is packed, a date says nothing: it may be packed
    /// anew for each answer. What is unpacked on the way has other bytes than any validator is of.
    private func keptValidator(of response: TransferResponse, now: Timestamp) -> Validator? {
        if isUnpacked(response) { return nil }
        let validator = validator(of: response, now: now)
        if isEncoded(response), case .lastModified = validator { return nil }
        return validator
    }

    /// The strong tag; else the modification date when it is at least a second older than the answer (RFC 9110,
    /// 8.8.2.2).
    func validator(of response: TransferResponse, now: Timestamp) -> Validator? {
        if let tag = response.fields.kept(.eTag).flatMap(EntityTag.init(parsing:)), !tag.isWeak {
            return .entityTag(tag.quoted)
        }
        guard let modified = response.fields.kept(.lastModified), let date = response.fields.value(of: .date),
            let changed = HTTPDate.parse(modified, now: now), let answered = HTTPDate.parse(date, now: now),
            changed.advanced(by: .seconds(1)) <= answered
        else { return nil }
        return .lastModified(modified)
    }

    /// A page where a file should be: captive portals, logins and soft errors answer 200 with HTML.
    /// So are answers with nothing where a finished file stands.
    private func suspicion(of origin: Origin, in response: TransferResponse) -> Failure? {
        let standing = assignment.standing
        // Where a digest will tell, it stands beside what is held until then, unless more than that tells now.
        let isTold = assignment.order.expected == nil || unexpected(origin) != nil
        let isOther = !asked.isPartial && isTold && isNoFile(origin, response)
        let isNothing = origin.length == 0 && (isOther || standing.map { $0.file.length > 0 } ?? false)
        guard isNothing || isOther || origin.mediaType == "text/html" else { return nil }
        let name = assignment.order.plannedName.lowercased()
        let isPage = name.hasSuffix(".html") || name.hasSuffix(".htm")
        let before = held.flatMap { $0.bytes.isEmpty ? nil : $0.origin } ?? standing?.origin
        let wasOther = before.map { $0.mediaType != "text/html" } ?? (standing != nil && !isPage)
        guard isNothing || isOther || wasOther || (assignment.order.expected != nil && !isPage) else { return nil }
        let answer =
            isNothing ? "with nothing" : origin.mediaType == "text/html" ? "with a web page" : "with something else"
        let advice = isOther ? "; if that is the file now, 'ledger add --again' fetches it anew" : ""
        return Failure(
            .suspicious, "the origin answered \(answer) where a file is expected; nothing was overwritten" + advice,
            isRetryable: true, status: UInt16(clamping: response.status))
    }

    /// Whether a URL is where what is held was, whatever is good for one request.
    func isPlace(_ url: ResourceURL, of held: Held) -> Bool {
        url == held.place || url.unsigned == held.place?.unsigned
    }

    func statusFailure(_ response: TransferResponse, now: Timestamp) -> Failure {
        let status = response.status
        let isPassing =
            switch status {
            case 202, 408, 425, 429: true
            case 501, 505: false
            case 500...599: true
            default: false
            }
        // A date is one of the origin's clock, which need not go as this one does.
        let answered = response.fields.value(of: .date).flatMap { HTTPDate.parse($0, now: now) } ?? now
        let wait =
            isPassing
            ? response.fields.value(of: .retryAfter).flatMap {
                RetryAfter.parse($0, now: answered, secondsMax: settings.retryAfterSecondsMax)
            } : nil
        return Failure(
            .status, "the origin answered \(status) \(StatusText.of(status))", isRetryable: isPassing,
            status: UInt16(clamping: status), retryAfterSeconds: wait)
    }
}
