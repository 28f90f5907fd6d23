import ArgumentParser
import LedgerAPI
import LedgerCoding
import LedgerEngine
import LedgerModel
import LedgerServer
import LedgerSystem
import LedgerViews

/// `ledger token`.
struct Token: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Issue, renew, revoke or list the tokens that open the API.",
        usage: """
            ledger token
            ledger token <name> [--scope read|write|admin] [--given]
            ledger token <name> --revoke
            """,
        discussion: """
            As long as there is no token, the API is open to this machine and closed to every other; with one, every \
            request needs one. A token is shown once, when it is issued; the home keeps its SHA-256 in 'tokens', mode \
            0600. Issued again under its name, a token is another one from that moment, and the old one opens nothing: \
            so it is rotated. A server that runs heeds it at once.

            'read' sees everything that is not secret, 'write' changes downloads, feeds and groups too, 'admin' \
            everything else. Clients send it as 'Authorization: Bearer TOKEN', those of aria2 as 'token:TOKEN', and \
            the page asks for it.

            EXAMPLE
              ledger token laptop                        # may do everything
              ledger token grafana --scope read
              ledger token laptop --revoke
              ledger token --json
            """)

    @Argument(help: "What the token is called; without it the tokens are listed.")
    var name: String?

    @Option(
        help: ArgumentHelp("What it is for: read, write or admin (default: admin).", valueName: "scope"),
        transform: AccessScope.parse)
    var scope: AccessScope?

    @Flag(help: "Take the token from standard input instead of drawing one: what others chose already.")
    var given = false

    @Flag(help: "Make the token of this name worthless.")
    var revoke = false

    @OptionGroup var global: GlobalOptions

    func validate() throws {
        guard name == nil else {
            if revoke, scope != nil || given { throw ValidationError("A token that is revoked is given no scope.") }
            return
        }
        if revoke || given || scope != nil { throw ValidationError("Say which token: 'ledger token NAME'.") }
    }

    func run() async throws {
        let session = try await LedgerSession(global)
        let file = TokenFile(session.home, fileSystem: session.context.world.fileSystem)
        switch name {
        case nil: try list(try file.tokens(), session.console)
        case let name? where revoke: try self.revoke(name, file, session.console)
        case let name? where given: try admit(name, file, session)
        case let name?: try issue(name, file, session)
        }
    }

    private func list(_ tokens: AccessTokens, _ console: Console) throws {
        if global.json {
            return try console.print(
                tokens.tokens.map { token in
                    JSONValue.object([
                        "name": .string(token.name), "scope": .string(token.scope.name),
                        "issuedAt": .string(token.issuedAt.rfc3339),
                    ]).description
                })
        }
        guard !tokens.isEmpty else { return console.note("there is no token: the API is open to this machine alone") }
        try console.print(
            tokens.tokens.map { token in
                TextWidth.fitted(token.name, to: 24) + TextWidth.fitted(token.scope.name, to: 8)
                    + token.issuedAt.rfc3339
            })
    }

    private func revoke(_ name: String, _ file: TokenFile, _ console: Console) throws {
        try file.edit { tokens throws(Problem) in
            guard tokens.revoke(name) else {
                throw Problem(
                    .notFound, "there is no token '\(Problem.presentable(name))'", next: "'ledger token' lists them")
            }
        }
        guard global.json else { return console.note("the token '\(name)' opens nothing any longer") }
        try console.print([JSONValue.object(["name": .string(name), "scope": .null]).description])
    }

    private func admit(_ name: String, _ file: TokenFile, _ session: LedgerSession) throws {
        let (world, scope) = (session.context.world, scope ?? .admin)
        let text = String(decoding: try session.context.readInput(), as: UTF8.self)
        let secret = text.hasSuffix("\n") ? String(text.dropLast()) : text
        try file.edit { tokens throws(Problem) in
            try tokens.admit(secret, as: name, scope, at: world.clock.now())
        }
        if secret.utf8.count < Self.weakBytes {
            session.console.warn("a token of fewer than \(Self.weakBytes) characters can be guessed")
        }
        if global.json {
            try session.console.print([
                JSONValue.object(["name": .string(name), "scope": .string(scope.name)]).description
            ])
        } else {
            session.console.note("the token '\(name)' is what was given")
        }
    }

    /// A shorter token is said to be weak.
    private static let weakBytes = 16

    private func issue(_ name: String, _ file: TokenFile, _ session: LedgerSession) throws {
        let (world, scope) = (session.context.world, scope ?? .admin)
        let secret = try file.edit { tokens throws(Problem) in
            try tokens.issue(name, scope, at: world.clock.now(), random: world.random)
        }
        if global.json {
            let fields: JSONValue = [
                "name": .string(name), "scope": .string(scope.name), "token": .string(secret),
            ]
            return try session.console.print([fields.description])
        }
        session.console.note("this is shown once, and kept nowhere:")
        try session.console.print([secret])
    }
}

extension AccessScope: ArgumentValue {
    package static let expected = "read, write or admin"

    package init?(argument: String) { self.init(name: argument) }
}
