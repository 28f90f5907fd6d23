import CLedgerSystem
package import LedgerModel

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The clocks of the operating system.
package struct SystemClock: LedgerClock {
    /// The clocks; there is one set of them.
    package init() {}

    /// `clock_gettime(2)` with `CLOCK_REALTIME`.
    package func now() -> Timestamp {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        let whole = nanoseconds(time)
        // Rounded down, also before 1970.
        return Timestamp(milliseconds: whole / 1_000_000 - (whole % 1_000_000 < 0 ? 1 : 0))
    }

    /// `localtime_r(3)`: by `TZ`, else `/etc/localtime`. UTC for a year that the system can not count.
    package func secondsFromUTC(at instant: Timestamp) -> Int {
        var seconds = time_t(instant.milliseconds / 1000)
        var parts = unsafe tm()
        guard unsafe localtime_r(&seconds, &parts) != nil else { return 0 }
        return unsafe parts.tm_gmtoff
    }

    /// `CLOCK_BOOTTIME` on Linux, which counts the time the machine was asleep.
    package func uptime() -> Duration { .nanoseconds(ledger_uptime_nanoseconds()) }

    /// Sleeps on Swift's `ContinuousClock`, which counts the time asleep as ``uptime()`` does; no thread is held.
    package func sleep(until deadline: Duration) async throws {
        let rest = deadline - uptime()
        if rest > .zero { try await Task.sleep(for: rest, clock: .continuous) }
        try Task.checkCancellation()
    }
}
