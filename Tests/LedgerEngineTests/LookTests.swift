import LedgerModel
import LedgerSystem
import LedgerTestSupport
import SystemPackage
import Testing

@testable import LedgerEngine

/// What a look takes for an answer.
struct LookTests {
    @Test func `what was read of a file counts while it is as it was, and what was read last in any case`() throws {
        let disk = SimulatedDisk()
        try disk.createDirectory("/e", permissions: 0o755)
        try disk.replaceContents(of: "/e/a", with: [1, 2], permissions: 0o600)
        let status = try #require(try disk.status(of: "/e/a"))
        let sum = try #require(Digest(.sha256, Array(repeating: 1, count: 32)))
        func reading(isLast: Bool) -> FileReading {
            FileReading(known: ReadFile(path: "/e/a", status: status, sha256: sum, isLast: isLast))
        }
        var (first, last, none) = (reading(isLast: false), reading(isLast: true), FileReading(known: nil))
        #expect(first.file(at: "/e/a", status)?.sha256 == sum && first.unread == nil)
        #expect(first.file(at: "/e/b", status) == nil && first.unread?.path == "/e/b")
        #expect(none.file(at: "/e/a", status) == nil && none.unread != nil)
        let file = try disk.open("/e/a", .update)
        try file.setModified(nanoseconds: 5)
        file.close()
        let later = try #require(try disk.status(of: "/e/a"))
        #expect(first.file(at: "/e/a", later) == nil)
        #expect(last.file(at: "/e/a", later)?.status == status && last.unread == nil)
    }
}
