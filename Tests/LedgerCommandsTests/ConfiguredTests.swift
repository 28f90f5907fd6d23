import LedgerModel
import LedgerSystem
import LedgerTestSupport
import SystemPackage
import Testing

@testable import LedgerCommands

/// What stands in the configuration, or beside a list, counts for every command that takes orders.
struct ConfiguredTests {
    @Test func `the queue's bound holds for add when nobody holds the ledger`() async throws {
        let shell = try Shell()
        let most = ["LEDGER_QUEUE_MAX": "2"]
        #expect(await shell.run(["add", "http://h/1", "http://h/2"], environment: most).code == 0)
        let refused = await shell.run(["add", "http://h/3"], environment: most)
        #expect(refused.code == 1 && refused.output.isEmpty, "\(refused.errors)")
        let evicting = most.merging(["LEDGER_QUEUE_POLICY": "evict-oldest"]) { $1 }
        #expect(await shell.run(["add", "http://h/4"], environment: evicting).code == 0)
        #expect(await shell.run("list", "--state", "queued", "--json").lines.count == 2)
        #expect(await shell.run("replay").output.contains("(evicted)"))
    }

    @Test func `a row that waits for its time waits for it in another ledger`() async throws {
        let (one, other) = (try Shell(), try Shell())
        #expect(await one.run("add", "http://h/a", "--not-before", "2099-01-01").code == 0)
        try other.write("rows", Array(await one.run("list", "--json").output.utf8))
        #expect(await other.run("import", "rows").code == 0)
        #expect(await other.run("list", "--json").output.contains("\"retryAt\":\"2099-01-01"))
    }

