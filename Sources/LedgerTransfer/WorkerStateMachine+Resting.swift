import LedgerModel

extension WorkerStateMachine {
    /// Whether any source may give what is missing: nothing is held that can be gone on with, or what judges tells that
    /// it fits.
    var isFree: Bool { mixesSources || !canResume }

    /// The longest that a source which failed in this attempt asked to be left alone for; nil when none did.
    var longestWaitSeconds: UInt32? { failures.filter(\.isRetryable).compactMap(\.retryAfterSeconds).max() }

    /// The one failure to record: with several URLs, the words of each; worth another try when one of them was, as soon
    /// as the first of those is, or, where only one can go on with what is held, as soon as that one is.
    func blame() -> Failure {
        guard failures.count > 1 else {
            return failures.first ?? Failure(.unreachable, "no URL to ask", isRetryable: false)
        }
        let retryable = failures.filter(\.isRetryable)
        let byWait = retryable.sorted { ($0.retryAfterSeconds ?? 0) < ($1.retryAfterSeconds ?? 0) }
        let own = giverFailure.flatMap { $0.isRetryable ? $0 : nil }
        var failure = (isFree ? byWait.first : own ?? byWait.last) ?? failures[0]
        failure.message = "all \(failures.count) URLs failed: " + failures.map(\.message).joined(separator: "; ")
        return failure
    }

    /// Sources that asked to be left alone are not asked in this attempt, as long as there are others, and nothing that
    /// is held would be lost by it.
    /// - Parameter failure: what the source at a URL, as it may be written down, failed with; nil when it may be asked.
    mutating func leaveAlone(_ failure: (ResourceURL) -> Failure?) {
        guard sources.usable.count > 1, isFree else { return }
        let refusals = sources.usable.map { ($0, failure(sources.all[$0].entry.url.redacted)) }
        guard refusals.contains(where: { $0.1 == nil }) else { return }
        for case (let source, let failure?) in refusals {
            sources.drop(source)
            failures.append(failure)
        }
    }
}
