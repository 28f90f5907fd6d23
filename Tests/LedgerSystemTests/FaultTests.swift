import LedgerModel
import LedgerSystem
import LedgerTestSupport
import SystemPackage
import Testing

/// Faults, limits, locks and copies of the simulated disk.
@Suite struct FaultTests {
    private let disk = SimulatedDisk()

    @Test func `the n-th call of a kind fails, once`() throws {
        let file = try disk.open("/a", .create(permissions: 0o600))
        disk.inject(SimulatedFault(.pwrite, nth: 2, .ioError))
        try file.write([1], at: 0)
        expect(.ioError) { () throws(FileError) in try file.write([2], at: 0) }
        try file.write([3], at: 1)
        #expect(try disk.contents(of: "/a") == [1, 3])
    }

    @Test func `a fault for good stays until it is cleared, and concerns its paths only`() throws {
        let file = try disk.open("/a", .create(permissions: 0o600))
        let other = try disk.open("/b", .create(permissions: 0o600))
        disk.inject(SimulatedFault(.pwrite, .diskQuotaExceeded, forGood: true) { $0 == "/a" })
        for _ in 0..<3 {
            expect(.diskQuotaExceeded) { () throws(FileError) in try file.write([1], at: 0) }
            try other.write([1], at: 0)
        }
        disk.clearFaults()
        try file.write([1], at: 0)
    }

    @Test func `a file that is longer than its reader takes is refused, not cut`() throws {
        try disk.open("/a", .create(permissions: 0o600)).write([1, 2, 3], at: 0)
        #expect(try disk.contents(of: "/a", bytesMax: 3) == [1, 2, 3])
        expect(.fileTooLarge) { () throws(FileError) in _ = try disk.contents(of: "/a", bytesMax: 2) }
    }

    @Test func `any call can fail`() throws {
        disk.inject(SimulatedFault(nth: 2, .ioError))
        _ = try disk.status(of: "/a")
        expect(.ioError) { () throws(FileError) in _ = try disk.list("/") }
        _ = try disk.list("/")
    }

    @Test func `a short write leaves its beginning behind`() throws {
        let file = try disk.open("/a", .create(permissions: 0o600))
        disk.inject(SimulatedFault(.pwrite, .noSpace, afterWriting: 2))
        expect(.noSpace) { () throws(FileError) in try file.write([1, 2, 3], at: 0) }
        #expect(try disk.contents(of: "/a") == [1, 2])
    }

    @Test(arguments: FailedSyncFate.allCases)
    func `after a failed sync the next one says success and means nothing`(fate: FailedSyncFate) throws {
        let file = try disk.open("/a", .create(permissions: 0o600))
        try disk.synchronizeDirectory("/")
        disk.failedSyncFate = fate
        try file.write([1, 1], at: 0)
        disk.inject(SimulatedFault(.fdatasync, .ioError))
        expect(.ioError) { () throws(FileError) in try file.synchronize() }
        try file.write([2], at: 2)
        try file.synchronize()
        #expect(try disk.contents(of: "/a") == [1, 1, 2], "the cache still shows it")
        let survivors = try disk.survivors().map { try $0.contents(of: "/a") }
        #expect(survivors == [fate == .kept ? [1, 1, 2] : [0, 0, 2]])
    }

    @Test func `a sync that fails on a device of its own may take what others wrote there, and tells nobody else`()
        throws
    {
        try disk.createDirectory("/e", permissions: 0o700)
        try disk.mount("/e")
        let files = try ["/a", "/e/b", "/e/c"].map { try disk.open(FilePath($0), .create(permissions: 0o600)) }
        for directory in ["/", "/e"] { try disk.synchronizeDirectory(FilePath(directory)) }
        for file in files { try file.write([1], at: 0) }
        let trusts = try files.map { disk.failedSyncs.trust(on: try $0.status().device) }
        disk.failedSyncFate = .lostBeside
        disk.inject(SimulatedFault(.fdatasync, .ioError) { $0 == "/e/b" })
        expect(.ioError) { () throws(FileError) in try files[1].synchronize() }
        #expect(trusts.map(\.holds) == [true, false, false])
        try files[0].synchronize()
        try files[2].synchronize()
        let survivors = try disk.survivors().map { survivor in
            try files.map { try survivor.contents(of: $0.path) ?? [] }
        }
        #expect(survivors == [[[1], [], []]])
    }

