package import LedgerModel

/// Figures as people read them.
package enum Figures {
    /// `0 B`, `999 B`, `1.5 KiB`, `64.0 MiB`: at most three digits before the unit, one behind the point.
    package static func size(_ bytes: UInt64) -> String {
        guard bytes >= 1024 else { return "\(bytes) B" }
        var value = Double(bytes) / 1024
        var units = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"][...]
        while value >= 999.95, units.count > 1 {
            value /= 1024
            units.removeFirst()
        }
        return tenths(value) + " " + units[units.startIndex]
    }

    /// A size each second.
    package static func rate(_ bytesPerSecond: UInt64) -> String { size(bytesPerSecond) + "/s" }

    /// `0:34`, `1:02:03`, `2 d 3 h`; whole seconds, rounded up.
    package static func time(seconds: UInt64) -> String {
        func two(_ value: UInt64) -> String { value < 10 ? "0\(value)" : "\(value)" }
        let (hours, minutes) = (seconds / 3600, seconds / 60 % 60)
        if hours >= 24 { return "\(hours / 24) d \(hours % 24) h" }
        if hours > 0 { return "\(hours):\(two(minutes)):\(two(seconds % 60))" }
        return "\(minutes):\(two(seconds % 60))"
    }

    /// Whole percent, cut and not rounded, so that 100 means all; nil when the size is unknown.
    package static func percent(_ received: UInt64, of size: UInt64?) -> Int? {
        guard let size else { return nil }
        guard size > 0 else { return 100 }
        return min(100, Int(Double(received) / Double(size) * 100))
    }

    /// `12 408`: a space between groups of three digits from five digits on.
    package static func count(_ number: UInt64) -> String {
        let digits = String(number)
        guard digits.count > 4 else { return digits }
        var text = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { text += " " }
            text.append(digit)
        }
        return text
    }

    /// `1 file`, `2 files`.
    package static func counted(_ number: some BinaryInteger, _ noun: String) -> String {
        count(UInt64(max(0, number))) + " " + noun + (number == 1 ? "" : "s")
    }

    /// The time of day in UTC as tables show it: `2026-03-02 10:11:12`.
    package static func moment(_ time: Timestamp) -> String {
        String(time.rfc3339.prefix(19)).replacing("T", with: " ")
    }

    private static func tenths(_ value: Double) -> String {
        let tenths = UInt64((value * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }
}
