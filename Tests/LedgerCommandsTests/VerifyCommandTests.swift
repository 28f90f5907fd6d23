import LedgerModel
import LedgerSystem
import LedgerTestSupport
import SystemPackage
import Testing

@testable import LedgerCommands

/// `verify` with what is kept elsewhere: a checkpoint, an archive, the files.
struct VerifyCommandTests {
    private static let segment = "home/log/0000000000000001.seg"

    @Test func `a checkpoint tells a log that is shorter, one that is another, and one of another ledger`() async throws
    {
        let shell = try Shell()
        for name in ["x", "y"] { #expect(await shell.run("add", "http://a/\(name)").code == 0) }
        let before = try ["log/0000000000000001.seg", "head-a", "head-b"].map { name in
            (name, try #require(try shell.contents("home/" + name)))
        }
        #expect(await shell.run("add", "http://a/z").code == 0)
        let checkpoint = await shell.run("checkpoint").output
        try shell.write("kept", Array(checkpoint.utf8))
        #expect(await shell.run("verify", "--against", "kept").code == 0)
        #expect(await shell.run(["verify", "--against", "-"], input: checkpoint).code == 0)
        #expect(await shell.run("add", "http://a/later").code == 0)
        #expect(await shell.run("verify", "--against", "kept").code == 0, "a log may grow")
        for (name, bytes) in before { try shell.write("home/" + name, bytes) }
        #expect(await shell.run("verify").code == 0, "the home itself knows of nothing")
        let shorter = await shell.run("verify", "--against", "kept")
        #expect(shorter.code == 23 && shorter.output.hasPrefix("shorter-than-checkpoint: "), "\(shorter.output)")
        // Another third event: the history is another one, and nothing here says so but the checkpoint.
        #expect(await shell.run("add", "http://a/other").code == 0)
        #expect(await shell.run("verify").code == 0)
        let other = await shell.run("verify", "--against", "kept", "--json")
        #expect(other.code == 22 && other.output.contains(#""findings":[{"class":"tampering""#), "\(other.output)")
        let stranger = try Shell()
        #expect(await stranger.run("add", "http://a/x").code == 0)
        try shell.write("foreign", Array(await stranger.run("checkpoint").output.utf8))
        let foreign = await shell.run("verify", "--against", "foreign")
        #expect(foreign.code == 22 && foreign.output.hasPrefix("tampering: the checkpoint is of another ledger: "))
        let rows = await shell.run("verify", "--against", "foreign", "--json")
        #expect(rows.code == 22 && rows.output.contains(#""findings":[{"class":"tampering","segment":"checkpoint""#))
    }

    @Test func `what is no checkpoint is refused`() async throws {
        let shell = try Shell()
        #expect(await shell.run("add", "http://a/x").code == 0)
        try shell.write("none", Array("three\nlines\nof nothing\n".utf8))
        let none = await shell.run("verify", "--against", "none")
        #expect(none.code == 64 && none.errors.contains("'none' is no checkpoint: its first line"))
        #expect(await shell.run("verify", "--against", "not-there").code == 64)
        #expect(await shell.run("verify", "--against", "none", "--quick").code == 64)
        #expect(await shell.run("verify", "--sample", "5").code == 64)
        for percent in ["0", "101", "x"] {
            #expect(await shell.run("verify", "--data", "--sample", percent).code == 64)
        }
    }

    @Test func `an archive is verified where it stands, and a segment that it lacks is named`() async throws {
        let shell = try Shell()
        for name in ["x", "y"] { #expect(await shell.run("add", "http://a/\(name)").code == 0) }
        let checkpoint = await shell.run("checkpoint").output
        try shell.write("kept", Array(checkpoint.utf8))
        #expect(await shell.run("add", "http://a/z").code == 0)
        #expect(await shell.run("compact", "--keep-events", "0").code == 0)
        let plain = await shell.run("verify")
        #expect(plain.code == 0 && plain.output.hasPrefix("verified: 1 event in 1 segment, "), "\(plain.output)")
        for flags in [["--archive"], ["--archive", "--against", "kept"], ["--against", "kept"]] {
            let whole = await shell.run(["verify"] + flags)
            #expect(whole.code == 0 && whole.output.contains("verified: 4 events in 2 segments, "), "\(whole.output)")
        }
        let names = try shell.names(in: "home/archive")
        let bytes = try names.map { try shell.contents("home/archive/" + $0) ?? [] }
        try RealFileSystem().createDirectory(shell.directory.appending("tapes"), permissions: 0o700)
        let none = await shell.run("verify", "--archive", "tapes")
        #expect(none.code == 0 && none.errors.contains("warning: no archived segment stands in"), "\(none.errors)")
        for (name, bytes) in zip(names, bytes) {
            try shell.write("tapes/" + name, bytes)
            try shell.removeFile("home/archive/" + name)
        }
        let gone = await shell.run("verify", "--archive", "--json")
        #expect(gone.code == 24 && gone.output.contains(#"{"class":"missing-segment""#))
        let unreached = await shell.run("verify", "--against", "kept")
        #expect(unreached.code == 24 && unreached.output.hasPrefix("unreached-checkpoint: "))
        #expect(unreached.output.contains("'ledger verify --archive --against FILE'"), "\(unreached.output)")
        #expect(await shell.run("verify", "--archive", "nowhere").code == 64)
        let moved = await shell.run("verify", "--archive", "tapes")
        #expect(moved.code == 0 && moved.errors == "", "\(moved.errors)")
        try shell.damage("tapes/" + (try #require(names.first)))
        #expect(await shell.run("verify", "--archive", "tapes").code == 21)
    }

    @Test func `a checkpoint of what was dropped is not looked for in an archive`() async throws {
        let shell = try Shell()
        for name in ["x", "y"] { #expect(await shell.run("add", "http://a/\(name)").code == 0) }
        try shell.write("kept", Array(await shell.run("checkpoint").output.utf8))
        #expect(await shell.run("add", "http://a/z").code == 0)
        #expect(await shell.run("compact", "--drop", "--keep-events", "0").code == 0)
        let dropped = await shell.run("verify", "--against", "kept")
        #expect(dropped.code == 24 && dropped.output.contains("were dropped by a compaction"), "\(dropped.output)")
        #expect(dropped.output.contains("compare with a later checkpoint") && !dropped.output.contains("--archive"))
    }

    @Test(arguments: ["head-a", "head-b", "manifest-a", "manifest-b"])
    func `a copy that can not be read is told, and its twin is read`(name: String) async throws {
        let shell = try Shell()
        #expect(await shell.run("add", "http://a/x").code == 0)
        try shell.removeFile("home/" + name)
        try RealFileSystem().createDirectory(shell.directory.appending("home/" + name), permissions: 0o700)
        let list = await shell.run("list", "--json")
        #expect(list.code == 0 && list.lines.count == 1, "\(list.errors)")
        let verified = await shell.run("verify")
        #expect(verified.code == 0 && verified.output.hasPrefix("damaged-copy: '\(name)' is "), "\(verified.output)")
    }

    @Test func `a segment that the disk refuses to read is told, and what else there is`() async throws {
        let shell = try Shell()
        for name in ["x", "y"] { #expect(await shell.run("add", "http://a/\(name)").code == 0) }
        #expect(await shell.run("compact", "--keep-events", "0").code == 0)
        let name = try #require(try shell.names(in: "home/archive").first)
        try shell.removeFile("home/archive/" + name)
        // Reading a directory fails as a bad sector does.
        try RealFileSystem().createDirectory(shell.directory.appending("home/archive/" + name), permissions: 0o700)
        let rows = await shell.run("verify", "--archive", "--json")
        #expect(rows.code == 74)
        #expect(rows.output.hasPrefix(#"{"summary":{"segments":1,"batches":1,"events":1,"#), "\(rows.output)")
        #expect(rows.output.contains(#"{"class":"unreadable","segment":"\#(name)","#), "\(rows.output)")
        let words = await shell.run("verify", "--archive")
        #expect(words.code == 74 && words.output.hasPrefix("unreadable: the disk refused to "), "\(words.output)")
        #expect(words.output.contains("\n  next:  check the disk, and who may read '"))
    }

    @Test func `a file that is gone or was changed is told, also one whose length and time are as they were`()
        async throws
    {
        let shell = try Shell()
        let origin = try await OriginServer.start()
        let entity = OriginEntity(OriginEntity.pattern(50_000))
        for name in ["a", "b", "c"] { origin.on("/" + name) { entity.reply(to: $0) } }
        let urls = try ["/a", "/b", "/c"].map { try origin.url($0).text }
        #expect(await shell.run(["get", "-q", "-d", shell.directory.string + "/out"] + urls).code == 0)
        try await origin.stop()
        let whole = await shell.run("verify", "--data")
        #expect(whole.code == 0 && whole.output.hasPrefix("files: 3 of 3 files as on record, "), "\(whole.output)")
        let sampled = await shell.run("verify", "--data", "--sample", "30", "--json")
        #expect(sampled.code == 0 && sampled.output.contains(#""files":{"count":3,"checked":1,"#), "\(sampled.output)")
        let path = shell.directory.appending("out/b")
        let disk = RealFileSystem()
        let status = try #require(try disk.status(of: path))
        let file = try disk.open(path, .update)
        try file.write([0xFF, 0xFF, 0xFF], at: 1_000)
        try file.setModified(nanoseconds: status.modifiedNanoseconds)
        file.close()
        try shell.removeFile("out/c")
        let words = await shell.run("verify", "--data")
        #expect(words.code == 25)
        #expect(words.lines[0].hasPrefix("file-altered: download 2: ") && words.lines[2].hasPrefix("file-missing: "))
        #expect(words.lines[1].hasPrefix("  next:  ") && words.lines[4].hasPrefix("files: 1 of 3 files as on record"))
        #expect(words.lines[5].hasPrefix("verified: "))
        let json = await shell.run("verify", "--data", "--json")
        #expect(json.code == 25 && json.lines.count == 1)
        #expect(json.output.contains(#""findings":[{"class":"file-altered","segment":null,"offset":null,"#))
        #expect(json.output.contains(#""id":3,"path":"\#(shell.directory.string)/out/c","recoverable":false"#))
        #expect(await shell.run("verify").code == 0, "the log itself is whole")
    }

    @Test func `a part is compared with the sums of its ranges`() async throws {
        let (shell, gate) = (try Shell(), OriginGate())
        let origin = try await OriginServer.start()
        let entity = OriginEntity(OriginEntity.pattern(300_000))
        // Whoever asks for the rest has stored what came before.
        origin.script(
            "/large.bin",
            [
                { entity.reply(to: $0).cut(after: 200_000) },
                { entity.reply(to: $0).holding(at: gate, after: 0) },
            ])
        let (interrupts, stop) = AsyncStream.makeStream(of: Void.self)
        let url = try origin.url("/large.bin").text
        async let get = shell.run(
            ["get", "-q", "--timeout", "1h", "-d", shell.directory.string + "/out", url], interrupts: interrupts)
        await gate.reached()
        stop.yield()
        _ = await get
        gate.open()
        try await origin.stop()
        let whole = await shell.run("verify", "--data")
        #expect(
            whole.code == 0 && whole.output.hasPrefix("files: 1 of 1 file as on record, 195.3 KiB"), "\(whole.output)")
        let name = try #require(try shell.names(in: "out").first)
        let bytes = try #require(try shell.contents("out/" + name))
        try shell.damage("out/" + name, at: 100_000)
        let altered = await shell.run("verify", "--data", "--json")
        #expect(altered.code == 25 && altered.output.contains(#"{"class":"part-altered","segment":null,"offset":0,"#))
        try shell.write("out/" + name, Array(bytes[..<1_000]))
        #expect(await shell.run("verify", "--data").output.hasPrefix("part-missing: download 1: "))
        try shell.removeFile("out/" + name)
        #expect(await shell.run("verify", "--data").output.hasPrefix("part-missing: download 1: the part "))
    }
}
