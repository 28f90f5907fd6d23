import LedgerModel
import LedgerSystem
import LedgerTestSupport
import SystemPackage
import Testing

@testable import LedgerCommands

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Metalinks as people give them: files, standard input, URLs.
struct MetalinkCommandTests {
    private let file = OriginEntity(OriginEntity.pattern(5000))

    private static func document(_ files: String) -> [UInt8] {
        Array("<metalink xmlns=\"urn:ietf:params:xml:ns:metalink\">\n\(files)\n</metalink>\n".utf8)
    }

    /// A shell and an origin that serves `file` under these paths.
    private func start(_ paths: String...) async throws -> (shell: Shell, origin: OriginServer, url: String) {
        let (shell, origin) = (try Shell(), try await OriginServer.start())
        let file = file
        for path in paths { origin.on(path) { file.reply(to: $0) } }
        return (shell, origin, "http://127.0.0.1:\(origin.port)")
    }

    @Test func `get downloads what a Metalink describes, from the best mirror that has it`() async throws {
        let (shell, origin, url) = try await start("/b.bin")
        let sum = "1ee63c61c4a35366fd4e1748608fdb6538de86fea79671ddea88f3141ab58669"
        try shell.write(
            "list.meta4",
            Self.document(
                """
                <file name="../sub/one.bin"><size>5000</size><hash type="sha-256">\(sum)</hash>
                <url priority="2">\(url)/b.bin</url><url priority="1">\(url)/gone.bin</url><metaurl/></file>
                <file name="two.bin"><url>\(url)/b.bin?two</url></file>
                """))
        let result = await shell.run("get", "--metalink", "list.meta4", "-d", "files")
        #expect(result.code == 0, "\(result)")
        #expect(try shell.contents("files/sub/one.bin") == file.bytes)
        #expect(try shell.contents("files/two.bin") == file.bytes)
        #expect(result.errors.contains("line 3 of 'list.meta4': a torrent or another description is left out"))
        #expect(origin.requests.map(\.target).contains("/gone.bin"))
        try await origin.stop()
    }

    @Test func `a file that is not what the Metalink says is refused`() async throws {
        let (shell, origin, url) = try await start("/b.bin")
        let hash = String(repeating: "0", count: 64)
        let document = Self.document(
            "<file name='b.bin'><hash type='sha-256'>\(hash)</hash><url>\(url)/b.bin</url></file>")
        let result = await shell.run(
            "get", "--metalink", "-", "--json", input: String(decoding: document, as: UTF8.self))
        #expect(result.code == 1)
        #expect(result.output.contains("digest-mismatch"))
        #expect(try shell.contents("b.bin") == nil)
        try await origin.stop()
    }

    @Test(arguments: [1, 0])
    func `a Metalink that can not be fetched for now is asked for again, as often as a download`(retries: Int)
        async throws
    {
        let (shell, origin, url) = try await start("/b.bin", "/other.bin")
        let document = Self.document("<file name='b.bin'><url>\(url)/b.bin</url></file>")
        origin.script(
            "/x.meta4",
            [
                { _ in OriginReply(500) },
                { _ in OriginReply(200, [("Content-Type", "application/metalink4+xml")], body: document) },
            ])
        let result = await shell.run(
            "get", "--retries", "\(retries)", "-d", "out", "\(url)/other.bin", "\(url)/x.meta4")
        #expect((result.code == 0) == (retries == 1), "\(result)")
        #expect(result.errors.contains("trying again in") == (retries == 1), "\(result)")
        #expect(try shell.contents("out/b.bin") == (retries == 1 ? file.bytes : nil))
        try await origin.stop()
    }

    @Test func `a URL of a Metalink is followed, with relative URLs, and without what belongs to its place`()
        async throws
    {
        let (shell, origin, url) = try await start("/dir/b.bin")
        let (_, other, elsewhere) = try await start("/c.bin")
        let document = Self.document(
            "<file name='b.bin'><url>b.bin</url></file><file name='c.bin'><url>\(elsewhere)/c.bin</url></file>")
        origin.on("/dir/x.meta4") { _ in
            OriginReply(200, [("Content-Type", "application/metalink4+xml")], body: document)
        }
        let result = await shell.run("get", url + "/dir/x.meta4", "-H", "X-Key: s3cret", "--user", "ada:pw")
        #expect(result.code == 0, "\(result)")
        #expect(try shell.contents("b.bin") == file.bytes)
        #expect(try shell.contents("c.bin") == file.bytes)
        #expect(try shell.contents("x.meta4") == nil)
        #expect(origin.requests.allSatisfy { $0["x-key"] == "s3cret" && $0["authorization"] != nil })
        #expect(!other.requests.isEmpty)
        #expect(other.requests.allSatisfy { $0["x-key"] == nil && $0["authorization"] == nil })
        try await origin.stop()
        try await other.stop()
    }

