package import LedgerModel
import Synchronization

/// The limits of one order as a running transfer heeds them: whoever changes the order changes them, and the transfer
/// goes on. Usable from any thread.
package final class RunningLimits: Sendable {
    /// The order's own rate.
    package let limiter: RateLimiter
    /// Whether the transfer before this one was stopped before all that it brought was paid for: that comes first.
    let isOwing: Bool
    private let retries: Mutex<UInt32?>

    /// The limits that an order's options name, from `now` (uptime) on.
    /// - Parameter owing: the limiter of the transfer before this one, where that was stopped owing something.
    package init(_ options: TransferOptions, at now: Duration, owing: RateLimiter? = nil) {
        limiter = owing ?? RateLimiter(bytesPerSecondMax: options.bytesPerSecondMax, at: now)
        isOwing = owing != nil
        retries = Mutex(options.retriesMax)
        owing?.setRate(options.bytesPerSecondMax, at: now)
    }

    /// Takes other limits up: the rate for what arrives from `now` (uptime) on, the retries when the attempt fails.
    package func take(_ options: Shared<TransferOptions>, at now: Duration) {
        let (rate, retriesMax) = (options.value.bytesPerSecondMax, options.value.retriesMax)
        retries.withLock { $0 = retriesMax }
        if limiter.bytesPerSecondMax != rate { limiter.setRate(rate, at: now) }
    }

    /// How often an attempt that failed for a passing reason is made again; nil for the ledger's own number.
    var retriesMax: UInt32? { retries.withLock { $0 } }
}
