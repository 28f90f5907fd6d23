/// Why a text is not the JSON, or the event in JSON, that it should be.
package struct JSONProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong, as a clause without a full stop.
    package let description: String

    /// A problem in words.
    package init(_ description: String) { self.description = description }
}