    @Test(arguments: [
        ["--mirror", "http://h/b.bin"], ["--checksum", "md5=00000000000000000000000000000000"], ["-o", "x"],
    ])
    func `what is said of one file is refused for the several of a Metalink`(_ flags: [String]) async throws {
        let (shell, origin, url) = try await start("/b.bin", "/c.bin")
        let files = ["b", "c"].map { "<file name='\($0).bin'><url>\(url)/\($0).bin</url></file>" }
        origin.on("/x.meta4") { _ in
            OriginReply(
                200, [("Content-Type", "application/metalink4+xml")], body: Self.document(files.joined(separator: "\n"))
            )
        }
        let result = await shell.run(["get", url + "/x.meta4"] + flags)
        #expect(result.code == 64 && result.errors.contains("describes 2 files"), "\(result)")
        #expect(try shell.contents("b.bin") == nil && shell.contents("c.bin") == nil)
        try await origin.stop()
    }

    @Test func `the document itself is to be had, and one of another name can be followed`() async throws {
        let (shell, origin, url) = try await start("/b.bin")
        let document = Self.document("<file name='b.bin'><url>/b.bin</url></file>")
        for path in ["/x.meta4", "/x.xml"] { origin.on(path) { _ in OriginReply(body: document) } }
        #expect(await shell.run("get", "--no-follow-metalink", url + "/x.meta4").code == 0)
        #expect(try shell.contents("x.meta4") == document)
        #expect(await shell.run("get", "--metalink", url + "/x.xml", "-o", "mine.bin").code == 0)
        #expect(try shell.contents("mine.bin") == file.bytes)
        try await origin.stop()
    }

    @Test func `what can not be read is refused with its line, before anything is enqueued`() async throws {
        let (shell, origin, url) = try await start("/b.bin")
        try shell.write("bad.meta4", Self.document("<file name='x'><url>ftp://h/x</url></file>"))
        try shell.write(
            "two.meta4",
            Self.document("<file name='x'><url>\(url)/b.bin</url></file><file name='y'><url>\(url)/b.bin</url></file>"))
        origin.on("/page.meta4") { _ in OriginReply(200, [("Content-Type", "text/html")], body: Array("<p>no".utf8)) }
        for (arguments, code, words) in [
            (["--metalink", "bad.meta4"], 64, "usage: line 2 of 'bad.meta4': the file has no URL that can be fetched"),
            (["--metalink", "none.meta4"], 64, "usage: the Metalink 'none.meta4' can not be found"),
            (["--metalink", "two.meta4", "-o", "one"], 64, "one name is given, and 'two.meta4' describes 2 files"),
            ([url + "/gone.meta4"], 1, "refused: the Metalink '\(url)/gone.meta4' can not be fetched"),
            ([url + "/page.meta4"], 1, "refused: line 1 of '\(url)/page.meta4': the document is no Metalink"),
            (["--metalink", "-", "-i", "-"], 64, "Standard input can be read once"),
        ] as [([String], Int32, String)] {
            let result = await shell.run(["add"] + arguments)
            #expect(result.code == code, "\(arguments): \(result)")
            #expect(result.errors.contains(words), "\(result.errors)")
        }
        #expect(await shell.run("list").code == 10)
        try await origin.stop()
    }

    @Test func `what a server named is no way out by a link that was put there since`() async throws {
        let (shell, origin, url) = try await start("/b.bin", "/e.mp3")
        try shell.write("x.meta4", Self.document("<file name='sub/b.bin'><url>\(url)/b.bin</url></file>"))
        let feed = """
            <rss version="2.0"><channel><title>Radio</title><item><guid>e</guid><enclosure url="/e.mp3"/></item>
            </channel></rss>
            """
        origin.on("/feed.xml") { _ in OriginReply(body: Array(feed.utf8)) }
        let outside = shell.directory.appending("outside")
        try RealFileSystem().createDirectory(outside, permissions: 0o755)
        #expect(await shell.run("add", "--metalink", "x.meta4", "-d", "out").code == 0)
        // Made beforehand: whether it can be written to is looked at first.
        try RealFileSystem().removeTree(shell.directory.appending("out/sub"))
        for name in ["sub", "Radio"] {
            try #require(symlink("../outside", shell.directory.appending("out/" + name).string) == 0)
        }
        #expect(await shell.run("feed", "add", url + "/feed.xml", "--auto", "-d", "out").code == 0)
        let run = await shell.run("run", "--until-idle", "--no-api")
        #expect(run.code == 1, "\(run)")
        #expect(try RealFileSystem().list(outside) == [])
        let rows = await shell.run("list", "--json", "--state", "failed")
        #expect(rows.lines.count == 2 && rows.lines.allSatisfy { $0.contains("a symbolic link has come") }, "\(rows)")
        try await origin.stop()
    }

    @Test func `a directory of a Metalink that is a symbolic link is not followed`() async throws {
        let shell = try Shell()
        try shell.write("x.meta4", Self.document("<file name='sub/x'><url>http://h/x</url></file>"))
        try #require(symlink("/tmp", shell.directory.string + "/sub") == 0)
        let result = await shell.run("add", "--metalink", "x.meta4")
        #expect(result.code == 64)
        #expect(result.errors.contains("is a symbolic link, and a Metalink names it as a directory"))
    }
}
