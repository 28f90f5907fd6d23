/// Why nothing is to be downloaded now, though there is something: memory of the process that says so.
package struct NotNow: Hashable, Sendable {
    /// In words, for people.
    package let reason: String

    /// A reason in words.
    package init(_ reason: String) { self.reason = reason }
}
