import LedgerAPI
import LedgerModel
import LedgerSystem
import LedgerTestSupport
import SystemPackage
import Testing

@testable import LedgerCommands

/// The way there and who we are, from flags, files and the environment to what an origin and a proxy see.
struct RouteTests {
    private let file = OriginEntity(OriginEntity.pattern(5000))

    /// A shell, and an origin that has `/a.bin` and `/b.bin` and sends `/away.bin` to another origin.
    private func run(
        isSecure: Bool = false, _ body: (Shell, OriginServer, _ url: String) async throws -> Void
    ) async throws {
        let (shell, origin) = (try Shell(), try await OriginServer.start(isSecure: isSecure))
        let file = file
        for name in ["/a.bin", "/b.bin"] { origin.on(name) { file.reply(to: $0) } }
        let target = try origin.url("/a.bin", host: "localhost").text
        origin.on("/away.bin") { _ in .redirect(302, to: target) }
        try await body(shell, origin, try origin.url("").text)
        try await origin.stop()
    }

    @Test func `passwords come from netrc, for the main URL and for mirrors`() async throws {
        try await run { shell, origin, url in
            let machines = "machine 127.0.0.1 login ada password s3cret\nmachine localhost login bob password other\n"
            try shell.write(".netrc", Array("\u{FEFF}\(machines)".utf8))
            let mirror = try origin.url("/b.bin", host: "localhost").text
            #expect(await shell.run("get", url + "gone.bin", "--mirror", mirror, "-q").code == 0)
            #expect(origin.requests.map { $0["authorization"] } == ["Basic YWRhOnMzY3JldA==", "Basic Ym9iOm90aGVy"])
            #expect(await shell.run("get", url + "a.bin", "--no-netrc", "-q").code == 0)
            #expect(origin.requests.last?["authorization"] == nil)
            #expect(await shell.run("get", url + "away.bin", "--user", "eve:x", "-q").code == 0)
            #expect(origin.requests.suffix(2).map { $0["authorization"] } == ["Basic ZXZlOng=", nil])
            let named = url.replacing("http://", with: "http://ada@") + "b.bin"
            #expect(await shell.run("get", named, "-q").code == 0)
            #expect(origin.requests.last?["authorization"] == "Basic YWRhOnMzY3JldA==")
        }
    }

    @Test func `a file of passwords that nobody named and that can not be read is passed over`() async throws {
        try await run { shell, _, url in
            try RealFileSystem().createDirectory(shell.directory.appending(".netrc"), permissions: 0o700)
            let result = await shell.run("add", url + "a.bin")
            #expect(result.code == 0 && result.errors.contains(".netrc' is passed over"), "\(result.errors)")
            #expect(await shell.run("add", url + "a.bin", "--netrc", ".netrc").code == 64)
        }
    }

    @Test func `a file of passwords that is not there, broken or open to others is told`() async throws {
        try await run { shell, _, url in
            let gone = await shell.run("add", url + "a.bin", "--netrc", "gone")
            #expect(gone.code == 64 && gone.errors.contains("gone' can not be found"), "\(gone.errors)")
            try shell.write("broken", Array("machine a\npassword \"x\n".utf8))
            let broken = await shell.run("add", url + "a.bin", "--netrc", "broken")
            #expect(broken.code == 64 && broken.errors.contains("a quote on line 2"), "\(broken.errors)")
            try RealFileSystem().replaceContents(
                of: shell.directory.appending("open"), with: Array("machine a login b password c".utf8),
                permissions: 0o644)
            let open = await shell.run("add", url + "a.bin", "--netrc", "open")
            #expect(open.code == 0 && open.errors.contains("can be read by others"), "\(open.errors)")
        }
    }

