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
        guard asked.isPartial || asked.opening != nil, refusal == .none || refusal == .doubted else { return false }
        if refusesRanges(failure) { return true }
        // What may pass is taken for that when nothing else helped: what is held would be given up.
        guard asked.isPartial, isLast else { return false }
        switch failure.code {
        case .connectionLost, .silence: return true
        case .status: return failure.isRetryable && !failure.isBusy
        default: return false
        }
    }

    /// Whether a failure is how origins refuse ranges of what they serve.
    func refusesRanges(_ failure: Failure) -> Bool {
        failure == Self.notSlice || failure.status.map { [400, 403, 405, 412, 501].contains($0) } ?? false
    }

    /// A source that can not go on with what is held, and may give everything.
    struct Aside {
        let source: Int
        /// Why it has another file; nil where it is ranges that it refuses.
        let other: Failure?
    }

    /// A source is asked no more, as long as there are others: it refuses ranges, or has another file.
    mutating func setAside(_ source: Int, having other: Failure? = nil) {
        guard !sources.all[source].isDropped else { return }
        sources.drop(source)
        aside.append(Aside(source: source, other: other))
    }

    /// Whether anyone but this source may be asked: another one, or one that gives everything and no ranges.
    /// - Parameter isLost: whether one that has another file may be, for what is held can not be made whole.
    func hasOther(than source: Int, givingUp isLost: Bool = false) -> Bool {
        aside.contains { isLost || $0.other == nil } || sources.usable.contains { $0 != source }
    }

    /// Another file is fetched: who had another than the one before may have it.
    mutating func takeUpOthers() {
        for aside in aside where aside.other != nil { sources.takeUp(aside.source) }
        aside.removeAll { $0.other != nil }
    }

    /// What is held is the file: who has another is asked no more, and that goes on record.
    mutating func proved() {
        let others = aside
        takeUpOthers()
        for aside in others { aside.other.map { drop(aside.source, $0) } }
    }

    /// The source that leads refuses ranges: others go on with what is held, where there are any and a hash will judge;
    /// else it is asked for everything.
    mutating func refused() -> Action {
        guard asked.isPartial else { return askWithoutOpening() }
        if mixesSources, sources.usable.contains(where: { $0 != leading }) {
            setAside(leading)
            return next()
        }
        if mixesSources, awaitsOthers { return .fail(blame()) }
        refusal = refusal == .none ? .seen : .certain
        return askWithoutOpening()
    }

    /// Nobody else could go on: one that was set aside is asked for everything; nil when none may be. What is held may
    /// be right where another has another file: that one is not asked as long as what failed may pass.
    mutating func askAside() -> Action? {
        let refuser = aside.lastIndex { $0.other == nil }
        guard let index = refuser ?? (failures.contains(where: \.isRetryable) ? nil : aside.indices.last) else {
            return nil
        }
        let source = aside.remove(at: index).source
        sources.takeUp(source)
        refusal = refuser == nil ? .none : .seen
        return askWithoutOpening()
    }

    /// Another source than the one that gave what is held would have it begin anew, which may serve again in a moment:
    /// it is not asked for that now. Nil where it may be.
    mutating func passOver() -> Action? {
        guard asked.isPartial, let held, held.source != leading, mixesSources, awaitsOthers else { return nil }
        setAside(leading)
        return sources.usable.isEmpty ? .fail(blame()) : next()
    }

    /// Whether what passes is waited for, once and not for long, before what is held is given up for what others have.
    var awaitsOthers: Bool {
        guard assignment.attemptsFailed == 0, isTriedAgain, canResume else { return false }
        return failures.contains { failure in
            failure.isRetryable && .seconds(failure.retryAfterSeconds ?? 0) <= settings.retry.cap
        }
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
