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

struct ReconcileCommandTests {
    @Test func `files that went their own way are told, taken as they are, or fetched again`() async throws {
        let (shell, origin) = (try Shell(), try await OriginServer.start())
        let bytes = OriginEntity.pattern(3000)
        for name in ["a", "b", "c"] { origin.on("/\(name)") { OriginEntity(bytes).reply(to: $0) } }
        let urls = try ["/a", "/b", "/c"].map { try origin.url($0).text }
        #expect(await shell.run("get", "-q", "-d", "out", urls[0], urls[1]).code == 0)
        let shown = await shell.run("show", "1", "--json").output.split(separator: "sha-256:")
        let checksum = "sha-256=" + (try #require(shown.dropFirst().first)).prefix(64)
        #expect(await shell.run("get", "-q", "-d", "out", "--checksum", checksum, urls[2]).code == 0)
        let whole = await shell.run("reconcile")
        #expect(whole.code == 0 && whole.output == "3 finished files, all as on record\n", "\(whole.errors)")

        try shell.write("out/a", [1, 2, 3])
        try RealFileSystem().unlink(FilePath(shell.directory.string + "/out/b"))
        try shell.write("out/c", [4])
        let last = await shell.run("replay", "--json").lines.count
        let dry = await shell.run("reconcile", "--dry-run", "--json")
        #expect(dry.code == 25 && dry.lines.count == 4, "\(dry.output)")
        let finding = #""was":"completed","state":"altered","action":"recorded","note":null"#
        #expect(dry.lines.first?.contains(finding) ?? false)
        let summary = #""looked":3,"more":0,"open":3,"dryRun":true,"missing":1,"altered":2"#
        #expect(dry.lines.last?.contains(summary) ?? false)
        #expect(await shell.run("replay", "--json").lines.count == last)
        let told = await shell.run("reconcile")
        let words = "/out/c was changed by someone else\n3 finished files, 3 otherwise\n"
        #expect(told.code == 25 && told.output.hasSuffix(words), "\(told.output)")
        let again = await shell.run("reconcile")
        #expect(again.code == 25 && again.output.contains("/out/b is gone, as on record\n"), "\(again.output)")

        let adopted = await shell.run("reconcile", "--adopt")
        #expect(adopted.code == 25 && adopted.output.contains("/out/a was changed by someone else; taken as it is\n"))
        #expect(adopted.output.contains("it is stated what its bytes must hash to"), "\(adopted.output)")
        #expect(await shell.run("list", "--json", "--state", "completed").lines.count == 1)
        let requeued = await shell.run("reconcile", "--requeue", "--json")
        #expect(requeued.code == 0 && requeued.lines.last?.contains(#""open":0"#) ?? false, "\(requeued.output)")
        #expect(await shell.run("run", "-q", "--until-idle", "--no-api").code == 0)
        #expect(await shell.run("list", "--json", "--state", "completed").lines.count == 3)
        #expect(await shell.run("reconcile").code == 0)
        #expect(await shell.run("verify", "--data").code == 0)
        let standing = try RealFileSystem().contents(of: FilePath(shell.directory.string + "/out/c"))
        #expect(standing == [4], "not overwritten")
        try await origin.stop()
    }

    @Test func `a file that can not be looked at is told, and is no file as on record`() async throws {
        let (shell, origin, disk) = (try Shell(), try await OriginServer.start(), RealFileSystem())
        origin.on("/a") { OriginEntity([1, 2]).reply(to: $0) }
        #expect(await shell.run("get", "-q", "-d", "out", try origin.url("/a").text).code == 0)
        let out = FilePath(shell.directory.string + "/out")
        try disk.rename(out, to: FilePath(shell.directory.string + "/aside"), replacing: false)
        // A link to itself: whatever is asked of it is refused, root or not.
        try #require(symlink("out", out.string) == 0)
        for arguments in [["--dry-run"], [], ["--adopt", "--requeue"]] {
            let told = await shell.run(["reconcile"] + arguments)
            #expect(told.code == 25 && told.output.contains("/out/a can not be looked at; "), "\(told.output)")
        }
        try await origin.stop()
    }

    @Test func `without a ledger there is nothing to compare`() async throws {
        #expect(await (try Shell()).run("reconcile").code == 10)
    }
}
