import LedgerSystem
import LedgerTestSupport
import SystemPackage
import Testing

/// What the simulated disk keeps and loses in a power cut.
@Suite struct PowerCutTests {
    private let disk = SimulatedDisk()

    /// A file with durable name and durable content.
    private func durableFile(_ path: FilePath, _ bytes: [UInt8]) throws -> any File {
        let file = try disk.open(path, .create(permissions: 0o600))
        try file.write(bytes, at: 0)
        try file.synchronize()
        try disk.synchronizeDirectory("/")
        return file
    }

    /// The contents a file has in any survivor, nil where it is gone.
    private func outcomes(_ path: FilePath) throws -> Set<[UInt8]?> {
        var found: Set<[UInt8]?> = []
        for survivor in disk.survivors() { found.insert(try survivor.contents(of: path)) }
        for seed in 0..<200 { found.insert(try disk.survivor(seed: UInt64(seed)).contents(of: path)) }
        return found
    }

    @Test func `what is synced, name and content, survives everything`() throws {
        _ = try durableFile("/a", [1, 2, 3])
        #expect(try outcomes("/a") == [[1, 2, 3]])
        #expect(disk.unsynchronized == 0)
        #expect(disk.survivors().count == 1)
    }

    @Test func `a new file's name is lost until its directory is synced`() throws {
        let file = try disk.open("/a", .create(permissions: 0o600))
        try file.write([1], at: 0)
        try file.synchronize()
        #expect(try outcomes("/a") == [nil, [1]])
    }

    @Test func `a rename and the time of it are lost or kept together`() throws {
        _ = try durableFile("/a", [1])
        let before = disk.clockNanoseconds
        disk.clockNanoseconds = before + 1000
        try disk.rename("/a", to: "/b", replacing: false)
        let found = try Set(
            disk.survivors().map { survivor in
                [try survivor.status(of: "/a"), try survivor.status(of: "/b")].map { $0?.changedNanoseconds }
            })
        #expect(found == [[before, nil], [nil, before + 1000]])
    }

    @Test func `a name synced before its content may lead to anything of the length or less`() throws {
        let file = try disk.open("/a", .create(permissions: 0o600))
        try disk.synchronizeDirectory("/")
        try file.write([7, 7], at: 0)
        let found = try outcomes("/a")
        #expect(found.isSuperset(of: [[], [7, 7], [0, 0]]))
        #expect(found.count == 4, "the fourth is garbage: \(found)")
    }

    @Test func `unsynced writes are lost in any order`() throws {
        let file = try durableFile("/a", [0, 0])
        try file.write([1], at: 0)
        try file.write([2], at: 1)
        #expect(try outcomes("/a").isSuperset(of: [[0, 0], [1, 0], [0, 2], [1, 2]]))
        try file.synchronize()
        #expect(try outcomes("/a") == [[1, 2]])
    }

    @Test func `a write is torn between sectors and never within one`() throws {
        let file = try durableFile("/a", [UInt8](repeating: 0, count: 2048))
        try file.write([UInt8](repeating: 1, count: 1000), at: 300)
        let sectors = Set(
            try outcomes("/a").compactMap { bytes -> [UInt8]? in
                guard let bytes, bytes.allSatisfy({ $0 < 2 }) else { return nil }
                return [bytes[300], bytes[511], bytes[512], bytes[1023], bytes[1024], bytes[1299]]
            })
        #expect(sectors.isSuperset(of: [[1, 1, 0, 0, 0, 0], [0, 0, 0, 0, 1, 1], [1, 1, 1, 1, 0, 0]]))
        #expect(sectors.allSatisfy { $0[0] == $0[1] && $0[2] == $0[3] && $0[4] == $0[5] })
    }

    @Test func `bytes outside a write are never touched`() throws {
        let file = try durableFile("/a", [UInt8](repeating: 9, count: 2000))
        try file.write([UInt8](repeating: 1, count: 600), at: 700)
        for bytes in try outcomes("/a") {
            #expect(bytes?.count == 2000)
            #expect(bytes?[..<700].allSatisfy { $0 == 9 } == true)
            #expect(bytes?[1300...].allSatisfy { $0 == 9 } == true)
        }
    }

