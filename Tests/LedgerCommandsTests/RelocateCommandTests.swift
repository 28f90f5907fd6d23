import LedgerModel
import LedgerSystem
import LedgerTestSupport
import SystemPackage
import Testing

@testable import LedgerCommands

struct RelocateCommandTests {
    @Test func `a directory that was moved is gone on with where it is`() async throws {
        let (shell, origin, disk) = (try Shell(), try await OriginServer.start(), RealFileSystem())
        let bytes = OriginEntity.pattern(3000)
        for name in ["a", "b", "c", "d"] { origin.on("/\(name)") { OriginEntity(bytes).reply(to: $0) } }
        let urls = try ["/a", "/b", "/c", "/d"].map { try origin.url($0).text }
        let (old, new) = (FilePath(shell.directory.string + "/old"), FilePath(shell.directory.string + "/new"))
        #expect(await shell.run("get", "-q", "-d", "old/sub", urls[0], urls[1]).code == 0)
        #expect(await shell.run("add", "-d", "old", urls[2]).code == 0)
        #expect(await shell.run("add", "-d", "elsewhere", urls[3]).code == 0)
        #expect(await shell.run("delete", "2").code == 0)
        let early = await shell.run("relocate", "old", "new")
        #expect(early.code == 64 && early.errors.contains("move the directory first"), "\(early.errors)")
        try disk.rename(old, to: new, replacing: false)

        let nested = await shell.run("relocate", "new", "new/sub")
        #expect(nested.code == 64 && nested.errors.contains("one lies in the other"), "\(nested.errors)")
        let done = await shell.run("relocate", "old", "new", "--json")
        #expect(done.code == 0 && done.lines.count == 3, "\(done.output)")
        #expect(done.lines.allSatisfy { !$0.contains("/old") })
        #expect(await shell.run("reconcile").output == "1 finished file, all as on record\n")
        #expect(await shell.run("undo").code == 0, "the file in the trash goes back to where its directory is")
        #expect(try disk.contents(of: new.appending("sub").appending("b")) == bytes)
        #expect(await shell.run("run", "-q", "--until-idle", "--no-api").code == 0)
        #expect(try disk.contents(of: new.appending("c")) == bytes)
        #expect(try disk.status(of: old) == nil)
        let again = await shell.run("relocate", "old", "new")
        #expect(again.code == 0 && again.errors.contains("no download has its file in \(old)"))

        // A copy on another disk is another file: read, and known by its bytes; one that is none is told.
        try shell.write("new/sub/a.copy", bytes)
        try disk.rename(
            new.appending("sub").appending("a.copy"), to: new.appending("sub").appending("a"), replacing: true)
        try shell.write("new/c", [1])
        let told = await shell.run("reconcile")
        #expect(told.code == 25 && told.output.hasSuffix("4 finished files, 1 otherwise\n"), "\(told.output)")
        #expect(await shell.run("explain", "1").output.contains("/old was moved to "))
        try await origin.stop()
    }
}
