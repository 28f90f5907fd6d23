package import LedgerModel
import Synchronization

/// The limits of one order as a running transfer heeds them: whoever changes the order changes them, and the transfer
/// goes on. Usable from any thread.
package final class RunningLimits: Sendable {
    /// The order's own rate.
    let limiter: RateLimiter
    private let options: Mutex<TransferOptions>

    /// The limits that an order's options name.
    package init(_ options: TransferOptions) {
        limiter = RateLimiter(bytesPerSecondMax: options.bytesPerSecondMax)
        self.options = Mutex(options)
    }

    /// Takes other limits up: the rate for what arrives from `now` (uptime) on, the retries when the attempt fails.
    package func take(_ options: TransferOptions, at now: Duration) {
        let old = self.options.withLock { held in
            defer { held = options }
            return held
        }
        if old.bytesPerSecondMax != options.bytesPerSecondMax {
            limiter.setRate(options.bytesPerSecondMax, at: now)
        }
    }

    /// How often an attempt that failed for a passing reason is made again; nil for the ledger's own number.
    var retriesMax: UInt32? { options.withLock { $0.retriesMax } }
}
