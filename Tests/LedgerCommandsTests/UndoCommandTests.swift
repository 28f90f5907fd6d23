import LedgerModel
import LedgerSystem
import LedgerTestSupport
import SystemPackage
import Testing

@testable import LedgerCommands

/// `undo` as a person meets it: what is listed, what would be done, what the trash lets go.
struct UndoCommandTests {
    /// A ledger with so many finished files of 2,000 bytes in `out`.
    private func finished(_ count: Int) async throws -> (Shell, OriginServer) {
        let origin = try await OriginServer.start()
        let shell = try Shell()
        for number in 1...count {
            origin.serve("/f\(number)", OriginEntity(OriginEntity.pattern(2000, seed: UInt64(number))))
            #expect(await shell.run("add", "-d", "out", try origin.url("/f\(number)").text).code == 0)
        }
        #expect(await shell.run("run", "--until-idle", "-q").code == 0)
        return (shell, origin)
    }

    @Test func `what can be undone is listed with who, when, what and until when`() async throws {
        let (shell, origin) = try await finished(2)
        #expect(await shell.run("undo", "--list").output == "nothing to undo\n")
        #expect(await shell.run("delete", "1", "2").code == 0)
        #expect(await shell.run("add", "http://a/x").code == 0)
        #expect(await shell.run("pause", "--all").code == 0)
        let table = await shell.run("undo", "--list")
        #expect(table.lines.count == 4, "\(table.output)")
        #expect(table.lines[1].contains("  cli  ") && table.lines[1].contains("  paused  "))
        #expect(table.lines[3].contains("  deleted, file in trash  f1    20"), "\(table.output)")
        let rows = await shell.run("undo", "--list", "--json", "--limit", "2")
        #expect(rows.lines.count == 2)
        #expect(rows.lines[0].contains(#""type":"paused""#))
        #expect(rows.lines[0].contains(#""effect":"resumed","until":null"#))
        #expect(rows.lines[1].contains(#""type":"deleted","id":"#) && rows.lines[1].contains(#""actor":"cli","#))
        #expect(rows.lines[1].contains(#""effect":"completed again","until":"20"#))
        #expect(await shell.run("undo", "5", "--list").code == 64)
        try await origin.stop()
    }

    @Test func `a dry run says what undo would do, and a bulk deletion is undone as one`() async throws {
        let (shell, origin) = try await finished(3)
        #expect(await shell.run("delete", "--state", "completed").code == 0)
        #expect(try shell.names(in: "out") == [])
        let dry = await shell.run("undo", "--dry-run")
        #expect(dry.code == 0 && dry.lines.count == 3)
        #expect(dry.lines[0].contains(" would be completed again (event "), "\(dry.output)")
        #expect(try shell.names(in: "out") == [], "nothing was done")
        #expect(await shell.run("undo").lines.count == 3)
        #expect(try shell.names(in: "out") == ["f1", "f2", "f3"])
        let nothing = await shell.run("undo", "--dry-run")
        #expect(nothing.code == 1 && nothing.errors.hasPrefix("refused: there is nothing to undo"))
        try await origin.stop()
    }

