import LedgerModel
import LedgerSystem

/// When an attempt that failed is made again.
extension Attempt {
    /// How many failures the wait grows with while an origin is busy with our own downloads: half a minute at most, by
    /// the usual curve, so that one that is free again is soon asked.
    private static let busyFailuresMax: UInt32 = 6

    /// How often this download is tried again.
    var retriesMax: UInt32 { limits.retriesMax ?? worker.settings.retry.retriesMax }

    /// Whether a failure says nothing against this download. Who wants no attempt made again is told of each.
    func isExcused(_ failure: Failure) -> Bool {
        retriesMax > 0 && (failure.isExcused || failure.code == .diskFull || failure.isBusy && servesOthers)
    }

    /// The instant to try again; nil when that would not help or the retries are used up.
    /// - Parameters:
    ///   - gained: how many bytes more than before are held. Any are progress, and the retries begin anew; where hardly
    ///     any come again and again, the waits grow all the same: else a request could be made for each byte.
    ///   - beginnings: how often the file was begun anew, or lost parts of it.
    func retryAt(after failure: Failure, gained: UInt64, beginnings: UInt32) -> Timestamp? {
        let crawled = worker.crawling.note(assignment.lease.id, bytes: gained)
        let isFirst = gained > 0 || assignment.isExcused && !failure.isExcused
        let failuresBefore = max(isFirst ? 0 : assignment.attemptsFailed, beginnings)
        var failure = failure
        // The last attempt asks all: it waits for every source that asked to be left alone.
        if !failure.isExcused, failuresBefore.addingReportingOverflow(1).partialValue == retriesMax {
            failure.retryAfterSeconds = withState { $0.machine.longestWaitSeconds } ?? failure.retryAfterSeconds
        }
        let (policy, now, jitter) = (worker.settings.retry, worker.clock.now(), worker.jitter())
        // Busy with our own downloads, the origin is asked until they are through.
        let instant = policy.retryAt(
            after: failure,
            failuresBefore: failure.isExcused ? min(failuresBefore, Self.busyFailuresMax) : failuresBefore,
            retriesMax: failure.isExcused ? .max : retriesMax, now: now, jitter: jitter)
        guard let instant, gained > 0, crawled > 0 else { return instant }
        let wait = policy.delay(afterFailure: min(crawled, Self.busyFailuresMax + 1), jitter: jitter)
        return max(instant, now.advanced(by: wait))
    }

    /// The origin of the source that leads serves this download from now on, until it ends.
    func noteServed() {
        let origin = withState { state -> String? in
            guard state.servedBy == nil else { return nil }
            state.servedBy = state.machine.leadingOrigin
            return state.servedBy
        }
        if let origin { worker.origins.begin(origin) }
    }

    /// Whether the origin that leads serves other downloads of ours now.
    private var servesOthers: Bool {
        let (leading, servedBy) = withState { ($0.machine.leadingOrigin, $0.servedBy) }
        return worker.origins.served(by: leading) > (servedBy == leading ? 1 : 0)
    }
}