    @Test func `a token goes to its origin alone, from a file or from standard input`() async throws {
        try await run { shell, origin, url in
            try shell.write("token", Array("  from-file\n".utf8))
            #expect(await shell.run("get", url + "away.bin", "--bearer", "@token", "-q").code == 0)
            #expect(origin.requests.map { $0["authorization"] } == ["Bearer from-file", nil])
            #expect(await shell.run("get", url + "b.bin", "--bearer", "@-", "-q", input: "from-input\n").code == 0)
            #expect(origin.requests.last?["authorization"] == "Bearer from-input")
            let both = await shell.run("add", url + "b.bin", "--bearer", "x", "--user", "a:b")
            #expect(both.code == 64 && both.errors.contains("either '--bearer TOKEN' or"), "\(both.errors)")
            #expect(await shell.run("add", url + "b.bin", "--bearer", "@gone").code == 64)
        }
    }

    @Test func `cookies go where they belong, and a file that is not there is told`() async throws {
        try await run { shell, origin, url in
            let text = "127.0.0.1\tFALSE\t/\tFALSE\t0\tid\there\nlocalhost\tFALSE\t/\tFALSE\t0\tid\tthere\n"
            try shell.write("cookies.txt", Array(text.utf8))
            #expect(await shell.run("get", url + "away.bin", "--cookies", "cookies.txt", "-q").code == 0)
            #expect(origin.requests.map { $0["cookie"] } == ["id=here", nil])
            for (name, words) in [("gone.txt", "is not there"), ("home/config.yaml", "holds no cookies")] {
                try shell.write("home/config.yaml", Array("jobs: 2\n".utf8))
                let result = await shell.run("get", url + "b.bin", "--cookies", name, "--again")
                #expect(result.code == 1 && result.errors.contains(words), "\(result.errors)")
            }
            #expect(origin.requests.count == 2)
            let far = ["get", url + "away.bin", "--cookies", "cookies.txt", "-q", "--again", "--forward-headers"]
            #expect(await shell.run(far).code == 0)
            #expect(origin.requests.suffix(2).map { $0["cookie"] } == ["id=here", "id=there"])
        }
    }

    @Test func `the environment names proxies, and hosts to be reached without them`() async throws {
        try await run { shell, origin, url in
            let proxy = try await ProxyServer.start(credentials: "eve:x")
            let named = "http://eve:x@\(proxy.authority)"
            #expect(await shell.run(["get", url + "a.bin", "-q"], environment: ["http_proxy": named]).code == 0)
            #expect(proxy.requests.map(\.line) == ["GET \(url)a.bin"])
            for environment in [
                ["HTTP_PROXY": named], ["https_proxy": named], ["all_proxy": named, "NO_PROXY": "127.0.0.1"],
                ["http_proxy": named, "LEDGER_NO_PROXY": "127.0.0.0/8"],
            ] {
                #expect(await shell.run(["get", url + "a.bin", "-q", "--again"], environment: environment).code == 0)
                #expect(proxy.requests.count == 1, "\(environment)")
            }
            let arguments = ["get", url + "a.bin", "-q", "--again", "--proxy", "socks5h://eve:x@\(proxy.authority)"]
            #expect(await shell.run(arguments, environment: ["http_proxy": "http://127.0.0.1:1"]).code == 0)
            #expect(proxy.requests.last?.line == "SOCKS 127.0.0.1:\(origin.port)")
            let wrong = await shell.run(["add", url + "a.bin"], environment: ["all_proxy": "ftp://eve:s3cret@p"])
            #expect(wrong.code == 64 && wrong.errors.contains("'all_proxy' in the environment"), "\(wrong.errors)")
            #expect(!wrong.errors.contains("s3cret"))
            try await proxy.stop()
        }
    }