    @Test func `what is undone of many is chosen as what is done to many`() async throws {
        let (shell, origin) = try await finished(3)
        for id in ["1", "2", "3"] { #expect(await shell.run("delete", id).code == 0) }
        let dry = await shell.run("undo", "1", "3", "--dry-run")
        #expect(dry.code == 0 && dry.lines.map { $0.prefix(2) } == ["1 ", "3 "], "\(dry.output)\(dry.errors)")
        let two = await shell.run("undo", "1", "3")
        #expect(two.code == 0 && two.lines.map { $0.prefix(8) } == ["1 undone", "3 undone"], "\(two.output)")
        #expect(try shell.names(in: "out") == ["f1", "f3"])
        #expect(await shell.run("delete", "3").code == 0)
        #expect(await shell.run("undo", "--search", "f2", "--dry-run", "--json").output == "", "it is deleted")
        #expect(await shell.run("undo", "--state", "deleted", "--search", "f2", "--list").lines.count == 2)
        let found = await shell.run("undo", "--state", "deleted", "--search", "f2")
        #expect(found.code == 0 && found.lines.map { $0.prefix(8) } == ["2 undone"], "\(found.output)")
        #expect(await shell.run("undo", "--all").lines.map { $0.prefix(8) } == ["3 undone"])
        #expect(try shell.names(in: "out") == ["f1", "f2", "f3"])
        let none = await shell.run("undo", "--all")
        #expect(none.code == 0 && none.output == "" && none.errors == "there is nothing to undo\n", "\(none.errors)")
        let mixed = await shell.run("undo", "1", "9999")
        #expect(mixed.code == 1, "\(mixed.output)\(mixed.errors)")
        for arguments in [["1", "--all"], ["--all", "--state", "deleted"], ["--search", ""], ["--list", "--all"]] {
            #expect(await shell.run(["undo"] + arguments).code == 64, "\(arguments)")
        }
        try await origin.stop()
    }

    @Test func `a file that is gone from the trash is not promised`() async throws {
        let (shell, origin) = try await finished(1)
        try await origin.stop()
        #expect(await shell.run("delete", "1").code == 0)
        #expect((await shell.run("undo", "--dry-run")).output.contains("1 would be completed again (event "))
        let name = try #require(try shell.names(in: "home/trash").first)
        try shell.removeFile("home/trash/" + name)
        let dry = await shell.run("undo", "--dry-run")
        #expect(dry.output.contains("1 would be missing: its file is gone (event "), "\(dry.output)")
        #expect((await shell.run("undo", "--list", "--json")).output.contains(#""effect":"missing: its file is gone""#))
        #expect(await shell.run("undo").code == 1)
        #expect((await shell.run("list", "--json")).output.contains(#""state":"missing""#))
    }

    @Test func `what the disk refuses of a deletion or an undo is no success, and is done later`() async throws {
        let (shell, origin) = try await finished(1)
        // No directory can be made there.
        try shell.write("home/trash", [])
        let deleted = await shell.run("delete", "1")
        #expect(deleted.code == 74 && deleted.output == "1 deleted: f1\n", "\(deleted.output)")
        let words = "warning: 1: its files stay as they are until the next 'ledger run': can not "
        #expect(deleted.errors.contains(words), "\(deleted.errors)")
        try shell.removeFile("home/trash")
        #expect(await shell.run("run", "--until-idle", "-q").code == 0)
        #expect(try shell.names(in: "out") == [])
        try shell.rename("out", to: "elsewhere")
        try shell.write("out", [])
        let undone = await shell.run("undo", "--json")
        #expect(undone.code == 74 && undone.lines.count == 1 && undone.errors.contains(words), "\(undone.errors)")
        try shell.removeFile("out")
        #expect(await shell.run("run", "--until-idle", "-q").code == 0)
        #expect(try shell.names(in: "out") == ["f1"])
        try await origin.stop()
    }

    @Test func `a file that is not there any more is told, also where rows go to a program`() async throws {
        let (shell, origin) = try await finished(1)
        #expect(await shell.run("delete", "1", "--keep-file").output.hasPrefix("1 deleted, its file kept: "))
        try shell.removeFile("out/f1")
        let undo = await shell.run("undo", "--json", "-q")
        #expect(undo.code == 1 && undo.lines.count == 1 && undo.output.contains(#""state":"missing""#))
        #expect(undo.errors.contains("'ledger retry 1' fetches it again"), "\(undo.errors)")
        try await origin.stop()
    }

    @Test func `the number of a download stands for it when there is nothing left to undo`() async throws {
        let shell = try Shell()
        #expect(await shell.run("add", "http://a/x").code == 0)
        #expect(await shell.run("pause", "1").code == 0)
        #expect(await shell.run("undo", "1").code == 0)
        for flags in [[], ["--dry-run"]] {
            let again = await shell.run(["undo", "1"] + flags)
            #expect(again.code == 1)
            #expect(
                again.errors.hasPrefix("refused: nothing that was done to download 1 can be undone now\n"),
                "\(again.errors)")
        }
        // Event 2 is no download.
        #expect(await shell.run("undo", "2").errors.hasPrefix("refused: event 2 can not be undone\n"))
    }

    @Test func `a deletion says that what a download had received is not brought back`() async throws {
        let origin = try await OriginServer.start()
        let (shell, gate, entity) = (try Shell(), OriginGate(), OriginEntity(OriginEntity.pattern(300_000)))
        origin.script(
            "/a.bin",
            [
                { entity.reply(to: $0).cut(after: 40_000) }, { entity.reply(to: $0).holding(at: gate, after: 0) },
                { entity.reply(to: $0) },
            ])
        let (interrupts, stop) = AsyncStream.makeStream(of: Void.self)
        async let stopped = shell.run(
            "get", "-q", "-d", shell.directory.string + "/out", try origin.url("/a.bin").text, interrupts: interrupts)
        await gate.reached()
        stop.yield()
        _ = try await stopped
        gate.open()
        #expect(try shell.names(in: "out").count == 1)
        #expect(await shell.run("add", "http://a/x").code == 0)
        let delete = await shell.run("delete", "--all")
        #expect(delete.code == 0 && delete.errors.contains("1: what it had received is removed: "), "\(delete.errors)")
        #expect(delete.errors.contains("'ledger undo' lets it begin anew"))
        // Of what had received nothing, nothing is lost.
        #expect(delete.errors.split(separator: "removed").count == 2, "\(delete.errors)")
        #expect(try shell.names(in: "out") == [])
        #expect(await shell.run("undo", "1").code == 0)
        let purge = await shell.run("delete", "1", "--purge")
        #expect(purge.code == 0 && !purge.errors.contains("undo"), "\(purge.errors)")
        try await origin.stop()
    }

