import LedgerModel

/// How long something plays.
enum PlayingTime {
    /// The longest text that is looked at, in bytes; a longer one is no time.
    static let textBytesMax = 32

    /// The seconds of `HH:MM:SS`, `MM:SS` or `SS`; a fraction of a second is cut.
    ///
    /// Minutes and seconds may be more than 59. Nil for anything else, for 0, which means that nobody knew, and for
    /// what does not fit 32 bits.
    static func seconds(_ text: String) -> UInt32? {
        let trimmed = text.trimmingSpace()
        guard trimmed.utf8.count <= textBytesMax else { return nil }
        var parts = trimmed.split(separator: ":", omittingEmptySubsequences: false)
        guard let last = parts.popLast(), parts.count < 3 else { return nil }
        let pieces = last.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard pieces.count < 2 || pieces[1].utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        var seconds: UInt64 = 0
        for part in parts + [pieces[0]] {
            guard !part.hasPrefix("+"), let number = UInt32(part) else { return nil }
            seconds = seconds * 60 + UInt64(number)
        }
        return seconds > 0 ? UInt32(exactly: seconds) : nil
    }
}