    @Test func `an input file names proxies, cookies and certificates as aria2 does`() throws {
        let text = """
            https://h/a
             all-proxy=http://all:1
             https-proxy=http://secure:2
             https-proxy-user=eve
             https-proxy-passwd=p w
             no-proxy=a,b
             load-cookies=c.txt
             certificate=/c.pem
             private-key=k.pem
             bearer=t
            http://h/b
             http-proxy=
             all-proxy=http://all:1
             no-netrc=true
            """
        let items = try InputFile(parsing: text).items
        var first = EnqueueRequest(url: "", directory: "/", command: CommandID(high: 0, low: 1))
        var second = first
        #expect(try items[0].apply(to: &first, directory: "/d").isEmpty)
        #expect(first.proxy == "http://eve:p%20w@secure:2" && first.noProxy == "a,b" && first.bearer == "t")
        #expect(first.cookieFile == "/d/c.txt" && first.clientCertificateFile == "/c.pem")
        #expect(first.clientKeyFile == "/d/k.pem" && items[0].usesNetrc)
        #expect(try items[1].apply(to: &second, directory: "/d").isEmpty)
        #expect(second.proxy == "" && !items[1].usesNetrc)
    }

    @Test func `every line about a download without a checked certificate says so`() async throws {
        try await run(isSecure: true) { shell, _, url in
            let refused = await shell.run("get", url + "b.bin", "--retries", "0")
            #expect(refused.code == 1 && !refused.errors.contains("(insecure)"))
            let result = await shell.run("get", url + "a.bin", "--insecure", "--json")
            #expect(result.code == 0 && result.output.contains("\"insecure\":true"), "\(result.output)")
            let ends = result.errors.split(separator: "\n").filter { $0.contains("a.bin") }
            #expect(!ends.isEmpty && ends.allSatisfy { $0.hasSuffix("(insecure)") }, "\(result.errors)")
            #expect(await shell.run("list").lines.filter { $0.contains("(insecure)") }.count == 1)
            let id = try #require(result.output.firstMatch(of: /"id":(\d+)/)?.1)
            #expect(await shell.run("show", String(id)).output.contains("not checked (--insecure)"))
            let lines = await shell.run("replay").lines.filter { $0.contains("#\(id) ") }
            #expect(!lines.isEmpty && lines.allSatisfy { $0.hasSuffix("(insecure)") }, "\(lines)")
            #expect(await shell.run("delete", String(id)).output.contains("(insecure) a.bin"))
            #expect(await shell.run("show", "1", "--json").output.contains("\"insecure\":false"))
        }
    }

    @Test func `how many redirects are followed stands in the configuration`() async throws {
        let (shell, origin) = (try Shell(), try await OriginServer.start())
        let file = file
        origin.on("/b") { file.reply(to: $0) }
        origin.on("/a") { _ in .redirect(302, to: "/b") }
        let url = try origin.url("/a").text
        for (count, code) in [("0", 1), ("1", 0)] {
            let result = await shell.run("get", url, "-q", environment: ["LEDGER_REDIRECTS_MAX": count])
            #expect(result.code == code, "\(count): \(result.errors)")
        }
        let bad = await shell.run("get", url, environment: ["LEDGER_REDIRECTS_MAX": "101"])
        #expect(bad.code == 64 && bad.errors.contains("should be a whole number from 0 to 100"), "\(bad.errors)")
        try await origin.stop()
    }

    @Test func `authorities, certificate and proxy may stand in the configuration`() async throws {
        let shell = try Shell()
        let origin = try await OriginServer.start(isSecure: true, asksForCertificate: true)
        let file = file
        origin.on("/a.bin") { file.reply(to: $0) }
        try shell.write("cert.pem", Array(OriginCertificate.certificate.utf8))
        try shell.write("key.pem", Array(OriginCertificate.key.utf8))
        #expect(await shell.run("add", "http://first.test/a", "--not-before", "2099-01-01").code == 0)
        let text = "cacert: cert.pem\ncert: cert.pem\nkey: key.pem\nproxy: 127.0.0.1:1\nnoProxy: 127.0.0.1\n"
        try shell.write("home/config.yaml", Array(text.utf8))
        let result = await shell.run("get", try origin.url("/a.bin").text, "-q")
        #expect(result.code == 0, "\(result.errors)")
        try await origin.stop()
    }
}
