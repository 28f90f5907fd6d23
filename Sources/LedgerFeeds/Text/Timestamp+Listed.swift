import LedgerModel

extension Timestamp {
    /// The longest text that is looked at for a date, in bytes; a longer one is none.
    static let listedBytesMax = 64

    /// Parses a date as feeds write it, well or badly; nil for what is none.
    ///
    /// RFC 822 and its heirs (`Wed, 02 Oct 2002 13:00:00 GMT`), with or without a weekday, a time, seconds and a zone,
    /// with years of two digits (50 to 99 are of the last century, RFC 2822). RFC 3339 and ISO 8601
    /// (`2002-10-02T13:00:00Z`), with or without a time, seconds, a zone and the colon in it. Where there is no zone,
    /// or one that is not known, it is UTC.
    init?(listed text: String) {
        let text = text.trimmingSpace()
        guard text.utf8.count <= Self.listedBytesMax else { return nil }
        let startsWithYear = text.count >= 4 && text.prefix(4).allSatisfy { $0.isASCII && $0.isNumber }
        guard let normal = startsWithYear ? Self.fromISO(text) : Self.fromMail(text) else { return nil }
        self.init(rfc3339: normal)
    }

    /// A date of ISO 8601 as RFC 3339 writes it.
    private static func fromISO(_ text: String) -> String? {
        let date = text.prefix { $0 != "T" && $0 != "t" && $0 != " " }
        var rest = text[date.endIndex...].dropFirst()
        var parts = date.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
        guard parts.count <= 3 else { return nil }
        while parts.count < 3 { parts.append("01") }
        let day = parts.joined(separator: "-")
        guard !rest.isEmpty else { return day }
        let time = rest.prefix { $0.isNumber || $0 == ":" || $0 == "." || $0 == "," }
        rest = rest[time.endIndex...].drop { $0 == " " }
        return join(day, time, zone: rest)
    }

    /// A date of RFC 822 as RFC 3339 writes it.
    private static func fromMail(_ text: String) -> String? {
        var words = text.split { $0.isWhitespace || $0 == "," }
        if let first = words.first, first.allSatisfy(\.isLetter) || first.last == "." { words.removeFirst() }
        guard words.count >= 3, let day = digits(words[0], 1...2), let number = digits(words[2], 2...4),
            let month = months.firstIndex(of: words[1].prefix(3).lowercased())
        else { return nil }
        // RFC 2822, section 4.3.
        let year =
            switch words[2].count {
            case 2: number + (number < 50 ? 2000 : 1900)
            case 3: number + 1900
            default: number
            }
        let date = "\(year)-\(padded(month + 1))-\(padded(day))"
        guard words.count > 3 else { return date }
        return join(date, words[3], zone: words.count > 4 ? words[4] : "")
    }

    /// A date and a time as RFC 3339 writes them.
    private static func join(_ date: String, _ time: Substring, zone: Substring) -> String? {
        var parts = time.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard 2...3 ~= parts.count, let hour = digits(parts[0][...], 1...2), let zone = offset(zone) else { return nil }
        parts[0] = padded(hour)
        if parts.count == 2 { parts.append("00") }
        parts[2] = String(parts[2].map { $0 == "," ? "." : $0 })
        return date + "T" + parts.joined(separator: ":") + zone
    }

    /// A zone as RFC 3339 writes it: `+0100`, `+01:00`, `+1`, `GMT+1`, or a name; nil for what is none.
    private static func offset(_ zone: Substring) -> String? {
        guard let sign = zone.firstIndex(where: { $0 == "+" || $0 == "-" }) else {
            let name = zone.uppercased()
            // `(CET)` is a comment; a time of twelve hours can not be read without its half of the day.
            guard name != "AM", name != "PM", name.allSatisfy({ $0.isLetter || "()".contains($0) }) else { return nil }
            return zones[name] ?? "Z"
        }
        let digits = zone[zone.index(after: sign)...].filter { $0 != ":" }
        guard zone[..<sign].allSatisfy(\.isLetter), 1...4 ~= digits.count else { return nil }
        let hour = digits.count % 2 == 1 ? "0" + digits.prefix(1) : String(digits.prefix(2))
        let minute = digits.count > 2 ? String(digits.suffix(2)) : "00"
        return "\(zone[sign])\(hour):\(minute)"
    }

    private static func digits(_ word: Substring, _ count: ClosedRange<Int>) -> Int? {
        guard count.contains(word.utf8.count), word.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return Int(word)
    }

    private static func padded(_ number: Int) -> String { (number < 10 ? "0" : "") + String(number) }

    private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
    /// The zones of RFC 822, and those of Europe and Japan that feeds have. The letters of the military were never
    /// used as RFC 822 says, so they count as UTC like any other name (RFC 2822, section 4.3).
    private static let zones = [
        "EST": "-05:00", "EDT": "-04:00", "CST": "-06:00", "CDT": "-05:00", "MST": "-07:00", "MDT": "-06:00",
        "PST": "-08:00", "PDT": "-07:00", "BST": "+01:00", "WEST": "+01:00", "CET": "+01:00", "CEST": "+02:00",
        "EET": "+02:00", "EEST": "+03:00", "JST": "+09:00",
    ]
}
