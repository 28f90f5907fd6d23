import LedgerModel

extension WorkerStateMachine {
    /// Which place is asked where redirects lead elsewhere today than to what gave the bytes that are held.
    enum Course {
        /// The one that they lead to.
        case ahead
        /// The one that gave the bytes, past the redirects, which led to the other.
        case back(from: Approach)
        /// The one that they lead to, for the first gives no more.
        case returned
    }

    /// Whether redirects lead elsewhere today than to what gave the bytes that are held.
    private var isElsewhere: Bool {
        guard asked.isPartial, let held, held.source == leading else { return false }
        return !isPlace(approach.url, of: held)
    }

    /// The other place to ask, where redirects lead elsewhere than before: first the one that gave the beginning, and
    /// if that gives no more, the one that they lead to. Nil when there is none.
    mutating func elsewhere() -> Action? {
        switch course {
        case .ahead:
            guard isElsewhere, let held else { return nil }
            let recorded =
                tellsOfOther
                ? nil : sources.way(backTo: held.origin, of: leading, assignment, settings: settings)
            guard let way = sources.all[leading].way ?? recorded else { return nil }
            (approach, course) = (way, .back(from: approach))
            // More of it may have come since.
            asked = RangePlan(held: held.bytes, length: held.origin.length)
        case .back(let ahead):
            (approach, course) = (ahead, .returned)
            if !takesUnproven { asked = everything }
        case .returned: return nil
        }
        return .request(request())
    }

    /// Takes an answer to a request for the rest into account: from another place than before it is not looked at as
    /// long as the first one may give it.
    mutating func elsewhere(than response: TransferResponse) -> Action? {
        guard case .ahead = course, isElsewhere, let held else { return nil }
        let length = response.statedLength
        tellsOfOther =
            held.origin.isContradicted(by: response.fields)
            || length.map { $0 != held.origin.length ?? $0 } ?? false
        return elsewhere()
    }

    /// Learns by which way a body comes that is taken; from here on its end says nothing against the place.
    mutating func take(_ held: Held) {
        course = .ahead
        if approach.isLed, isPlace(approach.url, of: held) { sources.learn(approach, of: leading) }
    }
}
