import LedgerModel
import LedgerSystem
import LedgerTestSupport
import LedgerTransfer
import SystemPackage
import Testing

/// What a finished file is besides its bytes: its modification time, and who may read it.
struct FileFactTests {
    private static let stated = "Mon, 02 Mar 2026 09:00:00 GMT"
    private static let nanoseconds: Int64 = 1_772_442_000_000_000_000

    @Test func `on request a file has the time that its origin states, and that is what is recorded`() async throws {
        try await Bench.run { bench in
            let entity = OriginEntity(OriginEntity.pattern(3000), entityTag: nil, lastModified: Self.stated)
            bench.origin.on("/f.bin") { entity.reply(to: $0) }
            await bench.completes(try bench.assignment("/f.bin") { $0.keepsRemoteTime = true }, as: "f.bin")
            let status = try #require(try bench.fileSystem.status(of: bench.directory.appending("f.bin")))
            #expect(status.modifiedNanoseconds == Self.nanoseconds)
            #expect(bench.reports.all.last == .completed(status.identity))
            await bench.completes(try bench.assignment("/f.bin", name: "now.bin", id: 2), as: "now.bin")
            let now = try #require(try bench.fileSystem.status(of: bench.directory.appending("now.bin")))
            #expect(now.modifiedNanoseconds > Self.nanoseconds)
        }
    }

    @Test(arguments: [nil, "yesterday", "Mon, 02 Mar 9999 09:00:00 GMT"])
    func `a time that is not stated, not read or not kept by any disk is left`(_ text: String?) async throws {
        try await Bench.run { bench in
            let entity = OriginEntity([1, 2, 3], entityTag: text == nil ? "\"a\"" : nil, lastModified: text)
            bench.origin.on("/f.bin") { entity.reply(to: $0) }
            var assignment = try bench.assignment("/f.bin") { $0.keepsRemoteTime = true }
            // As it was fetched before, under that very date.
            let validator = text.map { Validator.lastModified($0) } ?? .entityTag("\"a\"")
            try bench.left([1], of: bench.known("/f.bin", length: 3, validator: validator), for: &assignment)
            await bench.completes(assignment, as: "f.bin")
            #expect(bench.origin.requests.last?.rangeStart == 1)
        }
    }

    @Test func `who may read files and new directories is left to the umask`() async throws {
        try await Bench.run { bench in
            // What any program's new file and directory get here.
            let plain = try bench.fileSystem.open(bench.directory.appending("plain"), .create(permissions: 0o666))
            let file = try plain.status().permissions
            plain.close()
            let folder = bench.directory.appending("folder")
            try bench.fileSystem.createDirectory(folder, permissions: 0o777)
            bench.origin.on("/f.bin") { OriginEntity([1, 2, 3]).reply(to: $0) }
            var assignment = try bench.assignment("/f.bin", name: "f.bin")
            let directory = bench.directory.appending("made")
            assignment.order.destination = Destination(directory: directory.string, name: "f.bin")
            #expect(await bench.run(assignment) == .completed(path: directory.appending("f.bin").string))
            let made = try bench.fileSystem.status(of: directory)?.permissions
            #expect(try made == bench.fileSystem.status(of: folder)?.permissions)
            #expect(try bench.fileSystem.status(of: directory.appending("f.bin"))?.permissions == file)
        }
    }
}
