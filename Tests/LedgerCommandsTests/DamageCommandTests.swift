import LedgerSystem
import Testing

@testable import LedgerCommands

/// Damage on a real disk, met by every command that looks: the exit code of the contract, what is gone, what to do.
struct DamageCommandTests {
    /// What was done to the home, the exit code, the class that `verify` names, and the start of what readers say.
    struct Damage: Sendable, CustomTestStringConvertible {
        let name: String
        let code: Int32
        let kind: String
        let readers: String
        let body: @Sendable (Shell) async throws -> Void
        var testDescription: String { name }
    }

    private static let segment = "home/log/0000000000000001.seg"

    static let damages: [Damage] = [
        Damage(
            name: "a turned bit", code: 21, kind: "corruption",
            readers: "corrupted: the batch at byte 64 of '0000000000000001.seg' fails its checksum"
        ) { shell in
            try shell.damage(segment, at: 120)
        },
        Damage(
            name: "a segment of another ledger", code: 22, kind: "tampering",
            readers: "tampered: segment '0000000000000001.seg' is whole and is not the one that belongs here"
        ) { shell in
            let other = try Shell()
            for name in ["x", "y", "z"] { _ = await other.run("add", "http://a/\(name)") }
            try shell.write(segment, try #require(try other.contents(segment)))
        },
        Damage(
            name: "an end that is gone", code: 23, kind: "shorter-than-head",
            readers: "missing: the log ends at sequence 3 and went to 4 before"
        ) { shell in
            let before = try #require(try shell.contents(segment))
            _ = await shell.run("add", "http://a/later")
            try shell.write(segment, before)
        },
        Damage(
            name: "a segment that is gone", code: 24, kind: "missing-segment",
            readers: "missing: segment '0000000000000001.seg' is not there"
        ) { shell in
            // So many events are kept that nothing leaves the log, and a new segment begins.
            _ = await shell.run("compact", "--keep-events", "100")
            _ = await shell.run("add", "http://a/later")
            try shell.removeFile(segment)
        },
        Damage(
            name: "the last segment gone", code: 24, kind: "missing-segment",
            readers: "missing: segment '0000000000000004.seg' is not there"
        ) { shell in
            _ = await shell.run("compact", "--keep-events", "100")
            _ = await shell.run("add", "http://a/later")
            try shell.removeFile("home/log/0000000000000004.seg")
        },
        Damage(
            name: "both manifests gone", code: 21, kind: "corruption",
            readers: "corrupted: both copies of the manifest are damaged or gone"
        ) { shell in
            for name in ["manifest-a", "manifest-b"] { try shell.removeFile("home/" + name) }
        },
        Damage(
            name: "both heads gone, and the end of the log", code: 24, kind: "missing-head",
            readers: "missing: 'head-a' and 'head-b' are not there"
        ) { shell in
            for name in ["head-a", "head-b"] { try shell.removeFile("home/" + name) }
            var bytes = try #require(try shell.contents(segment))
            bytes.removeLast(bytes.count - 100)
            try shell.write(segment, bytes)
        },
    ]

    @Test(arguments: damages) func `damage is told by every command that looks, and nothing is touched`(
        _ damage: Damage
    ) async throws {
        let shell = try Shell()
        for name in ["x", "y", "z"] { #expect(await shell.run("add", "http://a/\(name)").code == 0) }
        try await damage.body(shell)
        let names = try shell.names(in: "home/log")
        let held = try names.map { try shell.contents("home/log/" + $0) }
        for command in [
            ["list"], ["show", "1"], ["replay"], ["replay", "--follow"], ["watch"], ["watch", "1"], ["run"],
            ["add", "http://a/more"],
        ] {
            let result = await shell.run(command)
            #expect(result.code == damage.code, "\(command): \(result.errors)")
            #expect(result.errors.contains(damage.readers), "\(command): \(result.errors)")
            #expect(result.errors.contains("\n  next:  "), "\(command): \(result.errors)")
        }
        for flags in [[], ["--quick"]] {
            let words = await shell.run(["verify"] + flags)
            #expect(words.code == damage.code)
            #expect(words.output.hasPrefix(damage.kind + ": ") && words.output.contains("\n  next:  "))
            #expect(words.output.contains("\ndamaged: "))
            let json = await shell.run(["verify", "--json"] + flags)
            #expect(json.code == damage.code && json.lines.count == 1)
            #expect(json.output.hasPrefix(#"{"summary":{"segments":"#))
            #expect(json.output.contains(#""findings":[{"class":"\#(damage.kind)","segment":""#))
        }
        #expect(try shell.names(in: "home/log") == names)
        #expect(try names.map { try shell.contents("home/log/" + $0) } == held)
    }

    @Test func `a torn tail is harmless: verify says 20, readers say how long it is, and opening drops it`()
        async throws
    {
        let shell = try Shell()
        for name in ["x", "y"] { #expect(await shell.run("add", "http://a/\(name)").code == 0) }
        var bytes = try #require(try shell.contents(Self.segment))
        let end = try #require(bytes.lastIndex { $0 != 0 }) / 8 * 8 + 8
        for place in end..<end + 24 { bytes[place] = 0x41 }
        try shell.write(Self.segment, bytes)
        let verify = await shell.run("verify", "--json")
        #expect(verify.code == 20)
        #expect(verify.output.contains(#"{"class":"torn-tail","segment":"0000000000000001.seg","offset":\#(end),"#))
        #expect(verify.output.contains(#""recoverable":true"#))
        #expect(await shell.run("list", "--json").lines.count == 2)
        let replay = await shell.run("replay")
        #expect(replay.code == 0)
        #expect(replay.output.hasSuffix(", unacknowledged tail 24 bytes\n"), "\(replay.output)")
        let add = await shell.run("add", "http://a/z")
        #expect(add.output == "3\n")
        #expect(add.errors.hasPrefix("an unacknowledged batch was cut short and is dropped: 24 bytes\n"))
        #expect(await shell.run("verify").code == 0)
    }

    @Test(arguments: ["manifest-a", "manifest-b", "head-a", "head-b"])
    func `one copy of a small file is named when it is gone, and written again`(_ name: String) async throws {
        let shell = try Shell()
        #expect(await shell.run("add", "http://a/x").code == 0)
        try shell.removeFile("home/" + name)
        #expect(await shell.run("list", "--json").lines.count == 1)
        let verify = await shell.run("verify")
        #expect(verify.code == 0)
        #expect(verify.lines.count == 3 && verify.output.hasPrefix("damaged-copy: '\(name)' is damaged"))
        #expect(verify.output.contains("\nverified: 1 event in 1 segment, "))
        let add = await shell.run("add", "http://a/y")
        #expect(add.code == 0 && add.errors.hasPrefix("'\(name)' was damaged, older than its twin, or gone"))
        #expect(await shell.run("verify").lines.count == 1)
    }

    @Test(arguments: [true, false])
    func `a compacted ledger without its snapshot opens from the archive, and says which when that is gone`(
        isGone: Bool
    ) async throws {
        let shell = try Shell()
        for name in ["x", "y"] { #expect(await shell.run("add", "http://a/\(name)").code == 0) }
        #expect(await shell.run("compact", "--keep-events", "0").code == 0)
        let (rows, digest) = (await shell.run("list"), await shell.run("replay", "--state", "digest"))
        let name = "0000000000000002.snap"
        #expect(try shell.names(in: "home/snapshots") == [name])
        if isGone { try shell.removeFile("home/snapshots/" + name) } else { try shell.damage("home/snapshots/" + name) }
        #expect(await shell.run("verify").code == (isGone ? 24 : 21))
        #expect(await shell.run("list").output == rows.output)
        #expect(await shell.run("replay", "--state", "digest").output == digest.output)
        for file in try shell.names(in: "home/archive") { try shell.removeFile("home/archive/" + file) }
        for command in [["list"], ["add", "http://a/z"]] {
            let result = await shell.run(command)
            #expect(result.code == (isGone ? 24 : 21))
            let start =
                isGone
                ? "missing: the snapshot '\(name)' is not there\n" : "corrupted: the snapshot '\(name)' is damaged\n"
            #expect(
                result.errors.hasPrefix(
                    start + "  cause: it stands for the events that were compacted away\n  next:  put 'snapshots/"),
                "\(command): \(result.errors)")
        }
    }
}
