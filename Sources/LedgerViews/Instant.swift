package import LedgerAPI
package import LedgerModel

/// An instant as people write it: RFC 3339, a date, or a length of time from now (`2h`).
package enum Instant: Hashable, Sendable {
    case at(Timestamp)
    case fromNow(TimeSpan)

    /// Parses one of the three; nil for anything else.
    package init?(parsing text: String) {
        if let time = Timestamp(rfc3339: text) {
            self = .at(time)
        } else if let span = TimeSpan(parsing: text) {
            self = .fromNow(span)
        } else {
            return nil
        }
    }

    /// The instant itself.
    package func resolved(now: Timestamp) -> Timestamp {
        switch self {
        case .at(let time): time
        case .fromNow(let span): now.advanced(by: span.duration)
        }
    }
}

extension LogPoint {
    /// Whether it comes after another point; an event and a time are not compared.
    package func isAfter(_ other: LogPoint) -> Bool {
        switch (self, other) {
        case (.sequence(let one), .sequence(let other)): one > other
        case (.time(let one), .time(let other)): one > other
        case (.sequence, .time), (.time, .sequence): false
        }
    }
}
