package import LedgerModel

/// A `Retry-After` field (RFC 9110, section 10.2.3).
package enum RetryAfter {
    /// The longest wait an origin may impose, in seconds: an hour. A longer one is cut to it.
    package static let retryAfterSecondsMax: UInt32 = 3600

    /// Parses seconds or a date; a date that has passed means 0, a wait beyond `secondsMax` means `secondsMax`.
    /// Returns nil for anything else, so that the caller's own backoff applies.
    package static func parse(
        _ text: String, now: Timestamp, secondsMax: UInt32 = retryAfterSecondsMax
    ) -> UInt32? {
        let trimmed = Array(text.utf8).trimmedText
        if !trimmed.isEmpty, trimmed.utf8.allSatisfy({ (48...57).contains($0) }) {
            return min(UInt32(trimmed) ?? secondsMax, secondsMax)
        }
        guard let date = HTTPDate.parse(trimmed, now: now) else { return nil }
        let seconds = (date.milliseconds - now.milliseconds + 999) / 1000
        return UInt32(clamping: min(max(seconds, 0), Int64(secondsMax)))
    }
}
