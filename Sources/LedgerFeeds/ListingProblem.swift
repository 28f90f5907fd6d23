/// Why a document can not be taken for a listing.
package struct ListingProblem: Error, Hashable, Sendable {
    /// What is wrong, as a clause without a full stop.
    package let message: String
    /// What to do about it, as a clause without a full stop; nil when nothing is known to help.
    package let next: String?

    /// A problem in words.
    package init(_ message: String, next: String? = nil) {
        self.message = message
        self.next = next
    }
}
