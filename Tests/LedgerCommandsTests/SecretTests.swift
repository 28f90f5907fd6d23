import LedgerSystem
import LedgerTestSupport
import SystemPackage
import Testing

@testable import LedgerCommands

/// Row 44: what opens doors goes to its origin, and stands in the secrets file and nowhere else.
struct SecretTests {
    private let file = OriginEntity(OriginEntity.pattern(5000))

    /// What must not be seen, also as basic authentication writes it.
    private static let secrets = [
        "user-s3cret", "header-s3cret", "cookie-s3cret", "query-s3cret", "nested-s3cret", "mirror-s3cret",
        "proxy-s3cret", "option-s3cret", "netrc-s3cret", "token-s3cret", "jar-s3cret", "socks-s3cret",
        basic("ada:user-s3cret"), basic("bob:mirror-s3cret"), basic("eve:proxy-s3cret"), basic("ada:option-s3cret"),
        basic("zoe:netrc-s3cret"),
    ]

    /// The files that hold secrets because somebody put them there.
    private static let given: Set<String> = ["secrets", "config.yaml", ".netrc", "token", "cookies.txt"]

    private static func basic(_ credentials: String) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        var text: [UInt8] = []
        let bytes = Array(credentials.utf8)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let word = group.enumerated().reduce(UInt32(0)) { $0 | UInt32($1.element) << UInt32(16 - 8 * $1.offset) }
            for digit in 0..<4 {
                text.append(
                    digit <= group.count ? alphabet[Int(word >> UInt32(18 - 6 * digit) & 63)] : UInt8(ascii: "="))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Everything below a directory but the secrets file.
    private func files(below directory: FilePath) throws -> [(path: FilePath, text: String)] {
        let disk = RealFileSystem()
        var found: [(FilePath, String)] = []
        for name in try disk.list(directory) where !Self.given.contains(name) {
            let path = directory.appending(name)
            switch try disk.status(of: path)?.kind {
            case .directory?: found += try files(below: path)
            case .regular?: found.append((path, String(decoding: try disk.contents(of: path) ?? [], as: UTF8.self)))
            case .symbolicLink?, .other?, nil: continue
            }
        }
        return found
    }

    private func expectNoSecret(in text: String, _ place: String) {
        for secret in Self.secrets { #expect(!text.contains(secret), "\(place) holds '\(secret)': \(text)") }
    }

    @Test func `what is purged leaves no secret behind, and the others keep theirs`() async throws {
        let shell = try Shell()
        let secrets = shell.directory.appending("home").appending("secrets")
        func lines() throws -> Int {
            try #require(try RealFileSystem().contents(of: secrets)).count { $0 == UInt8(ascii: "\n") }
        }
        for name in ["a", "b", "c"] {
            #expect(await shell.run("add", "http://h/\(name)", "--user", "ada:\(name)-s3cret").code == 0)
        }
        let all = try lines()
        #expect(await shell.run("delete", "2").code == 0)
        #expect(try lines() == all, "it can be undone")
        for (id, left) in [("1", all - 1), ("3", all - 2)] {
            #expect(await shell.run("delete", id, "--purge").code == 0)
            #expect(try lines() == left)
        }
    }

    @Test func `no command and no file but one shows a secret`() async throws {
        let (shell, origin) = (try Shell(), try await OriginServer.start())
        let file = file
        origin.on("/mirror.bin") { file.reply(to: $0) }
        origin.on("/away.bin") { _ in .redirect(302, to: "ftp://bob:mirror-s3cret@h/?token=query-s3cret") }
        let host = "127.0.0.1:\(origin.port)"
        let nested = "https%3A%2F%2Feve%3Anested-s3cret%40x%2Fy"
        let query = "access_token=query-s3cret&from=\(nested)"
        let options = [
            "-d", "out", "-H", "X-Api-Key: header-s3cret", "-H", "Cookie: id=cookie-s3cret", "--retries", "0",
        ]
        let mirror = "http://bob:mirror-s3cret@localhost:\(origin.port)/mirror.bin?sig=query-s3cret"
        let main = "http://ada:user-s3cret@\(host)/main.bin?\(query)"
        var commands: [[String]] = [
            ["get", main, "--mirror", mirror, "--json"] + options,
            ["get", "http://\(host)/gone.bin?\(query)", "--user", "ada:option-s3cret", "--verbose"] + options,
            ["get", "http://ada:user-s3cret@\(host)/away.bin?\(query)"] + options,
            ["get", "http://proxied.test/p.bin", "--proxy", "http://eve:proxy-s3cret@\(host)"] + options,
            ["add", "http://127.0.0.1:1/q.bin?\(query)", "-v", "--json"] + options,
            ["get", "http://localhost:\(origin.port)/netrc.bin", "--verbose"] + options,
            ["get", "http://\(host)/token.bin", "--bearer", "@token", "--verbose", "-d", "out"],
            ["get", "http://\(host)/jar.bin", "--cookies", "cookies.txt", "--json", "-d", "out"],
            ["get", "http://proxied.test/s.bin", "--proxy", "socks5h://eve:socks-s3cret@\(host)", "--timeout", "1s"]
                + options,
        ]
        try shell.write(".netrc", Array("machine localhost login zoe password netrc-s3cret\n".utf8))
        try shell.write("token", Array("token-s3cret\n".utf8))
        try shell.write("cookies.txt", Array("127.0.0.1\tFALSE\t/\tFALSE\t0\tjar\tjar-s3cret\n".utf8))
        for json in [[], ["--json"], ["--verbose"]] {
            for command in [
                ["list"], ["show", "1", "2", "3", "4", "5"], ["replay"], ["replay", "--state", "queue,catalog,digest"],
                ["run", "--until-idle", "--no-api"], ["verify"], ["delete", "1"], ["undo"], ["retry", "--all"],
            ] { commands.append(command + json) }
        }
        commands += [["compact", "--keep-events", "0"], ["delete", "1", "--purge", "--json"], ["replay", "--json"]]
        for command in commands {
            let result = await shell.run(command)
            expectNoSecret(in: result.output + result.errors, command.joined(separator: " "))
        }
        for (path, text) in try files(below: shell.directory) { expectNoSecret(in: text, path.string) }
        #expect(try RealFileSystem().status(of: shell.home.appending("secrets"))?.permissions == 0o600)

        let seen = origin.requests
        let first = try #require(seen.first { $0.path == "/main.bin" })
        #expect(first.target == "/main.bin?\(query)")
        #expect(first["authorization"] == "Basic " + Self.basic("ada:user-s3cret"))
        #expect(first["cookie"] == "id=cookie-s3cret" && first["x-api-key"] == "header-s3cret")
        let second = try #require(seen.first { $0.path == "/mirror.bin" })
        #expect(second.target == "/mirror.bin?sig=query-s3cret")
        #expect(second["authorization"] == "Basic " + Self.basic("bob:mirror-s3cret"))
        #expect(second["cookie"] == nil && second["x-api-key"] == nil)
        #expect(
            seen.first { $0.path == "/netrc.bin" }?["authorization"] == "Basic " + Self.basic("zoe:netrc-s3cret"))
        #expect(seen.first { $0.path == "/token.bin" }?["authorization"] == "Bearer token-s3cret")
        #expect(seen.first { $0.path == "/jar.bin" }?["cookie"] == "jar=jar-s3cret")
        let proxied = try #require(seen.first { $0["proxy-authorization"] != nil })
        #expect(proxied["proxy-authorization"] == "Basic " + Self.basic("eve:proxy-s3cret"))
        try await origin.stop()
    }

    @Test func `a proxy with a password may stand in the configuration and in the environment`() async throws {
        let (shell, origin) = (try Shell(), try await OriginServer.start())
        let proxy = "http://eve:proxy%2Fs3cret@127.0.0.1:\(origin.port)"
        #expect(await shell.run("add", "http://first.test/a", "--not-before", "2099-01-01").code == 0)
        try shell.write("home/config.yaml", Array("proxy: \(proxy)\n".utf8))
        #expect(await shell.run("get", "http://proxied.test/a", "--retries", "0", "-q").code == 1)
        try shell.write("home/config.yaml", [])
        let environment = ["LEDGER_PROXY": proxy]
        #expect(
            await shell.run(["get", "http://proxied.test/b", "--retries", "0"], environment: environment).code == 1)
        let proxied = origin.requests.filter { $0["proxy-authorization"] != nil }
        #expect(
            proxied.map { $0["proxy-authorization"] }
                == Array(repeating: "Basic " + Self.basic("eve:proxy/s3cret"), count: 2))
        for (path, text) in try files(below: shell.directory) { #expect(!text.contains("s3cret"), "\(path)") }
        try await origin.stop()
    }

