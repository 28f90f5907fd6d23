/// Words that are looked for in texts: every one has to occur, and case does not count.
package struct WordSearch: Sendable {
    private let words: [String]
    /// The words in ASCII; nil when one has other characters.
    private let plain: [[UInt8]]?

    /// The words of a text, which are parted by spaces.
    package init(_ text: String) {
        words = text.lowercased().split(separator: " ").map(String.init)
        // CR LF is one character, so a line's end is not found by its bytes.
        let isPlain = words.allSatisfy { $0.utf8.allSatisfy { $0 < 0x80 && $0 != 0x0A && $0 != 0x0D } }
        plain = isPlain ? words.map { Array($0.utf8) } : nil
    }

    /// Whether every word occurs in one of the texts.
    package func areFound(in texts: [String]) -> Bool {
        // Bytes are many times as fast as characters, and in ASCII they are the same.
        if let plain, let text = Self.lowercasedASCII(texts) { return plain.allSatisfy { Self.occurs($0, in: text) } }
        let text = texts.joined(separator: "\n").lowercased()
        return words.allSatisfy { text.contains($0) }
    }

    /// The texts as lines of lowercase letters; nil when there is more than ASCII in them.
    private static func lowercasedASCII(_ texts: [String]) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(texts.reduce(0) { $0 + $1.utf8.count + 1 })
        for text in texts {
            bytes.append(contentsOf: text.utf8)
            bytes.append(0x0A)
        }
        for index in bytes.indices {
            let byte = bytes[index]
            guard byte < 0x80 else { return nil }
            if (0x41...0x5A).contains(byte) { bytes[index] = byte | 0x20 }
        }
        return bytes
    }

    private static func occurs(_ word: [UInt8], in text: [UInt8]) -> Bool {
        guard let first = word.first, text.count >= word.count else { return word.isEmpty }
        return (0...text.count - word.count).contains { start in
            text[start] == first && text[start..<start + word.count].elementsEqual(word)
        }
    }
}
