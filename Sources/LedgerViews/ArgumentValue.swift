package import LedgerAPI
package import LedgerModel

/// What a value on the command line should have been; Argument Parser puts it behind "The value ... is invalid for".
package struct BadValue: Error, CustomStringConvertible {
    /// A clause without a full stop.
    package let description: String
}

/// A value that can say in words what a text must be to mean one.
package protocol ArgumentValue: Sendable {
    /// What may stand there, such as "a rate such as 500K".
    static var expected: String { get }

    /// The value that a text means; nil when it means none.
    init?(argument: String)
}

extension ArgumentValue {
    /// The value that a text means.
    /// - Throws: ``BadValue``.
    @Sendable package static func parse(_ text: String) throws -> Self {
        guard let value = Self(argument: text) else { throw BadValue(description: "it should be " + expected) }
        return value
    }
}

extension FixedWidthInteger where Self: Sendable {
    /// A parser of whole numbers within `range`.
    package static func within(_ range: ClosedRange<Self>) -> @Sendable (String) throws -> Self {
        { text in
            guard let number = Self(text), range.contains(number) else {
                throw BadValue(
                    description: "it should be a whole number from \(range.lowerBound) to \(range.upperBound)")
            }
            return number
        }
    }
}

extension ByteSize: ArgumentValue {
    package static let expected = "a number of bytes such as 4096, 500K or 2M, and 0 for no limit"

    package init?(argument: String) { self.init(parsing: argument) }
}

extension TimeSpan: ArgumentValue {
    package static let expected = "a length of time such as 90s, 12h or 30d"

    package init?(argument: String) { self.init(parsing: argument) }

    /// The length that a text with a unit means: 90 is seconds to the one and days to the other, which matters where
    /// what is older goes for good.
    /// - Throws: ``BadValue``.
    @Sendable package static func parseWithUnit(_ text: String) throws -> Self {
        guard text == "0" || text.last?.isLetter ?? true else {
            throw BadValue(description: "it should have a unit, such as 90d")
        }
        return try parse(text)
    }
}

/// How often a feed or a catalog is read.
package struct ReadingInterval: Hashable, Sendable, ArgumentValue {
    /// From a minute to a year.
    package let seconds: UInt32

    package static let expected = "a length of time from 1m to 366d, such as 30m or 1d"

    package init?(argument: String) {
        let bounds = Listing.intervalSecondsMin...Listing.intervalSecondsMax
        guard let span = TimeSpan(parsing: argument), let seconds = UInt32(exactly: span.milliseconds / 1000),
            bounds.contains(seconds)
        else { return nil }
        self.seconds = seconds
    }
}

/// A longest silence: a length of time that is not nothing.
package struct Silence: Hashable, Sendable, ArgumentValue {
    /// The length.
    package let span: TimeSpan

    package static let expected = "a length of time from 1ms to 49d, such as 30, 90s or 2m"

    package init?(argument: String) {
        guard let span = TimeSpan(parsing: argument), (1...Int64(UInt32.max)).contains(span.milliseconds) else {
            return nil
        }
        self.span = span
    }

    /// The length in milliseconds.
    package var milliseconds: UInt32 { span.milliseconds32 }
}

/// The hours of the day in which something may run: a window, or all of them.
package struct DailyHours: Hashable, ArgumentValue {
    /// Nil for all hours.
    package let window: DailyWindow?

    package static let expected = "two times of the day such as 22:00-06:00, or \(ChangeRequest.always)"

    package init?(argument: String) {
        if argument == ChangeRequest.always {
            window = nil
        } else {
            guard let parsed = DailyWindow(parsing: argument) else { return nil }
            window = parsed
        }
    }
}

/// How much longer each wait is than the one before.
package struct GrowthFactor: Hashable, ArgumentValue {
    /// 1 or more.
    package let value: Double

    package static let expected = "a number from 1 to 100, such as 2 or 1.5"

    package init?(argument: String) {
        guard let value = Double(argument), (1...100).contains(value) else { return nil }
        self.value = value
    }
}

extension QueuePolicy: ArgumentValue {
    package static let expected = allCases.map(\.rawValue).joined(separator: ", ")

    package init?(argument: String) { self.init(rawValue: argument) }
}

extension Instant: ArgumentValue {
    package static let expected = "a time such as 2026-03-02T10:00:00Z, a date, or a length of time from now such as 2h"

    package init?(argument: String) { self.init(parsing: argument) }
}

/// A sequence number, or a time as RFC 3339 or a date.
extension LogPoint: ArgumentValue {
    package static let expected = "the number of an event, a time such as 2026-03-02T10:00:00Z, or a date"

    package init?(argument: String) {
        if let sequence = UInt64(argument) {
            self = .sequence(SequenceNumber(sequence))
        } else if let time = Timestamp(rfc3339: argument) {
            self = .time(time)
        } else {
            return nil
        }
    }
}

extension DownloadID: ArgumentValue {
    package static let expected = "the number of a download, 1 or more, as 'ledger list' shows it"

    package init?(argument: String) {
        guard let number = UInt64(argument), number > 0 else { return nil }
        self.init(number)
    }
}

extension SequenceNumber: ArgumentValue {
    package static let expected = "the number of an event, 1 or more, as 'ledger replay' shows it"

    package init?(argument: String) {
        guard let number = UInt64(argument), number > 0 else { return nil }
        self.init(number)
    }
}

/// A place in the queue: `first`, `last`, or the n-th.
extension Placement: ArgumentValue {
    package static let expected = "first, last, or a whole number from 1 on"

    package init?(argument: String) {
        switch argument {
        case "first": self = .first
        case "last": self = .last
        default:
            guard let index = Int(argument), index > 0 else { return nil }
            self = .index(index)
        }
    }
}

/// A share of a whole that is not nothing.
package struct Percent: Hashable, ArgumentValue {
    /// More than 0, at most 100.
    package let value: Double

    package static let expected = "a number more than 0 and at most 100, such as 5 or 0.1"

    package init?(argument: String) {
        let number = argument.hasSuffix("%") ? argument.dropLast() : argument[...]
        guard let value = Double(number), value > 0, value <= 100 else { return nil }
        self.value = value
    }
}

/// How long between two times that something is done.
package struct Period: Hashable, ArgumentValue {
    /// The length.
    package let span: TimeSpan

    package static let expected = "a length of time of a second or more, such as 90s, 1h or 7d"

    package init?(argument: String) {
        guard let span = TimeSpan(parsing: argument), span.milliseconds >= 1000 else { return nil }
        self.span = span
    }
}
