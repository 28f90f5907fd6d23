import LedgerAPI
import LedgerCoding
import LedgerViews

/// What one look of `doctor` came to.
struct Finding: Hashable, Sendable {
    /// How it is.
    enum Result: String, Hashable, Sendable, CaseIterable {
        case ok
        /// It works, and may not for ever.
        case warn
        /// It does not work.
        case bad
    }

    /// What was looked at, in one word.
    var check: String
    /// How it is.
    var result: Result
    /// What was seen, and why it is so.
    var words: String
    /// What to type or to check next; nil when there is nothing to do.
    var next: String?

    /// A finding in words.
    init(_ check: String, _ result: Result, _ words: String, next: String? = nil) {
        self.check = check
        self.result = result
        self.words = words
        self.next = next
    }

    /// What a problem says.
    init(_ check: String, _ problem: Problem, _ result: Result = .bad) {
        self.init(
            check, result, problem.message + (problem.cause.map { " (\($0))" } ?? ""), next: problem.next)
    }

    /// One line for people.
    var line: String {
        let facts = TextWidth.fitted(result.rawValue, to: 6) + TextWidth.fitted(check, to: 18) + words
        return TextWidth.printable(facts + (next.map { "; next: \($0)" } ?? ""))
    }

    /// One object for programs.
    var json: JSONValue {
        [
            "check": .string(check), "result": .string(result.rawValue), "words": .string(words),
            "next": next.map { .string($0) } ?? .null,
        ]
    }
}