    @Test func `beyond the limit there is no space, and unlinking gives it back`() throws {
        disk.bytesMax = 1000
        let file = try disk.open("/a", .create(permissions: 0o600))
        try file.allocate(0..<600, extending: false)
        #expect(try disk.availableBytes(at: "/") == 400)
        try file.write([UInt8](repeating: 1, count: 600), at: 0)
        let other = try disk.open("/b", .create(permissions: 0o600))
        expect(.noSpace) { () throws(FileError) in try other.allocate(0..<401, extending: true) }
        expect(.noSpace) { () throws(FileError) in try other.write([UInt8](repeating: 1, count: 500), at: 0) }
        #expect(try other.status().length == 400, "what fits is written")
        try disk.unlink("/a")
        #expect(disk.bytesTaken == 1000, "an open file keeps its space")
        file.close()
        #expect(disk.bytesTaken == 400)
    }

    @Test func `a read-only disk refuses changes and is read`() throws {
        try disk.open("/a", .create(permissions: 0o600)).write([1], at: 0)
        let file = try disk.open("/a", .update)
        disk.isReadOnly = true
        expect(.readOnlyFileSystem) { () throws(FileError) in try file.write([2], at: 0) }
        expect(.readOnlyFileSystem) { () throws(FileError) in _ = try disk.open("/a", .update) }
        expect(.readOnlyFileSystem) { () throws(FileError) in _ = try disk.lock("/lock") }
        expect(.readOnlyFileSystem) { () throws(FileError) in try disk.unlink("/a") }
        #expect(try disk.contents(of: "/a") == [1])
    }

    @Test func `the locks of a killed process are given back`() throws {
        let lock = try disk.lock("/lock")
        #expect(try disk.lock("/lock") == nil)
        disk.releaseAllLocks()
        let next = try disk.lock("/lock")
        #expect(next != nil)
        lock?.unlock()
        #expect(try disk.lock("/lock") == nil, "a stale lock gives back nothing of its successor")
    }

    @Test func `a copy goes its own way`() throws {
        let file = try disk.open("/a", .create(permissions: 0o600))
        try file.write([1], at: 0)
        let copy = disk.copy()
        #expect(copy.digest == disk.digest)
        try file.write([2], at: 0)
        #expect(try copy.contents(of: "/a") == [1])
        #expect(copy.digest != disk.digest)
        #expect(copy.operations == 0)
    }

    @Test func `the listing shows what is not durable`() throws {
        let file = try disk.open("/a", .create(permissions: 0o600))
        #expect(disk.listing == "/a* 0 0")
        try disk.synchronizeDirectory("/")
        try file.write([1], at: 0)
        #expect(disk.listing.hasPrefix("/a 1 ") && disk.listing.hasSuffix("*"))
        try file.synchronize()
        #expect(!disk.listing.contains("*"))
    }

    @Test func `damage is durable`() throws {
        try disk.replaceContents(of: "/a", with: [1, 2], permissions: 0o600)
        try disk.damage("/a") { $0[1] ^= 0x80 }
        #expect(try disk.contents(of: "/a") == [1, 0x82])
        #expect(try disk.survivors().map { try $0.contents(of: "/a") } == [[1, 0x82]])
    }

    @Test func `times come from the disk's clock`() throws {
        let file = try disk.open("/a", .create(permissions: 0o600))
        disk.clockNanoseconds = 42
        try file.write([1], at: 0)
        #expect(try file.status().modifiedNanoseconds == 42)
    }
}
