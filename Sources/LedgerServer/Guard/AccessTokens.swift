import Crypto
package import LedgerAPI
package import LedgerCoding
package import LedgerModel

/// The tokens that open the API: of each its name, what it is for, and its SHA-256, never the token itself.
package struct AccessTokens: Hashable, Sendable {
    /// One token.
    package struct Token: Hashable, Sendable {
        /// What people call it.
        package let name: String
        /// What it is for.
        package let scope: AccessScope
        /// When it was issued.
        package let issuedAt: Timestamp
        /// Its SHA-256.
        let sha256: [UInt8]
    }

    /// All of them, in the order they were issued.
    package private(set) var tokens: [Token] = []

    /// How many there may be.
    package static let tokensMax = 100
    /// The longest name, in bytes.
    package static let nameBytesMax = 64
    /// The longest secret that somebody chose, in bytes.
    package static let givenBytesMax = 256
    /// The bytes that a token is drawn of.
    static let secretBytes = 32

    /// No tokens: on loopback everybody may do everything then.
    package init() {}

    /// Whether there are none.
    package var isEmpty: Bool { tokens.isEmpty }

    /// What a secret opens; nil when it is none of them.
    ///
    /// Compares hashes, all of them and to their ends: how long it takes tells nothing about a token.
    func scope(of secret: String) -> AccessScope? {
        let hash = Self.hash(secret)
        var found: AccessScope?
        for token in tokens {
            var difference: UInt8 = 0
            for (one, other) in zip(token.sha256, hash) { difference |= one ^ other }
            if difference == 0 { found = max(found ?? token.scope, token.scope) }
        }
        return found
    }

    /// Issues a token; one of the same name is no longer good.
    /// - Returns: the token, which is shown once and kept nowhere.
    /// - Throws: a ``Problem`` for a name that can not be, and beyond ``tokensMax``.
    package mutating func issue(
        _ name: String, _ scope: AccessScope, at now: Timestamp, random: () -> UInt64
    ) throws(Problem) -> String {
        let bytes = (0..<Self.secretBytes / 8).flatMap { _ in
            let number = random()
            return (0..<8).map { UInt8(truncatingIfNeeded: number >> UInt64($0 * 8)) }
        }
        let secret = bytes.hex
        try admit(secret, as: name, scope, at: now)
        return secret
    }

    /// Takes a secret of somebody's own choice for a token; one of the same name is no longer good.
    /// - Throws: a ``Problem`` for a name or a secret that can not be, and beyond ``tokensMax``.
    package mutating func admit(
        _ secret: String, as name: String, _ scope: AccessScope, at now: Timestamp
    ) throws(Problem) {
        guard (1...Self.givenBytesMax).contains(secret.utf8.count), secret.utf8.allSatisfy({ $0 > 32 && $0 < 127 })
        else {
            throw Problem(
                .usage, "what was given can not be a token",
                cause: "it is 1 to \(Self.givenBytesMax) printable ASCII characters, none of them a space",
                exitCode: .usage)
        }
        guard Self.isName(name) else {
            throw Problem(
                .usage, "'\(Problem.presentable(name))' can not name a token",
                cause: "a name is 1 to \(Self.nameBytesMax) letters, digits, '-', '_' and '.'", exitCode: .usage)
        }
        tokens.removeAll { $0.name == name }
        guard tokens.count < Self.tokensMax else {
            throw Problem(
                .usage, "there are \(Self.tokensMax) tokens, which is all there may be",
                next: "revoke one: 'ledger token --revoke NAME'", exitCode: .usage)
        }
        tokens.append(Token(name: name, scope: scope, issuedAt: now, sha256: Self.hash(secret)))
    }

    /// Makes a token worthless; false when there is none of that name.
    package mutating func revoke(_ name: String) -> Bool {
        let count = tokens.count
        tokens.removeAll { $0.name == name }
        return tokens.count < count
    }

    private static func hash(_ secret: String) -> [UInt8] { Array(SHA256.hash(data: Array(secret.utf8))) }

    private static func isName(_ name: String) -> Bool {
        (1...nameBytesMax).contains(name.utf8.count)
            && name.unicodeScalars.allSatisfy {
                $0.isASCII
                    && ($0.properties.isAlphabetic || $0.properties.numericType != nil
                        || "-_.".unicodeScalars.contains($0))
            }
    }
}

// MARK: The file

extension AccessTokens {
    /// What the file holds.
    /// - Throws: ``JSONProblem`` when it is no such file.
    package init(parsing bytes: [UInt8]) throws(JSONProblem) {
        let fields = try JSONFields(try JSONValue(parsing: bytes))
        tokens = try fields.required("tokens") { value throws(JSONProblem) in
            guard case .array(let values) = value else { return nil }
            var tokens: [Token] = []
            for value in values { tokens.append(try Token(try JSONFields(value))) }
            return tokens
        }
    }

    /// The file's bytes.
    package var bytes: [UInt8] {
        let list = tokens.map { token -> JSONValue in
            [
                "name": .string(token.name), "scope": .string(token.scope.name),
                "issuedAt": .string(token.issuedAt.rfc3339),
                "sha256": .string(Digest(.sha256, token.sha256)?.hex ?? ""),
            ]
        }
        return Array((JSONValue.object(["tokens": .array(list)]).description + "\n").utf8)
    }
}

extension AccessTokens.Token {
    fileprivate init(_ fields: JSONFields) throws(JSONProblem) {
        name = try fields.text("name")
        guard let scope = AccessScope(name: try fields.text("scope")) else {
            throw JSONProblem("'scope' is not what it should be")
        }
        self.scope = scope
        guard let time = try fields.time("issuedAt") else { throw JSONProblem("'issuedAt' is missing") }
        issuedAt = time
        guard let digest = Digest(parsing: "sha-256:" + (try fields.text("sha256"))) else {
            throw JSONProblem("'sha256' is not what it should be")
        }
        sha256 = digest.bytes
    }
}