    @Test func `a feed that is followed again says what holds no more of how it was`() async throws {
        let shell = try Shell()
        try shell.write("feed.xml", Array("<rss version='2.0'><channel><title>T</title></channel></rss>".utf8))
        let first = await shell.run("feed", "add", "feed.xml", "--auto", "--keep", "3", "-d", "there")
        #expect(first.code == 0 && !first.errors.contains("another way"), "\(first.errors)")
        let again = await shell.run("feed", "add", "feed.xml", "--keep", "5", "-d", "there")
        #expect(
            again.errors.hasPrefix(
                "feed 1 is followed in another way now: --auto is no, was yes; --keep is 5, was 3\n"), "\(again.errors)"
        )
        #expect(await shell.run("feed", "add", "feed.xml", "--keep", "5", "-d", "there").errors == "T: entries: 0\n")
    }

    @Test func `files that have no directory of their own go where import says`() async throws {
        let shell = try Shell()
        try shell.write("rows", Array("{\"url\": \"http://h/a\", \"output\": \"x\"}\n".utf8))
        #expect(await shell.run("import", "rows", "-d", "there").code == 0)
        #expect(await shell.run("list", "--json").output.contains("\(shell.directory)/there/x"))
        // As aria2 reads it: below the directory, also with a slash before it.
        try shell.write("list", Array("http://h/b\n out=/deep/y\n".utf8))
        #expect(await shell.run("add", "-i", "list", "-d", "there").code == 0)
        #expect(await shell.run("list", "--json").output.contains("\(shell.directory)/there/deep/y"))
    }

    @Test func `what a feed brings goes where it is configured, and a directory without a name is none`() async throws {
        let shell = try Shell()
        try shell.write("feed.xml", Array("<rss><channel><title>T</title></channel></rss>".utf8))
        let configured = ["LEDGER_DIR": shell.directory.string + "/there"]
        let added = await shell.run(["feed", "add", "feed.xml", "--json"], environment: configured)
        #expect(added.code == 0 && added.output.contains("\(shell.directory)/there"), "\(added)")
        for command in [
            ["feed", "add", "feed.xml", "-d", ""], ["import", "-d", "", "feed.xml"], ["get", "-d", "", "http://h/x"],
            ["run", "--until-idle", "--allow-dir", ""], ["run", "--until-idle", "-d", ""],
            ["run", "--until-idle", "--checkpoints", ""], ["relocate", "", "/"], ["relocate", "/a", ""],
        ] {
            let refused = await shell.run(command)
            #expect(refused.code == 64 && refused.errors.contains("names no directory"), "\(command): \(refused)")
        }
    }

    @Test func `a feed is read by the proxy of whoever reads it, also where nobody holds the ledger`() async throws {
        let (shell, origin) = (try Shell(), try await OriginServer.start())
        origin.otherwise { OriginEntity(Array("<rss><channel><title>T</title></channel></rss>".utf8)).reply(to: $0) }
        let environment = ["http_proxy": try origin.url("").text, "LEDGER_USER_AGENT": "me/1"]
        for command in [["feed", "add", "http://feeds.example.org/feed.xml"], ["feed", "refresh"]] {
            let done = await shell.run(command, environment: environment)
            #expect(done.code == 0, "\(done)")
        }
        #expect(origin.requests.map(\.target) == Array(repeating: "http://feeds.example.org/feed.xml", count: 2))
        #expect(origin.requests.allSatisfy { $0["user-agent"] == "me/1" })
        try await origin.stop()
    }

    @Test func `what is followed is searched by words, and options that would say nothing are told`() async throws {
        let shell = try Shell()
        for name in ["Radio News", "Other"] {
            try shell.write("\(name).xml", Array("<rss><channel><title>\(name)</title></channel></rss>".utf8))
            #expect(await shell.run("feed", "add", "\(name).xml").code == 0)
        }
        let all = await shell.run("feed", "list", "--json").lines
        #expect(all.count == 2)
        #expect(
            await shell.run("feed", "list", "--search", "news RADIO", "--json").lines
                == all.filter { $0.contains("News") })
        #expect(await shell.run("feed", "list", "--available").code == 64)
        let run = await shell.run("run", "--until-idle", "--no-api", "-d", ".", "--allow-private")
        #expect(run.code == 0 && run.errors.contains("'--no-api' serves nobody whom -d, --allow-private would be for"))
    }

    @Test func `a directory above one behind a link is where the system finds it`() async throws {
        let (shell, disk) = (try Shell(), RealFileSystem())
        for name in ["real", "real/sub"] {
            try disk.createDirectory(shell.directory.appending(name), permissions: 0o700)
        }
        shell.link("link", to: "real/sub")
        #expect(await shell.run("add", "-d", "link/../new", "http://h/x").code == 0)
        #expect(await shell.run("list", "--json").output.contains("/real/new/"))
        #expect(try shell.names(in: "").sorted() == ["home", "link", "real"])
        #expect(await shell.run("add", "-d", "link/new", "http://h/y").code == 0)
        #expect(await shell.run("list", "--json").output.contains("/link/new/"), "a link itself stays as it was named")
    }

    @Test func `what a list of someone else's says can not steer the terminal`() async throws {
        let shell = try Shell()
        try shell.write("list", Array("http://h/x\n max-download-limit=\u{1B}]0;x\u{7}x\n".utf8))
        try shell.write("rows", Array("{\"url\": \"http://h/x\", \"split\": \"\\u001b[31m\"}\n".utf8))
        for command in [["add", "-i", "list"], ["import", "rows"]] {
            let refused = await shell.run(command)
            #expect(refused.code != 0 && !refused.errors.contains("\u{1B}") && refused.errors.contains("\u{FFFD}"))
        }
    }

    @Test func `passwords that others can read are warned of once, however many URLs the ledger has already`()
        async throws
    {
        let shell = try Shell()
        try shell.write(".netrc", Array("machine h login a password b\n".utf8), permissions: 0o644)
        try shell.write("list", Array((1...9).map { "http://g/\($0)\n" }.joined().utf8))
        #expect(await shell.run("add", "-i", "list").code == 0)
        let again = await shell.run("add", "-i", "list", "--split", "3")
        #expect(again.code == 0 && again.errors.split(separator: "can be read by others").count == 2, "\(again.errors)")
    }

    @Test func `a configured directory that can not be used is told with the place where it stands`() async throws {
        let shell = try Shell()
        try shell.write("file", [])
        let result = await shell.run(["run", "--until-idle"], environment: ["LEDGER_DIR": "file/below"])
        #expect(result.code == 74 && result.errors.contains("'dir' in '\(shell.home)/config.yaml'"), "\(result)")
    }
}
