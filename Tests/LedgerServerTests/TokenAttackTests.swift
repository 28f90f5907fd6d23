import HTTPTypes
import LedgerAPI
import LedgerCoding
import LedgerEngine
import LedgerHolder
import LedgerModel
import LedgerSystem
import Testing

@testable import LedgerServer

/// Who has no token, a wrong one, or one for less.
@Suite(.timeLimit(.minutes(30))) struct TokenAttackTests {
    /// The status of an answer whose body may have no end.
    private func status(
        _ route: Route, _ fixture: ServerFixture, _ fields: [(String, String)]
    ) async throws -> Int {
        let wire = try await fixture.connect()
        let path = route.path.replacing("{id}", with: "1").replacing("{name}", with: "some")
        try await wire.send(fixture.head(route.method.rawValue, path, fields + [("Content-Length", "0")]))
        let head = try #require(try await wire.take { bytes, _ in try Answer.head(&bytes) })
        try await wire.close()
        return head.status
    }

    @Test func `without a token nothing is open but what is meant for everybody`() async throws {
        try await ServerFixture.run(.with { $0.scopes = [.admin] }) { fixture in
            for route in try fixture.routes() {
                let status = try await status(route, fixture, [])
                if route.scope == nil {
                    #expect(status != 401, "\(route.method) \(route.path)")
                } else {
                    #expect(status == 401, "\(route.method) \(route.path)")
                }
            }
            let answer = try await fixture.ask("GET", "/v1/downloads")
            #expect(answer["www-authenticate"]?.hasPrefix("Bearer") == true)
            let session = try await fixture.ask("GET", "/v1/session").json
            #expect(session["required"] == true && session["scope"] == nil)
            #expect(try await fixture.ask("GET", "/v1/downloads", as: .admin).status == 200)
        }
    }

    @Test func `a token opens what it is for and what is less, and nothing that is more`() async throws {
        try await ServerFixture.run(.with { $0.scopes = [.read, .write, .admin] }) { fixture in
            for route in try fixture.routes() {
                guard let needed = route.scope else { continue }
                for scope in AccessScope.allCases {
                    let token = try #require(fixture.tokens[scope])
                    let status = try await status(route, fixture, [("Authorization", "Bearer \(token)")])
                    #expect(
                        (status == 403) == (scope < needed) && status != 401,
                        "\(scope.name): \(route.method) \(route.path): \(status)")
                }
            }
            #expect(try await fixture.ask("GET", "/v1/status", as: .read).json["scope"] == "read")
            let refused = try await fixture.ask("POST", "/v1/compact", as: .write)
            #expect(try refused.status == 403 && refused.json["detail"]?.text?.contains("'admin'") == true)
        }
    }

    @Test func `a wrong token is refused alike however near it is, and hashes are all that is kept`() async throws {
        try await ServerFixture.run(.with { $0.scopes = [.admin] }) { fixture in
            let token = try #require(fixture.tokens[.admin])
            let flipped = String(token.dropLast()) + (token.last == "0" ? "1" : "0")
            var bodies: Set<[UInt8]> = []
            for guess in [flipped, String(token.dropLast()), token + "0", "x", token.uppercased()] where guess != token
            {
                let answer = try await fixture.ask("GET", "/v1/status", [("Authorization", "Bearer \(guess)")])
                #expect(answer.status == 401, "\(guess)")
                bodies.insert(answer.body)
            }
            #expect(bodies.count == 1)
            let file = fixture.service.ledger.home.tokens
            let disk = fixture.service.ledger.world.fileSystem
            let kept = String(decoding: try #require(try disk.contents(of: file)), as: UTF8.self)
            #expect(!kept.contains(token) && kept.contains("sha256"))
            #expect(try disk.status(of: file)?.permissions == 0o600)
        }
    }

    /// Hashes are compared to their ends, and all of them: a match in front saves no work, and neither does one behind.
    @Test func `every token is compared with every hash, whole`() throws {
        var tokens = AccessTokens()
        var drawn: UInt64 = 0
        let secrets = try ["one", "two", "three"].map { name in
            try tokens.issue(name, .read, at: .epoch) {
                drawn += 1
                return drawn
            }
        }
        #expect(secrets.allSatisfy { tokens.scope(of: $0) == .read })
        #expect(Set(secrets).count == 3 && secrets.allSatisfy { $0.utf8.count == 2 * AccessTokens.secretBytes })
        // The greatest of what a secret opens counts, wherever it stands.
        _ = try tokens.issue("four", .admin, at: .epoch) { 1 }
        let twin = try tokens.issue("five", .write, at: .epoch) { 1 }
        #expect(tokens.scope(of: twin) == .admin)
        #expect(tokens.revoke("four") && tokens.scope(of: twin) == .write)
        #expect(tokens.scope(of: "") == nil)
    }

    @Test func `who guessed ten times is turned away, but with what nobody guesses, and others are not`() async throws {
        try await ServerFixture.run(.with { $0.scopes = [.admin] }) { fixture in
            let chosen = "a-word-of-their-own-choice"
            #expect(chosen.utf8.count < Gate.unguessableBytesMin)
            try fixture.tokenFile.edit { tokens throws(Problem) in
                try tokens.admit(chosen, as: "chosen", .admin, at: .epoch)
            }
            let bearer = [("Authorization", "Bearer \(chosen)")]
            #expect(try await fixture.ask("GET", "/v1/status", bearer).status == 200)
            for turn in 0..<FailedLogins.failuresMax {
                // A cookie, the page's way in and a header are one and the same guessing.
                let answer =
                    switch turn % 3 {
                    case 0: try await fixture.ask("GET", "/v1/status", [("Authorization", "Bearer guess\(turn)")])
                    case 1: try await fixture.ask("GET", "/v1/status", [("Cookie", "ledger_token=guess\(turn)")])
                    default: try await fixture.ask("POST", "/v1/session", ["token": .string("guess\(turn)")])
                    }
                #expect(answer.status == 401, "\(turn)")
            }
            for answer in [
                try await fixture.ask("GET", "/v1/status", [("Authorization", "Bearer guess")]),
                try await fixture.ask("GET", "/v1/status", bearer),
                try await fixture.ask("POST", "/v1/session", ["token": .string(chosen)]),
            ] {
                #expect(answer.status == 429 && answer["content-type"] == "application/problem+json")
                let seconds = try #require(answer["retry-after"].flatMap { Int64($0) })
                #expect((1...FailedLogins.windowSeconds).contains(seconds))
            }
            #expect(try await fixture.ask("GET", "/v1/status", as: .admin).status == 200, "drawn, not chosen")
            let other = try await Wire.connect(to: fixture.server.address, from: "127.0.0.2")
            try await other.send(fixture.head("GET", "/v1/status", bearer))
            #expect(try await other.answer()?.status == 200)
            try await other.close()
        }
    }

    @Test func `failures count for a minute, for each address, and for so many addresses`() {
        let (failed, start) = (FailedLogins(), Duration.seconds(1000))
        let later = { (seconds: Int64) in start + .seconds(seconds) }
        for turn in 1..<FailedLogins.failuresMax { failed.note("\(turn)", from: "10.0.0.1", at: start) }
        // Who says the same again and again guesses nothing.
        for _ in 0..<100 { failed.note("1", from: "10.0.0.1", at: start) }
        #expect(failed.waitSeconds(of: "10.0.0.1", at: start) == nil)
        failed.note("last", from: "10.0.0.1", at: later(10))
        #expect(failed.waitSeconds(of: "10.0.0.1", at: later(10)) == FailedLogins.windowSeconds - 10)
        #expect(failed.waitSeconds(of: "10.0.0.2", at: later(10)) == nil)
        #expect(failed.waitSeconds(of: "10.0.0.1", at: later(FailedLogins.windowSeconds)) == nil)
        failed.note("1", from: "10.0.0.1", at: later(FailedLogins.windowSeconds))
        #expect(failed.waitSeconds(of: "10.0.0.1", at: later(FailedLogins.windowSeconds)) == nil)
        // Whoever has many addresses makes the server forget the oldest, and not remember without end.
        for address in 0..<3 * FailedLogins.addressesMax { failed.note("1", from: "a\(address)", at: later(61)) }
        #expect(failed.count == FailedLogins.addressesMax)
    }

    @Test(arguments: ["0.0.0.0", "::", "127.evil.example.org"])
    func `what others could reach is not listened on without a token`(host: String) async throws {
        try await ServerFixture.run { fixture in
            var configuration = fixture.configuration
            configuration.address.host = host
            let problem = await #expect(throws: Problem.self) {
                _ = try await LedgerServer.start(fixture.service, configuration)
            }
            #expect(problem?.code == .refused && problem?.next?.contains("ledger token") == true)
        }
    }

    @Test func `with a token it is listened on, and when the last was revoked nobody gets in`() async throws {
        try await ServerFixture.run(
            .with {
                $0.scopes = [.admin]
                $0.server = { $0.address.host = "0.0.0.0" }
            }
        ) { fixture in
            let own = [("Host", "127.0.0.1")]
            #expect(try await fixture.ask("GET", "/v1/status", own).status == 401)
            #expect(try await fixture.ask("GET", "/v1/status", own, as: .admin).status == 200)
            try fixture.tokenFile.edit { tokens in _ = tokens.revoke("admin") }
            #expect(try await fixture.ask("GET", "/v1/status", own, as: .admin).status == 401)
            #expect(try await fixture.ask("GET", "/v1/status", own).status == 401)
        }
    }

    @Test func `a token that is revoked opens nothing from then on, and a file that others read lets nobody in`()
        async throws
    {
        try await ServerFixture.run(.with { $0.scopes = [.read, .admin] }) { fixture in
            #expect(try await fixture.ask("GET", "/v1/status", as: .read).status == 200)
            try fixture.tokenFile.edit { tokens in _ = tokens.revoke("read") }
            #expect(try await fixture.ask("GET", "/v1/status", as: .read).status == 401)
            let path = fixture.service.ledger.home.tokens
            let disk = fixture.service.ledger.world.fileSystem
            let bytes = try #require(try disk.contents(of: path))
            try disk.replaceContents(of: path, with: bytes, permissions: 0o644)
            let answer = try await fixture.ask("GET", "/v1/status", as: .admin)
            #expect(answer.status == 503 && answer["content-type"] == "application/problem+json")
        }
    }
}
