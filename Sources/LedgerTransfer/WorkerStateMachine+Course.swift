import LedgerModel

extension WorkerStateMachine {
    /// Which place is asked where redirects lead elsewhere today than to what gave the bytes that are held.
    enum Course {
        /// The one that they lead to.
        case ahead
        /// The one that gave the bytes, past the redirects, which led to the other.
        case back(from: Ahead)
        /// The one that they lead to, for the first gives no more.
        case returned
    }

    /// What became of the place that redirects lead to today.
    enum Ahead {
        /// It answered, by this way.
        case answered(Approach)
        /// It refused the range.
        case refused
        /// It failed.
        case failed
    }

    /// Whether redirects lead elsewhere today than to what gave the bytes that are held.
    private var isElsewhere: Bool {
        guard asked.isPartial, let held, held.source == leading else { return false }
        return !isPlace(approach.url, of: held)
    }

    /// The other place to ask, where redirects lead elsewhere than before: first the one that gave the beginning, and
    /// if that gives no more, the one that they lead to. Nil when there is none.
    /// - Parameter failure: why the present one does not serve; nil when it answered.
    mutating func elsewhere(after failure: Failure? = nil) -> Action? {
        guard let held else { return nil }
        switch course {
        case .ahead:
            guard isElsewhere else { return nil }
            if isBackSpent {
                if failure != nil { return nil }
                course = .returned
                if takesUnproven { return nil }
                asked = everything
                return .request(request())
            }
            let recorded =
                tellsOfOther
                ? nil : sources.way(backTo: held.origin, of: leading, assignment, settings: settings)
            guard let way = sources.all[leading].way ?? recorded else { return nil }
            if let failure {
                course = .back(from: mayBeOfRange(failure) ? .refused : .failed)
                failures.append(failure)
            } else {
                course = .back(from: .answered(approach))
            }
            approach = way
            // More of it may have come since.
            asked = RangePlan(held: held.bytes, length: held.origin.length)
        case .back(.answered(let ahead)):
            (approach, course) = (ahead, .returned)
            if !takesUnproven { asked = everything }
        case .back(.refused):
            course = .returned
            return refused()
        case .back(.failed):
            course = .returned
            return nil
        case .returned: return nil
        }
        omitsIfRange = false
        return .request(request())
    }

    /// Learns by which way a body comes that is taken.
    mutating func take(_ held: Held) {
        isBack = false
        guard isPlace(approach.url, of: held) else {
            course = .returned
            return
        }
        if case .back = course { isBack = true }
        course = .ahead
        sources.learn(approach.isLed ? approach : nil, of: leading)
    }
}

extension WorkerStateMachine.Held {
    /// Whether an answer says that what is at its place is another entity.
    func isOther(by response: TransferResponse) -> Bool {
        hasOtherLength(by: response) || response.isOfEntity && origin.isContradicted(by: response.fields)
    }

    /// Whether an answer of another place, or of another machine at this one, says that it has another file. Each names
    /// its files its own way: where both say when theirs was modified, the tags tell nothing.
    func isOtherBeyondTag(by response: TransferResponse) -> Bool {
        if origin.isOfSameDate(response.fields) { return hasOtherLength(by: response) }
        return isOther(by: response)
    }

    private func hasOtherLength(by response: TransferResponse) -> Bool {
        guard response.isOfEntity, let stated = response.statedLength, let length = origin.length else { return false }
        return stated != length
    }
}

extension TransferResponse {
    /// Whether what it states is of an entity.
    fileprivate var isOfEntity: Bool { 200..<300 ~= status || status == 416 }
}
