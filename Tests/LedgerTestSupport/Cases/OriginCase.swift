/// One misbehaviour of the table in BEHAVIOURS: what an origin does, and what a right client makes of it.
package struct OriginCase: Sendable {
    /// Makes the answer to one request of the case.
    package typealias Answer = @Sendable (CaseExchange) -> OriginReply

    /// What a right client ends with.
    package enum Result: String, Sendable, CaseIterable {
        /// Success, sooner or later, with exactly the right bytes.
        case whole
        /// As `whole`, in one plain file inside the directory, under one of the names.
        case name
        /// No success, and no file that looks finished.
        case refused
        /// No further request and no success before the seconds have passed.
        case waits
    }

    /// The row and some words, `02-changed-tag`: the first part of its paths.
    package let slug: String
    /// What the origin does.
    package let what: String
    /// What a right client does.
    package let right: String
    /// Its answers.
    package let answer: Answer
    /// What a right client ends with.
    package var result = Result.whole
    /// What is served, in the order of its appearance; the last holds the right bytes.
    package var files: [CaseFile] = [.v1]
    /// What follows the token in the path to ask for.
    package var fileName = "disk.iso"
    /// What follows the token in the paths of the mirrors, in their order.
    package var mirrors: [String] = []
    /// The names that are right for the file; empty when any is.
    package var names: [String] = []
    /// The least time between the first request and the second, in seconds.
    package var waitSecondsMin: Int?
    /// The most requests that a right client makes.
    package var requestsMax: Int?
    /// Whether credentials, cookies and headers that the user set must not reach any origin but the first.
    package var withholds = false
    /// Whether it is a case only when the server speaks TLS.
    package var isSecureOnly = false
    /// What is to be done on the client's side; nil when asking for the path is all.
    package var client: String?
    /// Whether a tool of the command line can be judged by it from outside.
    package var isForTools = true

    /// A case whose right end is the whole of `v1`; see ``with(_:)`` for others.
    package init(_ slug: String, _ what: String, right: String, answer: @escaping Answer) {
        self.slug = slug
        self.what = what
        self.right = right
        self.answer = answer
    }

    /// The same case, changed.
    package func with(_ change: (inout OriginCase) -> Void) -> OriginCase {
        var copy = self
        change(&copy)
        return copy
    }

    /// The row of the table.
    package var row: Int { Int(slug.prefix(2)) ?? 0 }

    /// What a right client ends up with, also where it refuses.
    package var file: CaseFile { files.last ?? .v1 }

    /// The path to ask for, under a token: state is kept for each token.
    package func path(_ token: String, _ name: String? = nil) -> String { "/\(slug)/\(token)/\(name ?? fileName)" }
}
