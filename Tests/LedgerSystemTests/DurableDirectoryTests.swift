import LedgerSystem
import LedgerTestSupport
import SystemPackage
import Testing

/// Directories that outlast a power cut, whoever made them.
struct DurableDirectoryTests {
    private let disk = SimulatedDisk()
    private let directory: FilePath = "/data/sets/d"

    private func isThereAfterPowerCut() throws -> Bool {
        try disk.survivorOfTheWorst().status(of: directory) != nil
    }

    @Test func `what someone else made and did not sync is durable to its last name`() throws {
        try disk.createDirectory(directory, permissions: 0o755)
        #expect(try !isThereAfterPowerCut())
        try disk.createDurableDirectory(directory, permissions: 0o755)
        #expect(try isThereAfterPowerCut())
    }

    @Test func `a directory is made durable once, and again when another stands in its place`() throws {
        let known = DurableDirectories()
        try known.ensure(directory, permissions: 0o755, in: disk)
        #expect(try isThereAfterPowerCut())
        let operations = disk.operations
        try known.ensure(directory, permissions: 0o755, in: disk)
        #expect(disk.operations == operations)
        try disk.removeDirectory(directory)
        try disk.createDirectory(directory, permissions: 0o755)
        try disk.synchronizeDirectory("/")
        try known.ensure(directory, permissions: 0o755, in: disk)
        #expect(try isThereAfterPowerCut())
    }

    @Test func `a directory above that may not be opened is somebody else's, one that was made now is not`() throws {
        try disk.createDirectory("/data", permissions: 0o755)
        disk.inject(SimulatedFault(.fsync, nth: 2, .permissionDenied))
        try disk.createDurableDirectory("/data", permissions: 0o755)
        disk.inject(SimulatedFault(.fsync, nth: 2, .permissionDenied))
        #expect(throws: FileError.self) { try disk.createDurableDirectory("/other", permissions: 0o755) }
    }
}