    @Test func `a cut file may have its old length again`() throws {
        let file = try durableFile("/a", [1, 2, 3])
        try file.truncate(to: 1)
        #expect(try outcomes("/a") == [[1], [1, 2, 3]])
    }

    @Test func `a rename in one directory is whole or not at all`() throws {
        _ = try durableFile("/a", [1])
        try disk.rename("/a", to: "/b", replacing: false)
        for survivor in disk.survivors() + (0..<50).map({ disk.survivor(seed: $0) }) {
            #expect([["a"], ["b"]].contains(try survivor.list("/")))
        }
        try disk.synchronizeDirectory("/")
        #expect(try disk.survivors().map { try $0.list("/") } == [["b"]])
    }

    @Test func `a rename into another directory may leave both names and never none`() throws {
        _ = try durableFile("/a", [1])
        try disk.createDirectory("/d", permissions: 0o700)
        try disk.synchronizeDirectory("/")
        try disk.rename("/a", to: "/d/a", replacing: false)
        var seen: Set<[String]> = []
        for survivor in disk.survivors() + (0..<50).map({ disk.survivor(seed: $0) }) {
            seen.insert(try survivor.list("/") + survivor.list("/d"))
        }
        #expect(seen == [["a", "d"], ["a", "d", "a"], ["d", "a"]])
        try disk.synchronizeDirectory("/d")
        let half = disk.survivorOfTheWorst()
        #expect(try half.contents(of: "/a") == [1])
        #expect(try half.contents(of: "/d/a") == [1])
        try disk.synchronizeDirectory("/")
        #expect(try disk.survivors().map { try $0.list("/") } == [["d"]])
    }

    @Test func `syncing the directory a file left makes its new name durable too`() throws {
        _ = try durableFile("/a", [1])
        try disk.createDirectory("/d", permissions: 0o700)
        try disk.synchronizeDirectory("/")
        try disk.rename("/a", to: "/d/a", replacing: false)
        try disk.synchronizeDirectory("/")
        #expect(try disk.survivorOfTheWorst().contents(of: "/d/a") == [1])
    }

    @Test func `an unlinked file may be back, and replacing keeps the old or the new`() throws {
        _ = try durableFile("/a", [1])
        _ = try durableFile("/b", [2])
        try disk.unlink("/a")
        #expect(try outcomes("/a") == [nil, [1]])
        let new = try disk.open("/b.new", .create(permissions: 0o600))
        try new.write([3], at: 0)
        try new.synchronize()
        try disk.rename("/b.new", to: "/b", replacing: true)
        #expect(try outcomes("/b") == [[2], [3]])
    }

    @Test func `what is below a lost directory is lost with it`() throws {
        try disk.createDirectory("/d", permissions: 0o700)
        let file = try disk.open("/d/a", .create(permissions: 0o600))
        try file.write([1], at: 0)
        try file.synchronize()
        try disk.synchronizeDirectory("/d")
        #expect(try disk.survivorOfTheWorst().list("/") == [])
        try disk.synchronizeDirectory("/")
        #expect(try disk.survivorOfTheWorst().contents(of: "/d/a") == [1])
    }

    @Test func `the power goes after as many changes as were said`() throws {
        let file = try durableFile("/a", [1])
        let before = disk.operations
        disk.crash(after: before + 1)
        try file.write([2], at: 0)
        #expect(!disk.isDead)
        expect(.ioError) { () throws(FileError) in try file.synchronize() }
        #expect(disk.isDead)
        expect(.ioError) { () throws(FileError) in _ = try file.bytes(at: 0, count: 1) }
        expect(.ioError) { () throws(FileError) in _ = try disk.status(of: "/a") }
        #expect(try outcomes("/a").isSuperset(of: [[1], [2]]))
        #expect(try disk.copy().contents(of: "/a") == [2], "killed, not cut: the cache is still there")
    }
}
