import LedgerEngine
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

/// What a command recorded and a kill, or the disk, kept from the files, when the next command decides about them.
struct PendingFileTests {
    /// A ledger with a finished file, `out/f`.
    private func finished() async throws -> Shell {
        let origin = try await OriginServer.start()
        let shell = try Shell()
        origin.serve("/f", OriginEntity(OriginEntity.pattern(2000)))
        #expect(await shell.run("get", "-d", "out", try origin.url("/f").text, "-q").code == 0)
        try await origin.stop()
        return shell
    }

    /// Records a command, and is killed before the disk follows.
    private func recorded(_ command: Command, _ shell: Shell) async throws {
        let ledger = try await Ledger.open(LedgerHome(shell.home), world: .system())
        let outcomes = try await ledger.execute([Submission(command, id: nil, actor: .cli)])
        await ledger.close()
        #expect(outcomes.allSatisfy { if case .recorded = $0 { true } else { false } }, "\(outcomes)")
    }

    private func trash(_ shell: Shell) -> Deletion { .trash(path: shell.directory.string + "/home/trash/1-f") }

    @Test func `deleted and killed, then deleted for good: the file goes`() async throws {
        let shell = try await finished()
        try await recorded(.delete(DownloadID(1), trash(shell)), shell)
        #expect(try shell.names(in: "out") == ["f"])
        let purged = await shell.run("delete", "1", "--purge")
        #expect(purged.code == 0 && !purged.errors.contains("warning"), "\(purged)")
        #expect(try shell.names(in: "out") == [] && shell.names(in: "home/trash") == [])
    }

    @Test func `deleted for good and killed, then redacted: the file goes`() async throws {
        let shell = try await finished()
        try await recorded(.delete(DownloadID(1), .purge), shell)
        #expect(await shell.run("redact", "--match", "/f", "--yes").code == 0)
        #expect(try shell.names(in: "out") == [])
    }

    @Test func `named twice, what the disk keeps is told once`() async throws {
        let shell = try await finished()
        try await recorded(.delete(DownloadID(1), trash(shell)), shell)
        try shell.write("home/trash", [1])
        let purged = await shell.run("delete", "1", "1", "--purge")
        #expect(purged.code == 74 && purged.errors.contains("are not where the ledger says"), "\(purged)")
        #expect(await shell.run("redact", "--id", "1", "--id", "1", "--yes").code != 0)
    }

    @Test(arguments: [["--keep-file"], ["--purge"], []])
    func `brought back and killed, then deleted: as if it had been there`(flags: [String]) async throws {
        let shell = try await finished()
        #expect(await shell.run("delete", "1").code == 0)
        try await recorded(.undo(nil), shell)
        #expect(try shell.names(in: "home/trash") == ["1-f"])
        #expect(await shell.run(["delete", "1"] + flags).code == 0)
        #expect(try shell.names(in: "out") == (flags == ["--keep-file"] ? ["f"] : []))
        #expect(try shell.names(in: "home/trash") == (flags == [] ? ["1-f"] : []))
    }

    @Test(arguments: ["1GiB", "0"])
    func `what the disk does not let go stays on record until it does`(trashSizeMax: String) async throws {
        let shell = try await finished()
        try shell.write("home/config.yaml", Array("trashSizeMax: \(trashSizeMax)\n".utf8))
        try shell.write("home/trash", [1])
        let kept = await shell.run("delete", "1")
        #expect(kept.code == 74 && kept.errors.contains("its files stay as they are"), "\(kept)")
        let refused = await shell.run("delete", "1", "--purge")
        #expect(refused.code == 74 && refused.errors.contains("are not where the ledger says"), "\(refused)")
        #expect(await shell.run("redact", "--id", "1", "--yes").code != 0)
        #expect(try shell.names(in: "out") == ["f"])
        try shell.removeFile("home/trash")
        #expect(await shell.run("run", "--until-idle", "--no-api", "-q").code == 0)
        #expect(try shell.names(in: "out") == [])
        #expect(try shell.names(in: "home/trash") == (trashSizeMax == "0" ? [] : ["1-f"]))
    }

    @Test func `a deletion of a file that is gone promises nothing`() async throws {
        let shell = try await finished()
        try shell.removeFile("out/f")
        let deleted = await shell.run("delete", "1")
        #expect(deleted.code == 0 && !deleted.output.contains("brings it back"), "\(deleted)")
        #expect(deleted.errors.contains("its file was gone already"), "\(deleted)")
    }

    @Test func `a queue that is full is told of whoever is chosen by state, too`() async throws {
        let shell = try Shell()
        #expect(await shell.run("add", "-d", "out", "http://a/1", "http://a/2").code == 0)
        #expect(await shell.run("cancel", "1").code == 0)
        for chosen in [["1"], ["--all"], ["--state", "cancelled"]] {
            let full = await shell.run(["retry"] + chosen, environment: ["LEDGER_QUEUE_MAX": "1"])
            #expect(full.code == 1 && full.errors.hasPrefix("queue-full"), "\(full)")
        }
        #expect(await shell.run("pause", "2").code == 0)
        #expect(await shell.run("pause", "--all").code == 0)
    }

    @Test func `nothing is written among the ledger's own files`() async throws {
        let shell = try Shell()
        #expect(await shell.run("add", "-d", "out", "http://a/1").code == 0)
        for path in ["head-a", "log/0000000000000001.seg", "secrets"] {
            let file = shell.directory.string + "/home/" + path
            let refused = await shell.run("run", "--until-idle", "--no-api", "--log-file", file)
            #expect(refused.code == 64 && refused.errors.contains("is the ledger's own"), "\(refused)")
        }
        try #require(symlink("home/head-a", shell.directory.string + "/link") == 0)
        let linked = await shell.run("run", "--until-idle", "--no-api", "--log-file", "link")
        #expect(linked.code == 64 && linked.errors.contains("is the ledger's own"), "\(linked)")
        let directory = shell.directory.string + "/home/log"
        let refused = await shell.run("run", "--until-idle", "--no-api", "--checkpoints", directory)
        #expect(refused.code == 64 && refused.errors.contains("is the ledger's own"), "\(refused)")
        #expect(await shell.run("verify").code == 0)
    }
}
