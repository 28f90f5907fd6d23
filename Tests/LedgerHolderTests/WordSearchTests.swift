import LedgerAPI
import LedgerTestSupport
import Testing

/// Words that are looked for in texts.
struct WordSearchTests {
    @Test func `a word is found where a text holds it, and nowhere else`() {
        var random = SplitMix64(seed: 7)
        for _ in 0..<20_000 {
            // Few letters, so that much of a word fits in many places.
            let text = String(
                (0..<Int.random(in: 0...14, using: &random)).map { _ in "abA".randomElement(using: &random)! })
            let word = String(
                (0..<Int.random(in: 1...5, using: &random)).map { _ in "ab".randomElement(using: &random)! })
            #expect(WordSearch(word).areFound(in: [text]) == text.lowercased().contains(word), "\(word) in \(text)")
        }
    }

    @Test(arguments: [
        ("", ["a"], true), ("one two", ["Two", "ONE"], true), ("one two", ["onetwo"], true),
        ("one three", ["one"], false),
        ("ab", ["a", "b"], false), ("größe", ["GRÖSSE", "Größe"], true), ("größe", ["grosse"], false), ("a", [], false),
    ])
    func `every word has to be in one of the texts`(words: String, texts: [String], isFound: Bool) {
        #expect(WordSearch(words).areFound(in: texts) == isFound)
    }
}
