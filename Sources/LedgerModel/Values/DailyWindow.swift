/// A part of each day, by the clock on the wall where the ledger is held, such as 22:00-06:00.
package struct DailyWindow: Hashable, Sendable {
    /// How many minutes a day has.
    package static let minutesPerDay: UInt16 = 1440

    /// The minute of the day it opens at, 0 to 1439.
    package let start: UInt16
    /// The minute of the day it closes at, 0 to 1439; before ``start`` when it goes on past midnight.
    package let end: UInt16

    /// A window; nil when a minute is not one of a day, or when it would be empty.
    package init?(start: UInt16, end: UInt16) {
        guard start < Self.minutesPerDay, end < Self.minutesPerDay, start != end else { return nil }
        self.start = start
        self.end = end
    }

    /// Parses `HH:MM-HH:MM`; nil when it is none.
    package init?(parsing text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let start = Self.minute(parts[0]), let end = Self.minute(parts[1]) else { return nil }
        self.init(start: start, end: end)
    }

    private static func minute(_ text: Substring) -> UInt16? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        let isPlain = parts.allSatisfy { part in
            (1...2).contains(part.utf8.count) && part.utf8.allSatisfy { (48...57).contains($0) }
        }
        guard parts.count == 2, parts[1].utf8.count == 2, isPlain, let hour = UInt16(parts[0]),
            let minute = UInt16(parts[1]), minute < 60
        else { return nil }
        if hour == 24, minute == 0 { return 0 }
        return hour < 24 ? hour * 60 + minute : nil
    }
}

extension DailyWindow: CustomStringConvertible {
    /// As ``init(parsing:)`` reads it.
    package var description: String { "\(Self.text(start))-\(Self.text(end))" }

    private static func text(_ minute: UInt16) -> String {
        let (hour, rest) = minute.quotientAndRemainder(dividingBy: 60)
        return (hour < 10 ? "0" : "") + "\(hour):" + (rest < 10 ? "0" : "") + "\(rest)"
    }
}
