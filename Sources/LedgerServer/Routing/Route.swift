import HTTPTypes
import Hummingbird
import LedgerAPI

/// What is answered under a method and a path.
struct Route: Sendable {
    /// The method.
    let method: HTTPRequest.Method
    /// The path, its variable parts as `{name}`.
    let path: String
    /// What a client has to be allowed to ask it; nil for everybody.
    let scope: AccessScope?
    /// Answers; what it throws is rendered as problem details.
    let answer: @Sendable (Call) async throws -> Response

    /// A route of its four parts.
    init(
        _ method: HTTPRequest.Method, _ path: String, _ scope: AccessScope?,
        _ answer: @escaping @Sendable (Call) async throws -> Response
    ) {
        self.method = method
        self.path = path
        self.scope = scope
        self.answer = answer
    }

    /// Whether a path is one of the route's, whatever the method.
    func covers(_ path: String) -> Bool {
        let (template, parts) = (self.path.split(separator: "/"), path.split(separator: "/"))
        return template.count == parts.count
            && zip(template, parts).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
    }
}
