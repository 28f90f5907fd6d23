/// Why an XML document, or what it says, can not be taken: where and in words.
package struct XMLProblem: Error, Hashable, Sendable {
    /// The line, from 1.
    package let line: Int
    /// What is wrong, in words for a person, without a full stop.
    package let reason: String

    /// A reason at a line.
    package init(line: Int, _ reason: String) {
        self.line = line
        self.reason = reason
    }
}