    @Test func `secrets last from one process to the next`() async throws {
        let (shell, origin) = (try Shell(), try await OriginServer.start())
        let file = file
        origin.script("/a.bin", [{ _ in OriginReply(403, [], body: []) }, { file.reply(to: $0) }])
        let url = "http://ada:user-s3cret@127.0.0.1:\(origin.port)/a.bin?token=query-s3cret"
        #expect(await shell.run("get", "-q", "-d", "out", "-H", "Cookie: id=cookie-s3cret", url).code == 1)
        #expect(await shell.run("delete", "1").code == 0)
        #expect(await shell.run("compact", "--keep-events", "0").code == 0)
        #expect(await shell.run("undo").code == 0)
        #expect(await shell.run("retry", "1").code == 0)
        #expect(await shell.run("run", "--until-idle", "--no-api", "-q").code == 0)
        let last = try #require(origin.requests.last)
        #expect(origin.requests.count == 2 && last.target == "/a.bin?token=query-s3cret")
        #expect(last["authorization"] == "Basic " + Self.basic("ada:user-s3cret"))
        #expect(last["cookie"] == "id=cookie-s3cret")
        try await origin.stop()
    }

    static let mistakes: [[String]] = [
        ["list", "http://ada:user-s3cret@h/?token=query-s3cret"], ["add", "http://ada:user-s3cret@/x"],
        ["add", "http://ada:x/user-s3cret@h/x"], ["add", "http://ada:user-s3cret/x@h/x"],
        ["add", "http://ada:user-s3cret?x@h/x"], ["add", "http://ada:user-s3cret#x@h/x"],
        ["add", "ftp://ada:user-s3cret@h/"], ["add", "h/?token=query-s3cret"], ["add", "ada:user-s3cret@h/x"],
        ["add", "http://h:x/#token=query-s3cret"], ["add", "http://h/", "--mirror", "ftp://ada:mirror-s3cret@h/"],
        ["add", "http://h/", "--proxy", "ftp://eve:proxy-s3cret@h/"], ["add", "http://h/", "-H", "header-s3cret"],
        ["add", "http://h/", "-H", "X: header-s3cret\r\nY: z"], ["add", "http://h/", "--user", "option-s3cret"],
        ["add", "http://h/", "--user", ":option-s3cret"],
    ]

    @Test(arguments: mistakes) func `a mistake is told without the secret in it`(arguments: [String]) async throws {
        let shell = try Shell()
        let result = await shell.run(arguments)
        #expect(result.code == 64, "\(result.errors)")
        #expect(result.errors.contains("\n"))
        expectNoSecret(in: result.output + result.errors, "the message")
    }
}
