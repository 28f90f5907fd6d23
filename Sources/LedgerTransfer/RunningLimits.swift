package import LedgerModel
import Synchronization

/// The limits of one order as a running transfer heeds them: whoever changes the order changes them, and the transfer
/// goes on. Usable from any thread.
package final class RunningLimits: Sendable {
    /// The order's own rate.
    let limiter: RateLimiter
    private let retries: Mutex<UInt32?>

    /// The limits that an order's options name, from `now` (uptime) on.
    package init(_ options: TransferOptions, at now: Duration) {
        limiter = RateLimiter(bytesPerSecondMax: options.bytesPerSecondMax, at: now)
        retries = Mutex(options.retriesMax)
    }

    /// Takes other limits up: the rate for what arrives from `now` (uptime) on, the retries when the attempt fails.
    package func take(_ options: Shared<TransferOptions>, at now: Duration) {
        let (rate, retriesMax) = (options.value.bytesPerSecondMax, options.value.retriesMax)
        retries.withLock { $0 = retriesMax }
        if limiter.bytesPerSecondMax != rate { limiter.setRate(rate, at: now) }
    }

    /// Whether nothing that came is still to be paid for at `now` (uptime).
    package func isPaid(at now: Duration) -> Bool { limiter.pause(at: now) == .zero }

    /// How often an attempt that failed for a passing reason is made again; nil for the ledger's own number.
    var retriesMax: UInt32? { retries.withLock { $0 } }
}
