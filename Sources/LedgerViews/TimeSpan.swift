/// A length of time as people write it: `30` (seconds), `1.5s`, `500ms`, `2h`, `1h30m`, `7d`.
package struct TimeSpan: Hashable, Sendable {
    /// The length in milliseconds.
    package let milliseconds: Int64

    /// The longest accepted: a hundred years of 365 days.
    package static let daysMax: Int64 = 36_500

    /// So many milliseconds.
    package init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// Parses one number without a unit, or numbers each with a unit of ms, s, m, h or d. Returns nil for anything
    /// else.
    package init?(parsing text: String) {
        var rest = Substring(text.lowercased())
        var total = 0.0
        var isFirst = true
        while !rest.isEmpty {
            let number = rest.prefix { $0.isASCII && $0.isNumber || $0 == "." }
            rest = rest.dropFirst(number.count)
            let unit = rest.prefix { $0.isLetter }
            rest = rest.dropFirst(unit.count)
            guard let value = Double(number), let factor = Self.factors[String(unit)] else { return nil }
            guard !unit.isEmpty || (isFirst && rest.isEmpty) else { return nil }
            total += value * factor
            isFirst = false
        }
        guard !isFirst, total <= Double(Self.daysMax) * 86_400_000 else { return nil }
        self.init(milliseconds: Int64(total.rounded()))
    }

    private static let factors = [
        "": 1000.0, "ms": 1, "s": 1000, "m": 60_000, "min": 60_000, "h": 3_600_000, "d": 86_400_000,
    ]

    /// The length as a `Duration`.
    package var duration: Duration { .milliseconds(milliseconds) }

    /// The length for an option that holds 32 bits; longer ones are cut to 49 days.
    package var milliseconds32: UInt32 { UInt32(clamping: milliseconds) }
}
