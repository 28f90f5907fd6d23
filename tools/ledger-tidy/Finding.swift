/// One breach of a rule.
package struct Finding: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The file, relative to the root.
    package let path: String
    /// The line, 1-based.
    package let line: Int
    /// The rule's name.
    package let rule: String
    /// What to do about it.
    package let advice: String

    /// A breach at a place.
    package init(_ path: String, _ line: Int, _ rule: String, _ advice: String) {
        self.path = path
        self.line = line
        self.rule = rule
        self.advice = advice
    }

    package static func < (one: Self, other: Self) -> Bool {
        one.path != other.path ? one.path < other.path : one.line < other.line
    }

    package var description: String { "\(path):\(line): \(rule): \(advice)" }
}
