extension Span<UInt8> {
    /// Whether both hold the same bytes.
    func isEqual(to other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        var place = 0
        while place + 8 <= count {
            if word(at: place) != other.word(at: place) { return false }
            place += 8
        }
        if count >= 8 { return word(at: count - 8) == other.word(at: count - 8) }
        while place < count {
            if self[place] != other[place] { return false }
            place += 1
        }
        return true
    }

    /// Whether `byte` is among them.
    func contains(_ byte: UInt8) -> Bool {
        // Eight at a time, the last eight whether some of them were looked at or not. The lowest byte that is the one
        // always borrows where it has no top bit, whatever it does to those above.
        let (ones, tops): (UInt64, UInt64) = (0x0101_0101_0101_0101, 0x8080_8080_8080_8080)
        let pattern = UInt64(byte) &* ones
        var (found, place): (UInt64, Int) = (0, 0)
        while place + 8 <= count {
            let word = word(at: place) ^ pattern
            found |= (word &- ones) & ~word
            place += 8
        }
        if count >= 8 {
            let word = word(at: count - 8) ^ pattern
            return (found | ((word &- ones) & ~word)) & tops != 0
        }
        while place < count {
            if self[place] == byte { return true }
            place += 1
        }
        return false
    }

    /// How many bytes are below 0x80: those that end a varint.
    var varintEnds: Int {
        var (longer, place) = (0, 0)
        while place + 8 <= count {
            longer += (word(at: place) & 0x8080_8080_8080_8080).nonzeroBitCount
            place += 8
        }
        while place < count {
            longer += Int(self[place] >> 7)
            place += 1
        }
        return count - longer
    }

    /// Whether each byte is a character of ASCII that shows: neither a space nor a control.
    var isGraphic: Bool {
        // Eight at a time. A byte below "!" borrows in the first sum, one above "~" carries in the second, or has its
        // top bit set anyway; the lowest such byte always shows, whatever it does to those above.
        var (unfit, place): (UInt64, Int) = (0, 0)
        while place + 8 <= count {
            let word = word(at: place)
            unfit |= (word &- 0x2121_2121_2121_2121) | (word &+ 0x0101_0101_0101_0101) | word
            place += 8
        }
        if count >= 8 {
            // The last eight, whether some of them were looked at or not.
            let word = word(at: count - 8)
            unfit |= (word &- 0x2121_2121_2121_2121) | (word &+ 0x0101_0101_0101_0101) | word
            place = count
        }
        guard unfit & 0x8080_8080_8080_8080 == 0 else { return false }
        while place < count {
            if self[place] &- 33 >= 94 { return false }
            place += 1
        }
        return true
    }

    /// Eight bytes from `place` on as one number, the lowest first. Traps outside of the span.
    func word(at place: Int) -> UInt64 {
        precondition(place >= 0 && place <= count - 8, "reads stay inside what was read")
        return unsafe UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: place, as: UInt64.self))
    }
}

extension [UInt8] {
    /// A copy of these bytes.
    init(copying bytes: Span<UInt8>) {
        self = unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) }
    }
}

extension String {
    /// The text of these bytes; nil when they are not UTF-8. `String(validating:as:)` costs more: it looks up at run
    /// time what kind of collection it was given.
    init?(checking bytes: Span<UInt8>) {
        do { self.init(copying: try UTF8Span(validating: bytes)) } catch { return nil }
    }
}
