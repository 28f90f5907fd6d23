/// Words that are looked for in texts: every one has to occur, and case does not count.
package struct WordSearch: Sendable {
    private let words: [String]
    /// The words in ASCII; nil when one has other characters.
    private let plain: [Pattern]?

    /// The longest text of words that is looked for, in bytes.
    package static let bytesMax = 1024

    /// The words of a text, which are parted by spaces.
    package init(_ text: String) {
        words = text.lowercased().split(separator: " ").map(String.init)
        // CR LF is one character, so a line's end is not found by its bytes.
        let isPlain = words.allSatisfy { $0.utf8.allSatisfy { $0 < 0x80 && $0 != 0x0A && $0 != 0x0D } }
        plain = isPlain ? words.map { Pattern($0.utf8) } : nil
    }

    /// Whether there is no word in it: it is found everywhere.
    package var isEmpty: Bool { words.isEmpty }

    /// Whether every word occurs in one of the texts.
    package func areFound(in texts: [String]) -> Bool {
        // Bytes are many times as fast as characters, and in ASCII they are the same.
        if let plain, let text = Self.lowercasedASCII(texts) { return plain.allSatisfy { $0.occurs(in: text) } }
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

    /// A word, found in time that grows with the text and not with the word (Knuth, Morris and Pratt, 1977): what is
    /// looked for comes from whoever asks.
    private struct Pattern {
        private let bytes: [UInt8]
        /// After so many bytes that fit, how many fit still when the next one does not.
        private let fitting: [Int]

        init(_ word: some Sequence<UInt8>) {
            let bytes = Array(word)
            var (fitting, length) = ([Int](repeating: 0, count: bytes.count), 0)
            for index in bytes.indices.dropFirst() {
                while length > 0, bytes[index] != bytes[length] { length = fitting[length - 1] }
                if bytes[index] == bytes[length] { length += 1 }
                fitting[index] = length
            }
            (self.bytes, self.fitting) = (bytes, fitting)
        }

        func occurs(in text: [UInt8]) -> Bool {
            var length = 0
            for byte in text where length < bytes.count {
                while length > 0, byte != bytes[length] { length = fitting[length - 1] }
                if byte == bytes[length] { length += 1 }
            }
            return length == bytes.count
        }
    }
}
