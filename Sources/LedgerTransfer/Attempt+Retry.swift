import LedgerModel
import LedgerSystem

/// When an attempt that failed is made again.
extension Attempt {
    /// How many failures the wait grows with while an origin is busy with our own downloads: half a minute at most, by
    /// the usual curve, so that one that is free again is soon asked.
    private static let busyFailuresMax: UInt32 = 6

    /// How often this download is tried again.
    var retriesMax: UInt32 { limits.retriesMax ?? worker.settings.retry.retriesMax }

    /// How many attempts failed before this one, as far as they count for it; says of `failure` whether it counts.
    func failuresBefore(_ failure: inout Failure, _ hasProgressed: Bool) -> UInt32 {
        failure.isExcused = failure.code == .diskFull || failure.isBusy && retriesMax > 0 && servesOthers
        return hasProgressed || assignment.isExcused && !failure.isExcused ? 0 : assignment.attemptsFailed
    }

    /// The instant to try again; nil when that would not help or the retries are used up.
    func retryAt(after failure: Failure, failuresBefore: UInt32) -> Timestamp? {
        // Busy with our own downloads, the origin is asked until they are through.
        worker.settings.retry.retryAt(
            after: failure,
            failuresBefore: failure.isExcused ? min(failuresBefore, Self.busyFailuresMax) : failuresBefore,
            retriesMax: failure.isExcused ? .max : retriesMax, now: worker.clock.now(), jitter: worker.jitter())
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
