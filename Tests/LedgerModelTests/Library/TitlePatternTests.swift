import LedgerModel
import LedgerTestSupport
import Testing

/// Patterns of titles: they mean what they mean elsewhere, and take no longer than they are long.
struct TitlePatternTests {
    @Test(arguments: [
        ("interview", "The Interview", true), ("^the", "The end", true), ("^end", "The end", false),
        ("end$", "The end", true), ("^$", "", true), ("a.c", "xabcx", true), ("a.c", "ac", false),
        ("episode [13]", "Episode 3", true), ("[^0-9]", "123", false), ("[^0-9]", "12a", true),
        ("[A-C]x", "bx", true), ("[]x]", "]", true), ("[a-]", "-", true), ("[\\d_]{3}", "a1_2", true),
        ("\\d{4}-\\d{2}", "of 2026-11", true), ("\\d{4,}", "123", false), ("^a{2,3}$", "aaaa", false),
        ("^a{2,3}$", "aaa", true), ("^(ab|c)*$", "abcab", true), ("^(?:ab|c)+?$", "", false),
        ("news|sport", "All the sports", true), ("\\bart\\b", "state of the art", true),
        ("\\bart\\b", "start", false), ("\\Bart", "start", true), ("a\\.b", "a.b", true), ("a\\.b", "axb", false),
        ("\\s\\S+\\s", "a b c", true), ("über", "ÜBER", true), ("ü{2}", "ÜÜ", true), ("", "anything", true),
        ("x*", "", true), ("(a*)*b", "aab", true), ("(|a)+b", "b", true), ("\\w+!", "héllo!", true),
    ])
    func `a pattern matches what it says`(pattern: String, title: String, isMatch: Bool) throws {
        #expect(try TitlePattern(pattern).matches(title) == isMatch)
    }

    @Test(arguments: [
        "(", ")", "a)", "[", "[a", "[b-a]", "*", "+a", "?", "{2}", "a{", "a{2", "a{3,2}", "a{1001}",
        "a{2,99999999999999999999}", "a++", "(?=a)",
        "(?<n>a)", "\\", "\\1", "\\q", "\\p{L}", "((a{1000}){1000}){1000}",
        String(repeating: "(", count: 60) + String(repeating: ")", count: 60),
    ])
    func `what is no pattern is refused with words`(pattern: String) {
        #expect { try TitlePattern(pattern) } throws: { error in !((error as? PatternProblem)?.message.isEmpty ?? true)
        }
    }

    /// What takes a backtracking matcher for ever.
    @Test(.timeLimit(.minutes(30)), arguments: ["(a+)+$", "^(\\w+\\s?)+!$", "(a|aa)+$", "(.*a){20}", "((a*)*)*c"])
    func `no title makes it take for ever`(pattern: String) throws {
        let title = String(repeating: "a", count: 1000) + " the quick brown fox jumps over the lazy dog;"
        _ = try TitlePattern(pattern).matches(title)
        #expect(try !TitlePattern("((){1000}){1000}x").matches(title + "y") == !title.contains("x"))
    }

    /// Against the matcher of the standard library, which knows all of this and more.
    @Test func `random patterns mean what they mean elsewhere`() throws {
        var random = SplitMix64(seed: 7)
        var compared = 0
        for _ in 0..<2000 {
            let pattern = Self.pattern(depth: 3, &random)
            let (mine, other) = (try TitlePattern(pattern), try Regex(pattern).ignoresCase())
            for _ in 0..<5 {
                let title = String(
                    (0..<Int.random(in: 0...6, using: &random)).map { _ in
                        ["a", "b", "B", "1", " "].randomElement(using: &random) ?? "a"
                    }.joined())
                #expect(mine.matches(title) == (try other.firstMatch(in: title) != nil), "\(pattern) in '\(title)'")
                compared += 1
            }
        }
        #expect(compared == 10_000)
    }

    private static func pattern(depth: Int, _ random: inout SplitMix64) -> String {
        switch Int.random(in: 0..<(depth == 0 ? 6 : 11), using: &random) {
        case 0: "a"
        case 1: "b"
        case 2: "."
        case 3: "[a1]"
        case 4: "\\d"
        case 5: "[^b]"
        case 6: pattern(depth: depth - 1, &random) + pattern(depth: depth - 1, &random)
        case 7: "(" + pattern(depth: depth - 1, &random) + "|" + pattern(depth: depth - 1, &random) + ")"
        case 8: "(" + pattern(depth: depth - 1, &random) + ")*"
        case 9: "(" + pattern(depth: depth - 1, &random) + ")?"
        default:
            "(?:^|" + pattern(depth: depth - 1, &random) + "){1,2}" + ["", "$"][Int.random(in: 0...1, using: &random)]
        }
    }
}
