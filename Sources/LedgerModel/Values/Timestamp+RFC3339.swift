extension Timestamp {
    /// The instant that ``rfc3339`` tells: itself, but for years that have no four digits.
    package var written: Timestamp {
        Timestamp(milliseconds: min(max(milliseconds, Self.yearZero), Self.yearTenThousand - 1))
    }

    /// `2026-03-02T10:11:12.345Z`: RFC 3339 in UTC with milliseconds.
    ///
    /// Years outside 0 to 9999 are clamped to those ends, since RFC 3339 has four digits for a year.
    package var rfc3339: String {
        let (days, inDay) = written.milliseconds.flooredDivision(by: 86_400_000)
        let (year, month, day) = civil(fromDays: days)
        let seconds = inDay / 1000
        // Bytes, not texts put together: a list shows up to five of these for each of a million downloads.
        var text: [UInt8] = []
        text.reserveCapacity(24)
        text.append(year, width: 4, UInt8(ascii: "-"))
        text.append(month, width: 2, UInt8(ascii: "-"))
        text.append(day, width: 2, UInt8(ascii: "T"))
        text.append(seconds / 3600, width: 2, UInt8(ascii: ":"))
        text.append(seconds / 60 % 60, width: 2, UInt8(ascii: ":"))
        text.append(seconds % 60, width: 2, UInt8(ascii: "."))
        text.append(inDay % 1000, width: 3, UInt8(ascii: "Z"))
        return String(decoding: text, as: UTF8.self)
    }

    /// Parses RFC 3339 (`2026-03-02T10:11:12.345+01:00`), or a date alone, which means its first instant in UTC.
    ///
    /// Returns nil when the text is neither. A fraction finer than a millisecond is cut; a leap second counts as the
    /// second after it.
    package init?(rfc3339 text: String) {
        var rest = Substring(text)
        guard let year = rest.number(4), rest.take("-"), let month = rest.number(2), rest.take("-"),
            let day = rest.number(2), (1...12).contains(month), (1...31).contains(day)
        else { return nil }
        let days = Timestamp.days(year: year, month: month, day: day)
        let check = civil(fromDays: days)
        guard check.month == month, check.day == day else { return nil }
        guard !rest.isEmpty else {
            self.init(milliseconds: days * 86_400_000)
            return
        }
        guard rest.take("T") || rest.take("t") || rest.take(" "), let hour = rest.number(2), rest.take(":"),
            let minute = rest.number(2), rest.take(":"), let second = rest.number(2),
            hour < 24, minute < 60, second < 61
        else { return nil }
        var milliseconds: Int64 = 0
        if rest.take(".") {
            let fraction = rest.prefix { $0.isASCII && $0.isNumber }
            guard !fraction.isEmpty else { return nil }
            rest.removeFirst(fraction.count)
            milliseconds = Int64((fraction + "00").prefix(3)) ?? 0
        }
        guard let offset = rest.offsetMinutes(), rest.isEmpty else { return nil }
        self.init(
            milliseconds: days * 86_400_000 + ((hour * 60 + minute - offset) * 60 + second) * 1000 + milliseconds)
    }

    /// Days from the epoch to a civil date of the proleptic Gregorian calendar (Hinnant, "days_from_civil").
    package static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
        let year = month <= 2 ? year - 1 : year
        let (era, yearOfEra) = year.flooredDivision(by: 400)
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static let yearZero = days(year: 0, month: 1, day: 1) * 86_400_000
    private static let yearTenThousand = days(year: 10_000, month: 1, day: 1) * 86_400_000
}

/// The civil date of a day number (Hinnant, "civil_from_days").
private func civil(fromDays days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let (era, dayOfEra) = (days + 719_468).flooredDivision(by: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1)
}

extension [UInt8] {
    /// Appends a number of up to `width` digits, zeros before it, and what stands behind it.
    fileprivate mutating func append(_ value: Int64, width: Int, _ end: UInt8) {
        var unit: Int64 = 1
        for _ in 1..<width { unit *= 10 }
        while unit > 0 {
            append(UInt8(ascii: "0") + UInt8(value / unit % 10))
            unit /= 10
        }
        append(end)
    }
}

extension Int64 {
    /// Rounds down, also below zero: the remainder is never negative.
    func flooredDivision(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}

extension Substring {
    fileprivate mutating func take(_ character: Character) -> Bool {
        guard first == character else { return false }
        removeFirst()
        return true
    }

    fileprivate mutating func number(_ width: Int) -> Int64? {
        let digits = prefix(width)
        guard digits.count == width, digits.allSatisfy({ $0.isASCII && $0.isNumber }) else { return nil }
        removeFirst(width)
        return Int64(digits)
    }

    fileprivate mutating func offsetMinutes() -> Int64? {
        if take("Z") || take("z") { return 0 }
        let sign: Int64 = first == "-" ? -1 : 1
        guard take("+") || take("-"), let hours = number(2), take(":"), let minutes = number(2), hours < 24,
            minutes < 60
        else { return nil }
        return sign * (hours * 60 + minutes)
    }
}
