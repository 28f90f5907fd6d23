/// A wall-clock instant in whole milliseconds since 1970-01-01T00:00:00Z. Recorded for people, never used for order.
package struct Timestamp: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// Milliseconds since the epoch of POSIX; negative before it.
    package let milliseconds: Int64

    /// The instant this many milliseconds after the epoch.
    package init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// The epoch itself.
    package static let epoch = Timestamp(milliseconds: 0)

    /// The instant `duration` later (earlier when negative); saturates instead of overflowing.
    package func advanced(by duration: Duration) -> Timestamp {
        let (seconds, attoseconds) = duration.components
        let delta = seconds.multipliedReportingOverflow(by: 1000)
        let sum = milliseconds.addingReportingOverflow(delta.partialValue + attoseconds / 1_000_000_000_000_000)
        if delta.overflow || sum.overflow { return Timestamp(milliseconds: seconds < 0 ? .min : .max) }
        return Timestamp(milliseconds: sum.partialValue)
    }

    /// The time from this instant to `other`; negative when `other` is earlier.
    package func duration(to other: Timestamp) -> Duration {
        .milliseconds(other.milliseconds.subtractingReportingOverflow(milliseconds).partialValue)
    }

    package static func < (one: Self, other: Self) -> Bool { one.milliseconds < other.milliseconds }

    package var description: String { rfc3339 }
}
