import LedgerModel
import Synchronization

/// The places that asked to be left alone for a while (`Retry-After`, RFC 9110, section 10.2.3): a download that has
/// others is served by those meanwhile. Forgotten when the process ends; then each is asked once more.
final class RestingPlaces: Sendable {
    /// How many are remembered; beyond it all are forgotten.
    static let placesMax = 1024

    private let rests = Mutex<[ResourceURL: Rest]>([:])

    private struct Rest {
        let failure: Failure
        /// The uptime at which it may be asked again.
        let end: Duration
    }

    /// A place, as it may be written down, failed so.
    func note(_ place: ResourceURL, _ failure: Failure, at now: Duration) {
        guard let seconds = failure.retryAfterSeconds, seconds > 0 else { return }
        rests.withLock { rests in
            if rests.count >= Self.placesMax { rests = [:] }
            rests[place] = Rest(failure: failure, end: now + .seconds(Int64(seconds)))
        }
    }

    /// What a place failed with that is to be left alone now, with the seconds that are left; nil when it may be asked.
    func failure(of place: ResourceURL, at now: Duration) -> Failure? {
        guard let rest = rests.withLock({ $0[place] }), rest.end > now else { return nil }
        var failure = rest.failure
        failure.retryAfterSeconds = UInt32(clamping: (rest.end - now).components.seconds + 1)
        return failure
    }
}
