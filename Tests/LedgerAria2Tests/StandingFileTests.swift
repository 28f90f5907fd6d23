import LedgerCoding
import LedgerEngine
import LedgerHolder
import LedgerModel
import LedgerSystem
import LedgerTestSupport
import SystemPackage
import Testing

@testable import LedgerAria2

/// What stands under a name already, where a client wants neither another name nor another file there.
struct StandingFileTests {
    private static let bytes = Array("not fetched by anyone here".utf8)

    private func put(_ bytes: [UInt8], _ name: String, _ fixture: Aria2Fixture) throws {
        let path = fixture.downloads.appending(name)
        let disk = fixture.service.ledger.world.fileSystem
        if try disk.status(of: path) != nil { try disk.unlink(path) }
        let file = try disk.open(path, .create(permissions: 0o644))
        defer { file.close() }
        try file.write(bytes, at: 0)
    }

    private func expectRefused(_ gid: JSONValue, _ name: String, _ fixture: Aria2Fixture) async throws {
        let status = try await fixture.call("aria2.tellStatus", gid)
        #expect(status["status"] == "error" && status["errorCode"] == "13")
        let path = fixture.downloads.appending(name)
        #expect(status["errorMessage"]?.string?.contains(path.string) ?? false)
        #expect(status["completedLength"] == "0")
        let disk = fixture.service.ledger.world.fileSystem
        #expect(try disk.contents(of: path) == Self.bytes)
        #expect(try disk.list(fixture.downloads) == [name])
    }

    @Test(arguments: [true, false])
    func `a file of others is left alone, and the download fails with aria2's number`(isNamed: Bool) async throws {
        try await Aria2Fixture.run { fixture in
            fixture.origin.on("/f.bin") { OriginEntity([1, 2, 3]).reply(to: $0) }
            var options: JSONObject = ["auto-file-renaming": "false", "pause": "true"]
            if isNamed { options["out"] = "f.bin" }
            // It counts what stands there when the download begins.
            let early = try await fixture.add("/f.bin", .object(options))
            try put(Self.bytes, "f.bin", fixture)
            options["pause"] = "false"
            let gid = try await fixture.add("/f.bin", .object(options))
            try await fixture.until(gid, "error")
            try await expectRefused(gid, "f.bin", fixture)
            #expect(try await fixture.call("aria2.getOption", gid)["auto-file-renaming"] == "false")
            try await fixture.call("aria2.unpause", early)
            try await fixture.until(early, "error")
            try await expectRefused(early, "f.bin", fixture)
            #expect(isNamed == fixture.origin.requests.isEmpty)
        }
    }

    @Test(arguments: [true, false])
    func `the ledger's own file is what is asked for, as long as it is what was fetched`(isNamed: Bool) async throws {
        try await Aria2Fixture.run { fixture in
            fixture.origin.on("/f.bin") { OriginEntity([1, 2, 3]).reply(to: $0) }
            var options: JSONObject = ["auto-file-renaming": "false"]
            if isNamed { options["out"] = "f.bin" }
            let first = try await fixture.add("/f.bin", .object(options))
            try await fixture.until(first, "complete")
            let second = try await fixture.add("/f.bin", .object(options))
            try await fixture.until(second, "complete")
            #expect(first != second && fixture.origin.requests.count == 1)
            let path = try await fixture.call("aria2.getFiles", second)[0]?["path"]?.string
            #expect(path == fixture.downloads.appending("f.bin").string)
            // Another one's file under the name of ours is not ours.
            try put(Self.bytes, "f.bin", fixture)
            let third = try await fixture.add("/f.bin", .object(options))
            try await fixture.until(third, "error")
            try await expectRefused(third, "f.bin", fixture)
            // And what came from elsewhere is not what is asked for.
            options["out"] = "f.bin"
            let other = try await fixture.add("/other", .object(options))
            try await fixture.until(other, "error")
            try await expectRefused(other, "f.bin", fixture)
        }
    }
}
