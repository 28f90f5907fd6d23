import LedgerAPI
import LedgerSystem
import LedgerTestSupport
import SystemPackage
import Testing

@testable import LedgerCommands

@Suite struct DirectoryCheckTests {
    private let disk = SimulatedDisk()

    @Test func `a check leaves nothing in the directory it makes`() throws {
        try DirectoryCheck(fileSystem: disk).prepare("/downloads")
        #expect(try disk.list("/downloads").isEmpty)
    }

    @Test func `what a killed check left is removed by the next`() throws {
        try disk.createDirectory("/downloads", permissions: 0o755)
        let left = FilePath("/downloads").appending(DirectoryCheck.probe)
        try disk.open(left, .create(permissions: 0o600)).close()
        try DirectoryCheck(fileSystem: disk).prepare("/downloads")
        #expect(try disk.list("/downloads").isEmpty)
    }

    @Test func `where files may be made and not taken away there is no place for them`() throws {
        disk.inject(SimulatedFault(.unlink, .notPermitted))
        do throws(Problem) {
            try DirectoryCheck(fileSystem: disk).prepare("/downloads")
            Issue.record("a part could not become the file")
        } catch { #expect(error.code == .badDestination && error.cause?.hasPrefix("unlink") ?? false) }
    }
}