    @Test func `a home that was moved finds its trash, and a copy leaves that of the original alone`() async throws {
        let (shell, origin) = try await finished(2)
        try await origin.stop()
        #expect(await shell.run("delete", "1", "2").code == 0)
        #expect(await shell.run("backup", "copy").code == 0)
        let copy = ["LEDGER_HOME": shell.directory.string + "/copy"]
        #expect(await shell.run("delete", "--purge", "--state", "deleted", environment: copy).code == 0)
        #expect(try shell.names(in: "home/trash").count == 2)
        try RealFileSystem().rename(shell.home, to: shell.directory.appending("moved"), replacing: false)
        let moved = ["LEDGER_HOME": shell.directory.string + "/moved"]
        let undo = await shell.run("undo", environment: moved)
        #expect(undo.code == 0 && !undo.errors.contains("is not there"), "\(undo.errors)")
        #expect(try shell.names(in: "out") == ["f1", "f2"])
    }

    @Test func `a deletion says what it did not do to files`() async throws {
        let (shell, origin) = try await finished(2)
        try await origin.stop()
        try shell.write("out/f1", Array("mine".utf8))
        let kept = await shell.run("delete", "1")
        #expect(kept.code == 0 && kept.errors.contains("is not what was fetched, and stays there"), "\(kept.errors)")
        #expect(try shell.contents("out/f1") == Array("mine".utf8))
        let large = await shell.run(["delete", "2"], environment: ["LEDGER_TRASH_SIZE_MAX": "1"])
        #expect(large.code == 0 && large.errors.contains("its file is gone for good: "), "\(large.errors)")
    }

    @Test func `a file that is not in the trash any more is told, and not promised`() async throws {
        let (shell, origin) = try await finished(1)
        try await origin.stop()
        #expect(await shell.run("delete", "1").code == 0)
        try shell.removeFile("home/trash/1-f1")
        let undo = await shell.run("undo")
        #expect(undo.code == 1 && undo.errors.contains("the file of 1 is not there: "), "\(undo.output)\(undo.errors)")
        #expect(undo.errors.contains("'ledger retry 1' fetches it again"))
    }

    @Test func `what is too much for the trash leaves it, and undo says why`() async throws {
        let (shell, origin) = try await finished(2)
        let small = ["LEDGER_TRASH_SIZE_MAX": "3000"]
        #expect(await shell.run(["delete", "1"], environment: small).code == 0)
        #expect(try shell.names(in: "home/trash") == ["1-f1"])
        #expect(await shell.run(["delete", "2"], environment: small).code == 0)
        #expect(try shell.names(in: "home/trash").count == 1)
        let gone = await shell.run("undo", "1")
        #expect(gone.code == 1)
        #expect(gone.errors.contains("can not be undone: the file of download 1 left the trash"), "\(gone.errors)")
        #expect(await shell.run("undo", "1", "--dry-run").errors == gone.errors)
        #expect(await shell.run("replay", "--actor", "maintenance", "-q").output.contains("left the trash for good"))
        #expect(await shell.run("undo").code == 0)
        #expect(try shell.names(in: "out") == ["f2"])
        try await origin.stop()
    }

    @Test func `run lets go what is too old`() async throws {
        let (shell, origin) = try await finished(1)
        #expect(await shell.run("delete", "1").code == 0)
        #expect(await shell.run("run", "--until-idle", "-q").code == 0)
        #expect(try shell.names(in: "home/trash") == ["1-f1"])
        let none = ["LEDGER_TRASH_DAYS_MAX": "0"]
        #expect(await shell.run(["run", "--until-idle", "-q"], environment: none).code == 0)
        #expect(try shell.names(in: "home/trash") == [])
        #expect(await shell.run("undo").code == 1)
        let bad = await shell.run(["undo"], environment: ["LEDGER_TRASH_DAYS_MAX": "x"])
        #expect(bad.code == 64 && bad.errors.contains("'LEDGER_TRASH_DAYS_MAX' in the environment is 'x'"))
        try await origin.stop()
    }
}
