/// A wall-clock instant in whole milliseconds since 1970-01-01T00:00:00Z. Recorded for people, never used for order.
public struct Timestamp: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// Milliseconds since the epoch of POSIX; negative before it.
    public let milliseconds: Int64

    /// The instant this many milliseconds after the epoch.
    public init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// The epoch itself.
    public static let epoch = Timestamp(milliseconds: 0)

    /// The instant `duration` later (earlier when negative); saturates instead of overflowing.
    public func advanced(by duration: Duration) -> Timestamp {
        // Not by its components: the sum of two lengths of time may have more seconds than 64 bits hold.
        let delta = duration.attoseconds / 1_000_000_000_000_000
        return Timestamp(milliseconds: Int64(clamping: Int128(milliseconds) + delta))
    }

    /// The time from this instant to `other`; negative when `other` is earlier.
    public func duration(to other: Timestamp) -> Duration {
        // Seconds first: the distance of the two ends does not fit 64 bits of milliseconds.
        let (seconds, rest) = (Int128(other.milliseconds) - Int128(milliseconds)).quotientAndRemainder(dividingBy: 1000)
        return .seconds(Int64(seconds)) + .milliseconds(Int64(rest))
    }

    /// Days since 1970-01-01 in UTC; negative before it.
    public var day: Int32 {
        Int32(clamping: milliseconds.flooredDivision(by: 86_400_000).quotient)
    }

    public static func < (one: Self, other: Self) -> Bool { one.milliseconds < other.milliseconds }

    public var description: String { rfc3339 }
}
