import LedgerModel
import LedgerSystem
import LedgerTestSupport
import SystemPackage
import Testing

@testable import LedgerCommands

/// `--if-modified` and files that two are to write, from arguments to exit codes.
struct RefreshCommandTests {
    private let old = OriginEntity(OriginEntity.pattern(20_000))

    /// A home in which `/a.bin` was downloaded.
    private func start() async throws -> (Shell, OriginServer, url: String) {
        let (shell, origin) = (try Shell(), try await OriginServer.start())
        let old = old
        origin.on("/a.bin") { old.reply(to: $0) }
        let url = try origin.url("/a.bin").text
        #expect(await shell.run("get", "-d", "out", url).code == 0)
        return (shell, origin, url)
    }

    @Test func `a file that the origin still has stays, and the time is noted`() async throws {
        let (shell, origin, url) = try await start()
        origin.on("/a.bin") { _ in OriginReply(304) }
        let result = await shell.run("get", "--if-modified", "--json", "-d", "out", url)
        #expect(result.code == 0, "\(result.errors)")
        #expect(result.output.contains(#""state":"completed","size":20000,"received":20000"#), "\(result.output)")
        #expect(result.output.contains(#""checkedAt":"20"#))
        #expect(origin.requests.last?["if-none-match"] == "\"v1\"")
        #expect(try shell.names(in: "out") == ["a.bin"] && shell.contents("out/a.bin") == old.bytes)
        let replay = await shell.run("replay", "--json", "-q", "--type", "rechecked,unchanged")
        #expect(replay.lines.count == 2)
        #expect(await shell.run("verify", "-q").code == 0)
        try await origin.stop()
    }

    @Test func `a file is asked about, though it is named otherwise than it was`() async throws {
        let (shell, origin, url) = try await start()
        let new = OriginEntity(OriginEntity.pattern(30_000, seed: 2), entityTag: "\"v2\"")
        origin.on("/a.bin") { new.reply(to: $0) }
        #expect(await shell.run("get", "-q", "--if-modified", "-o", "out/a.bin", url).code == 0)
        #expect(try shell.names(in: "out") == ["a.bin"] && shell.contents("out/a.bin") == new.bytes)
        try await origin.stop()
    }

    @Test func `a newer file takes the old one's place`() async throws {
        let (shell, origin, url) = try await start()
        let new = OriginEntity(OriginEntity.pattern(30_000, seed: 2), entityTag: "\"v2\"")
        origin.on("/a.bin") { new.reply(to: $0) }
        #expect(await shell.run("add", "--if-modified", "-d", "out", url).code == 0)
        #expect(await shell.run("list", "--json").output.contains(#""state":"queued""#))
        let catalog = await shell.run("replay", "--state", "catalog", "--json").output
        #expect(catalog.contains(#""catalog":[{"id":1,"#), "\(catalog)")
        #expect(await shell.run("run", "--until-idle", "--no-api", "-q").code == 0)
        #expect(try shell.names(in: "out") == ["a.bin"] && shell.contents("out/a.bin") == new.bytes)
        #expect(await shell.run("list", "--json").output.contains(#""state":"completed","size":30000"#))
        try await origin.stop()
    }

    @Test func `an origin that fails leaves file and row, and the exit code says so`() async throws {
        let (shell, origin, url) = try await start()
        origin.on("/a.bin") { _ in OriginReply(404) }
        let result = await shell.run("get", "--if-modified", "-d", "out", url)
        #expect(result.code == 1)
        #expect(result.errors.contains("stays as it was: the origin answered 404 Not Found"), "\(result.errors)")
        let row = await shell.run("list", "--json").output
        #expect(row.contains(#""state":"completed","size":20000"#) && row.contains(#""error":{"code":"status""#))
        #expect(try shell.contents("out/a.bin") == old.bytes)
        #expect(await shell.run("get", "-d", "out", url).code == 0, "the file is there")
        try await origin.stop()
    }

    @Test func `a file that was no longer asked about is told as one that was not checked`() async throws {
        let (shell, origin, url) = try await start()
        let gate = OriginGate()
        let new = OriginEntity(OriginEntity.pattern(300_000, seed: 2), entityTag: "\"v2\"")
        origin.serve("/a.bin", new, stoppingAt: 200_000, gate)
        async let asking = shell.run("get", "--if-modified", "-d", "out", url)
        await gate.reached()
        #expect(await shell.run("cancel", "1").code == 0)
        let result = await asking
        #expect(result.code == 1 && result.errors.contains("stays as it was"), "\(result.errors)")
        #expect(try shell.names(in: "out") == ["a.bin"] && shell.contents("out/a.bin") == old.bytes)
        gate.open()
        try await origin.stop()
    }

    @Test func `a file that is gone or changed is fetched when it is asked for again`() async throws {
        let (shell, origin, url) = try await start()
        for change in ["gone", "changed"] {
            let path = shell.directory.appending("out/a.bin")
            if change == "gone" { try RealFileSystem().unlink(path) } else { try shell.write("out/a.bin", [1]) }
            let count = origin.requests.count
            #expect(await shell.run("get", "-d", "out", url).code == 0)
            #expect(origin.requests.count == count + 1, "\(change)")
        }
        #expect(try shell.names(in: "out").sorted() == ["a (1).bin", "a.bin"])
        // Nor is a file of another type what is asked for.
        let other = await shell.run("get", "-d", "out", url, "--expect-type", "video/*")
        #expect(other.code == 1 && other.errors.contains("where 'video/*' is expected"), "\(other.errors)")
        try await origin.stop()
    }

    @Test func `another URL into a file that is being written joins its writer, unless asked for again`() async throws {
        let (shell, origin) = (try Shell(), try await OriginServer.start())
        let (one, two) = (try origin.url("/a.bin").text, try origin.url("/b.bin").text)
        let (old, new) = (old, OriginEntity(OriginEntity.pattern(9)))
        origin.on("/a.bin") { old.reply(to: $0) }
        origin.on("/b.bin") { new.reply(to: $0) }
        #expect(await shell.run("add", "-d", "out", "-o", "x", one).code == 0)
        let joined = await shell.run("add", "-d", "out", "-o", "x", two)
        #expect(joined.code == 0 && joined.output == "1\n", "\(joined.errors)")
        #expect(await shell.run("add", "-d", "out", "-o", "x", "--again", two).output == "2\n")
        #expect(await shell.run("run", "--until-idle", "--no-api", "-q", "-j", "1").code == 0)
        #expect(try shell.names(in: "out") == ["x", "x (1)"])
        #expect(try shell.contents("out/x") == old.bytes && shell.contents("out/x (1)") == new.bytes)
        try await origin.stop()
    }
}
