import HTTPTypes
import Hummingbird
import LedgerAPI
import LedgerCoding
import LedgerModel

/// `/v1/session`: a token in a cookie, for browsers.
struct Sessions: Sendable {
    let gate: Gate
    let isEncrypted: Bool

    /// The routes: everybody may ask whether a token is needed.
    var routes: [Route] {
        [
            Route(.get, "/v1/session", nil, show), Route(.post, "/v1/session", nil, open),
            Route(.delete, "/v1/session", nil, close),
        ]
    }

    /// How long a browser keeps the cookie, in seconds: a year.
    private static let cookieSeconds = 31_536_000

    private func show(_ call: Call) async throws -> Response {
        try call.query.require(only: [])
        let scope: AccessScope?
        do throws(Refusal) { scope = try gate.scope(call.request.head, from: call.address) } catch {
            // A token that is none is as good as no token.
            guard error.status == .unauthorized else { throw error }
            scope = nil
        }
        return .json(["required": .bool(try gate.isClosed()), "scope": JSONValue(scope?.name)])
    }

    private func open(_ call: Call) async throws -> Response {
        var members = try await call.members()
        guard let token = try members.text("token") else { throw Refusal.badRequest("'token' is missing") }
        try members.finish()
        guard let scope = try gate.scope(secret: token, from: call.address) else {
            throw Gate.unauthorized("this ledger is opened with a token")
        }
        // What is no token of ours never becomes a cookie.
        let isToken = token.utf8.allSatisfy { $0 > 32 && $0 < 127 && !"\",;\\".utf8.contains($0) }
        let fields: HTTPFields = isToken ? [.setCookie: cookie(token, seconds: Self.cookieSeconds)] : [:]
        return .json(["required": .bool(try gate.isClosed()), "scope": .string(scope.name)], fields: fields)
    }

    private func close(_ call: Call) async throws -> Response {
        try call.query.require(only: [])
        return Response(status: .noContent, headers: [.setCookie: cookie("", seconds: 0)])
    }

    private func cookie(_ value: String, seconds: Int) -> String {
        "\(Gate.cookieName)=\(value); Path=/; HttpOnly; SameSite=Strict; Max-Age=\(seconds)"
            + (isEncrypted ? "; Secure" : "")
    }
}
