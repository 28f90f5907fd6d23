import LedgerModel

/// Origins that serve a file, but no range of it, whatever they say: some answer with a failure, some with nothing.
extension WorkerStateMachine {
    /// A request came to nothing before it was answered.
    mutating func unanswered(_ failure: Failure) -> Action {
        guard case .ahead = course, mayBeOfRange(failure) else { return failed(failure) }
        return askWithoutOpening()
    }

    /// Whether it may be the range that is refused, so that the source is to be asked for everything. The part that is
    /// held stays until that is answered.
    func mayBeOfRange(_ failure: Failure) -> Bool {
        guard asked.isPartial || asked.opening != nil else { return false }
        // Others may go on with what is held.
        if asked.isPartial, mixesSources, sources.usable != [leading] { return false }
        if let status = failure.status, [400, 403, 405, 412, 501].contains(status) { return true }
        // What may pass is taken for that when nothing else helped: what is held would be given up.
        return asked.isPartial && isLast && (failure.code == .connectionLost || failure.status == 500)
    }

    /// Whether what fails now is not tried again.
    private var isLast: Bool {
        let retriesMax = assignment.order.options.value.retriesMax ?? settings.retry.retriesMax
        return retriesMax > 0 && assignment.attemptsFailed >= retriesMax
    }
}
