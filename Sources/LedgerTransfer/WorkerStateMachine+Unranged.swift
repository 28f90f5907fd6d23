import LedgerModel

/// Origins that serve a file, but no range of it, whatever they say: some answer with a failure, some with nothing.
extension WorkerStateMachine {
    /// What is known of a source that may refuse ranges.
    enum Refusal: Hashable {
        /// Nothing of the kind.
        case none
        /// It refused one, and is asked for everything.
        case seen
        /// It would give everything, and it is the very file that is held: it is asked for the range once more.
        case doubted
        /// It refused that too.
        case certain
    }

    /// A request came to nothing before it was answered.
    mutating func unanswered(_ failure: Failure) -> Action {
        guard case .ahead = course, mayBeOfRange(failure) else { return failed(failure) }
        return elsewhere(after: failure) ?? refused()
    }

    /// Whether it may be the range that is refused, so that the source is to be asked for everything: once in an
    /// attempt, for what is fetched then can not be continued. The part that is held stays until that is answered.
    func mayBeOfRange(_ failure: Failure) -> Bool {
        // What may not be the file is left for what is held first.
        guard !isDoubtful else { return false }
        guard asked.isPartial || asked.opening != nil, refusal == .none || refusal == .doubted else { return false }
        if refusesRanges(failure) { return true }
        // What may pass is taken for that when nothing else helped: what is held would be given up.
        guard asked.isPartial, isLast else { return false }
        switch failure.code {
        case .connectionLost, .silence: return true
        case .status: return failure.isRetryable
        default: return false
        }
    }

    /// Whether a failure is how origins refuse ranges of what they serve.
    func refusesRanges(_ failure: Failure) -> Bool {
        failure == Self.notSlice || failure.status.map { [400, 403, 405, 412, 501].contains($0) } ?? false
    }

    /// A source that does not go on with what is held, and may give everything.
    struct Aside {
        let source: Int
        /// Why it does not.
        let failure: Failure
        /// Whether it is for having another file.
        var isOfOther: Bool { failure.code == .entityChanged }
    }

    /// A source is asked no more, as long as there are others.
    mutating func setAside(_ source: Int, _ failure: Failure) {
        guard !sources.all[source].isDropped else { return }
        sources.drop(source)
        aside.append(Aside(source: source, failure: failure))
    }

    /// A source that others are much faster than is asked no more, as long as there are others; returns whether it was.
    mutating func leave(_ source: Int, _ failure: Failure) -> Bool {
        guard !sources.all[source].isDropped, sources.usable != [source] else { return false }
        drop(source, failure)
        return true
    }

    /// A source beside the leading one serves no stream: it is asked no more, except for everything where what it
    /// refuses is ranges.
    mutating func dismiss(_ source: Int, _ failure: Failure) {
        guard !sources.all[source].isDropped else { return }
        if refusesRanges(failure) { return setAside(source, failure) }
        drop(source, failure)
        failures.append(failure)
    }

    /// Whether anyone but this source may be asked: another one, or one that was set aside.
    /// - Parameter isLost: whether what is held can not be made whole.
    func hasOther(than source: Int, givingUp isLost: Bool) -> Bool {
        aside.contains { !$0.isOfOther || isLost && !mayPass } || sources.usable.contains { $0 != source }
    }

    /// Whether one that failed in this attempt is asked again by a retry.
    private var mayPass: Bool { isTriedAgain && failures.contains(where: \.isRetryable) }

    /// Another file is fetched: who had another than the one before may have it.
    mutating func takeUpOthers() {
        for aside in aside where aside.isOfOther { sources.takeUp(aside.source) }
        aside.removeAll(where: \.isOfOther)
    }

    /// What is held was judged to be the file: who has another is asked no more, and that goes on record.
    mutating func proved() {
        guard isJudged else { return }
        for aside in aside where aside.isOfOther { drop(aside.source, aside.failure) }
    }

    /// The source that leads refuses ranges: it is asked for everything, unless others go on with what is held.
    mutating func refused() -> Action {
        guard asked.isPartial else { return askWithoutOpening() }
        if let action = passOver(Self.notSlice) { return action }
        refusal = refusal == .none ? .seen : .certain
        return askWithoutOpening()
    }

    /// The source that leads does not go on with what is held: others are asked to, where a hash will judge, or waited
    /// for. Nil where nobody is left but this one.
    mutating func passOver(_ failure: Failure) -> Action? {
        guard asked.isPartial, mixesSources else { return nil }
        if sources.usable.contains(where: { $0 != leading }) {
            setAside(leading, failure)
            return next()
        }
        return waits(for: failures) ? .fail(blame()) : nil
    }

    /// Nobody else could go on: one that was set aside is asked for everything, first who refuses ranges; nil when none
    /// may be. What is held may be right where another has another file: that one is not asked as long as what failed
    /// may pass.
    mutating func askAside() -> Action? {
        let refuser = aside.lastIndex { !$0.isOfOther }
        guard let index = refuser ?? (mayPass ? nil : aside.indices.last) else { return nil }
        if waits(for: failures) { return .fail(blame()) }
        let source = aside.remove(at: index).source
        sources.takeUp(source)
        lead(source)
        if refuser != nil { refusal = .seen }
        return askWithoutOpening()
    }

    /// How much that is held is worth a second of waiting, in bytes.
    private static let secondBytes: UInt64 = 1 << 20

    /// Whether one of these is waited for before what is held is given up for what others have: once, and no longer
    /// than that would take to come again.
    func waits(for failures: [Failure]) -> Bool {
        // It begins to count anew with each progress.
        let heldBytes = held?.bytes.count ?? 0
        let isFirst = assignment.attemptsFailed == 0 || heldBytes > assignment.durable.ranges.count
        guard isFirst, isTriedAgain, canResume else { return false }
        let waitMax = min(.seconds(Int64(heldBytes / Self.secondBytes)), settings.retry.cap)
        return failures.contains { $0.isRetryable && .seconds($0.retryAfterSeconds ?? 0) <= waitMax }
    }

    /// The range is asked for once more, without `If-Range`, where an answer with everything is of the very file that
    /// is held. Some answer that field so though nothing has changed, some refuse a range for its sake, or for a
    /// moment.
    mutating func askAgain(insteadOf origin: Origin) -> Action? {
        guard origin.acceptsRanges, let held, !held.bytes.isEmpty, let validator = held.origin.validator,
            origin.validator == validator, origin.length == held.origin.length
        else { return nil }
        if refusal == .seen {
            (refusal, asked) = (.doubted, RangePlan(held: held.bytes, length: held.origin.length))
        } else if !asked.isPartial || omitsIfRange {
            return nil
        }
        omitsIfRange = true
        return .request(request())
    }

    /// Whether what fails now, and was tried again before, is not any more.
    private var isLast: Bool { retriesMax > 0 && assignment.attemptsFailed >= retriesMax }

    /// Whether what fails now is tried again, also by the count of beginnings.
    var isTriedAgain: Bool { max(assignment.attemptsFailed, assignment.origin?.beginnings ?? 0) < retriesMax }

    private var retriesMax: UInt32 { assignment.order.options.value.retriesMax ?? settings.retry.retriesMax }
}
