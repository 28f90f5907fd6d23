import HTTPTypes
import LedgerAPI
import LedgerModel
import LedgerSystem

/// Decides what a client may do: by its token, and by how often it guessed.
struct Gate: Sendable {
    /// The tokens of the home.
    let file: TokenFile
    /// What time it is.
    let clock: any LedgerClock
    /// Whether only this machine reaches the server.
    let isPrivate: Bool
    private let failed = FailedLogins()

    /// A gate with the home's tokens.
    init(_ file: TokenFile, _ clock: any LedgerClock, isPrivate: Bool) {
        self.file = file
        self.clock = clock
        self.isPrivate = isPrivate
    }

    /// The length of a secret from which on it was not guessed, in bytes: what `ledger token` draws is longer, what
    /// people choose themselves mostly shorter.
    static let unguessableBytesMin = 32

    /// The name of the cookie that carries a token for browsers.
    static let cookieName = "ledger_token"

    /// What a request may do; nil without a token where one is needed.
    /// - Throws: a ``Refusal``: 401 for a token that is none, 429 after too many of them but for one that nobody
    ///   guesses, 503 when the file of tokens can not be read.
    func scope(_ request: HTTPRequest, from address: String) throws(Refusal) -> AccessScope? {
        try scope(secret: Self.secret(in: request), from: address)
    }

    /// What a secret opens; without any: everything when there are no tokens at all, else nothing.
    func scope(secret: String?, from address: String) throws(Refusal) -> AccessScope? {
        let tokens: AccessTokens
        do throws(Problem) { tokens = try file.tokens() } catch { throw Refusal(error) }
        // Without tokens who is on this machine may do everything. Where others reach the server, one was there when it
        // began: that the last was revoked since opens nothing.
        if tokens.isEmpty { return isPrivate ? .admin : nil }
        guard let secret else { return nil }
        let opened = tokens.scope(of: secret)
        // Behind a proxy all clients have one address: who guesses there does not lock out who has no need to.
        if let opened, secret.utf8.count >= Self.unguessableBytesMin { return opened }
        let now = clock.uptime()
        if let seconds = failed.waitSeconds(of: address, at: now) {
            throw Refusal(
                .tooManyRequests,
                Problem(.refused, "too many tokens were wrong", next: "try again in \(seconds) seconds"),
                fields: [.retryAfter: "\(seconds)"])
        }
        if let opened { return opened }
        failed.note(secret, from: address, at: now)
        throw Self.unauthorized("the token is none of this ledger's")
    }

    /// Whether there is any token.
    func hasTokens() throws(Problem) -> Bool { !(try file.tokens().isEmpty) }

    /// Whether a token is needed at all.
    func isClosed() throws(Problem) -> Bool { isPrivate ? try hasTokens() : true }

    /// A refusal for want of a token.
    static func unauthorized(_ words: String) -> Refusal {
        Refusal(
            .unauthorized,
            Problem(
                .refused, words,
                next: "'ledger token NAME' issues one; send it as 'Authorization: Bearer TOKEN'"),
            fields: [.wwwAuthenticate: "Bearer realm=\"ledger\""])
    }

    /// The token that a request carries: of `Authorization` (RFC 6750), else of the cookie.
    private static func secret(in request: HTTPRequest) -> String? {
        if let authorization = request.headerFields[.authorization] {
            let parts = authorization.split(separator: " ", maxSplits: 1)
            return parts.count == 2 && parts[0].lowercased() == "bearer" ? String(parts[1]) : ""
        }
        let cookies = request.headerFields[values: .cookie].flatMap { $0.split(separator: ";") }
        for cookie in cookies {
            let pair = cookie.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
            if pair.count == 2, pair[0] == cookieName { return String(pair[1]) }
        }
        return nil
    }
}
