package import LedgerModel

/// The three forms of a date in HTTP (RFC 9110, section 5.6.7).
package enum HTTPDate {
    /// Parses `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT` or `Sun Nov  6 08:49:37 1994`.
    ///
    /// A year of two digits that would lie more than 50 years after `now` is taken a century earlier, as the RFC says.
    /// The weekday is not looked at. Returns nil for anything else.
    package static func parse(_ text: String, now: Timestamp) -> Timestamp? {
        let words = text.split(whereSeparator: { $0 == " " || $0 == "," || $0 == "-" }).map(String.init)
        switch words.count {
        case 6:
            guard ["GMT", "UTC", "+0000"].contains(words[5].uppercased()) else { return nil }
            guard let day = number(words[1], 1...2), let month = month(words[2]) else { return nil }
            guard var year = number(words[3], 2...4) else { return nil }
            if words[3].utf8.count == 2 { year = century(of: now, year) }
            return instant(year, month, day, words[4])
        case 5:
            guard let month = month(words[1]), let day = number(words[2], 1...2), let year = number(words[4], 4...4)
            else { return nil }
            return instant(year, month, day, words[3])
        default:
            return nil
        }
    }

    private static func instant(_ year: Int64, _ month: Int64, _ day: Int64, _ time: String) -> Timestamp? {
        let parts = time.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, let hour = number(parts[0], 2...2), let minute = number(parts[1], 2...2),
            let second = number(parts[2], 2...2), (1...31).contains(day), hour < 24, minute < 60, second < 61
        else { return nil }
        let seconds = Timestamp.days(year: year, month: month, day: day) * 86_400 + hour * 3600 + minute * 60 + second
        return Timestamp(milliseconds: seconds * 1000)
    }

    private static func century(of now: Timestamp, _ twoDigits: Int64) -> Int64 {
        let year = Int64(now.rfc3339.prefix(4)) ?? 2000
        let guess = year - year % 100 + twoDigits
        return guess > year + 50 ? guess - 100 : guess
    }

    private static func month(_ word: String) -> Int64? {
        let names = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
        return names.firstIndex(of: word.lowercased()).map { Int64($0) + 1 }
    }

    private static func number(_ word: String, _ digits: ClosedRange<Int>) -> Int64? {
        guard digits.contains(word.utf8.count), word.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return Int64(word)
    }
}
