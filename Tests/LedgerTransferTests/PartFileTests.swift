import LedgerModel
import LedgerSystem
import LedgerTestSupport
import LedgerTransfer
import SystemPackage
import Testing

@Suite struct PartFileTests {
    let path: FilePath = "/d/f.1-0badcafe.1.part"

    private func disk() throws -> SimulatedDisk {
        let disk = SimulatedDisk()
        try disk.createDirectory("/d", permissions: 0o700)
        return disk
    }

    private func write(_ bytes: [UInt8], at offset: UInt64, to part: PartFile) throws {
        try part.write(bytes.span.bytes, at: offset)
    }

    @Test func `only what was written before a sync is durable after it`() throws {
        let disk = try disk()
        let part = try PartFile.create(at: path, length: nil, in: disk)
        try write([1, 2, 3], at: 0, to: part)
        #expect(part.durable.ranges.isEmpty)
        #expect(try part.synchronize().ranges == ByteRangeSet(0..<3))
        try write([4], at: 3, to: part)
        #expect(part.durable.ranges == ByteRangeSet(0..<3))
        #expect(part.written == ByteRangeSet(0..<4))
    }

    @Test func `what is there when it is made is in it, and nothing is left where that can not be written`() throws {
        let disk = try disk()
        let part = try PartFile.create(at: path, length: 3, in: disk) { part throws(Failure) in
            try part.write(([1, 2, 3] as [UInt8]).span.bytes, at: 0)
        }
        #expect(part.written == ByteRangeSet(0..<3) && part.durable.ranges.isEmpty)
        disk.inject(SimulatedFault(.pwrite, .noSpace))
        do throws(Failure) {
            _ = try PartFile.create(at: path, length: 3, in: disk) { part throws(Failure) in
                try part.write(([1, 2, 3] as [UInt8]).span.bytes, at: 0)
            }
            Issue.record("there is no room for it")
        } catch { #expect(error.code == .diskFull) }
        #expect(try disk.list("/d").isEmpty)
    }

    @Test func `of a part that was removed while it is written nothing is durable`() throws {
        let disk = try disk()
        let part = try PartFile.create(at: path, length: nil, in: disk)
        try write([1, 2, 3], at: 0, to: part)
        try disk.unlink(path)
        for _ in 0..<2 {
            do throws(Failure) {
                _ = try part.synchronize()
                Issue.record("nobody could find it again")
            } catch {
                #expect(error.code == .partLost && error.isRetryable && error.message.contains("removed by someone"))
            }
        }
        #expect(part.durable.ranges.isEmpty)
    }

    @Test func `a leftover of the very name is made anew`() throws {
        let disk = try disk()
        let old = try PartFile.create(at: path, length: nil, in: disk)
        try write([9, 9, 9], at: 0, to: old)
        let new = try PartFile.create(at: path, length: nil, in: disk)
        #expect(try new.file.status().length == 0)
    }

    @Test func `where nothing can be reserved there must be as much room, or nothing is begun`() throws {
        let disk = SimulatedDisk(bytesMax: 100_000)
        try disk.createDirectory("/d", permissions: 0o700)
        disk.inject(SimulatedFault(.fallocate, .notSupported, forGood: true))
        do throws(Failure) {
            _ = try PartFile.create(at: path, length: 100_001, in: disk)
            Issue.record("there is no room for it")
        } catch { #expect(error.code == .diskFull) }
        #expect(try disk.list("/d").isEmpty)
        #expect(try PartFile.create(at: path, length: 90_000, in: disk).written.isEmpty)
    }

    @Test func `where nothing can be reserved two parts that do not fit beside each other do not both begin`() throws {
        let (disk, promises) = (SimulatedDisk(bytesMax: 200_000), PromisedRoom())
        try disk.createDirectory("/d", permissions: 0o700)
        disk.inject(SimulatedFault(.fallocate, .notSupported, forGood: true))
        let first = try PartFile.create(at: path, length: 120_000, in: disk, promises: promises)
        let other: FilePath = "/d/f.2-0badcafe.1.part"
        func begin(_ length: UInt64) throws(Failure) -> PartFile {
            try PartFile.create(at: other, length: length, in: disk, promises: promises)
        }
        do throws(Failure) {
            _ = try begin(120_000)
            Issue.record("there is no room for both")
        } catch { #expect(error.code == .diskFull) }
        // What is written of the first takes room of the disk's, and no promise as well.
        try first.write([UInt8](repeating: 1, count: 100_000).span.bytes, at: 0)
        try begin(70_000).close()
        #expect(throws: Failure.self) { try begin(90_000) }
        // One that is over counts on nothing.
        first.close()
        #expect(try begin(90_000).written.isEmpty)
    }

    @Test func `room is looked for where the directory is to be, and unknown room is room`() throws {
        let disk = SimulatedDisk(bytesMax: 1000)
        try disk.createDirectory("/d", permissions: 0o700)
        #expect(disk.hasRoom(for: 500, in: "/d/e/f") && !disk.hasRoom(for: 5000, in: "/d/e/f"))
        disk.inject(SimulatedFault(.statvfs, .ioError, forGood: true))
        #expect(disk.hasRoom(for: 5000, in: "/d"))
    }

    @Test func `a part that is gone or shorter than claimed is lost, and says so`() throws {
        let disk = try disk()
        #expect(throws: Failure(.partLost, "the part file '\(path)' is gone", isRetryable: true)) {
            try PartFile.reopen(at: path, claimed: SummedRanges(ByteRangeSet(0..<1), sums: []), in: disk)
        }
        let part = try PartFile.create(at: path, length: nil, in: disk)
        try write([1, 2, 3], at: 0, to: part)
        let words = "the part file '\(path)' holds 3 bytes where 4 are on record"
        #expect(throws: Failure(.partLost, words, isRetryable: true)) {
            try PartFile.reopen(at: path, claimed: SummedRanges(ByteRangeSet(0..<4), sums: []), in: disk)
        }
        let held = SummedRanges(ByteRangeSet(0..<2), sums: [])
        #expect(try PartFile.reopen(at: path, claimed: held, in: disk).written == held.ranges)
    }

    @Test func `after a sync that failed a part never claims anything again`() throws {
        let disk = try disk()
        let part = try PartFile.create(at: path, length: nil, in: disk)
        try write([1, 2, 3], at: 0, to: part)
        disk.inject(SimulatedFault(.fdatasync, .ioError))
        #expect(throws: Failure.self) { try part.synchronize() }
        disk.clearFaults()
        #expect(throws: Failure.self) { try part.synchronize() }
        #expect(part.durable.ranges.isEmpty)
    }

    @Test func `what the disk can not even begin with poisons the part as a sync does`() throws {
        let disk = try disk()
        let part = try PartFile.create(at: path, length: nil, in: disk)
        let count = Int(WritebackSteps.stepBytes)
        try write([UInt8](repeating: 7, count: count), at: 0, to: part)
        disk.inject(SimulatedFault(.syncFileRange, .ioError))
        try part.beginWriteback(to: UInt64(count) - 1)
        let failure = #expect(throws: Failure.self) { try part.beginWriteback(to: UInt64(count)) }
        #expect(failure?.code == .disk && part.poison == failure)
        #expect(throws: Failure.self) { try part.synchronize() }
        #expect(part.durable.ranges.isEmpty)
    }

    @Test func `a sync that fails poisons the parts that are open on its device, and no others`() throws {
        let disk = try disk()
        try disk.createDirectory("/e", permissions: 0o700)
        try disk.mount("/e")
        let part = try PartFile.create(at: path, length: nil, in: disk)
        let elsewhere = try PartFile.create(at: "/e/f.1-0badcafe.1.part", length: nil, in: disk)
        try write([1, 2, 3], at: 0, to: part)
        try write([1, 2, 3], at: 0, to: elsewhere)
        let other = try disk.open("/d/other", .create(permissions: 0o600))
        disk.inject(SimulatedFault(.fdatasync, .noSpace))
        #expect(throws: FileError.self) { try other.synchronize() }
        #expect(try part.synchronize().ranges == ByteRangeSet(0..<3), "that it found no room concerns itself alone")
        disk.inject(SimulatedFault(.fdatasync, .ioError))
        #expect(throws: FileError.self) { try other.synchronize() }
        try write([4], at: 3, to: part)
        let failure = #expect(throws: Failure.self) { try part.synchronize() }
        #expect(failure?.code == .disk && failure?.isRetryable == true && part.poison == failure)
        #expect(part.durable.ranges == ByteRangeSet(0..<3))
        #expect(try elsewhere.synchronize().ranges == ByteRangeSet(0..<3))
        disk.inject(SimulatedFault(.fsync, .ioError))
        #expect(throws: FileError.self) { try disk.synchronizeDirectory("/e") }
        #expect(throws: Failure.self) { try elsewhere.requireTrust() }
        // What is opened later has nothing that could be lost yet.
        let later = try PartFile.create(at: "/d/f.2-0badcafe.1.part", length: nil, in: disk)
        #expect(try later.synchronize().ranges.isEmpty)
    }

    @Test func `names follow from ledger, download and generation, and fit any disk`() {
        let id = DownloadID(UInt64.max)
        let short = PartName.make(stem: "a.iso", id: DownloadID(7), ledgerPrefix: "0badcafe", generation: 2)
        #expect(short == "a.iso.7-0badcafe.2.part")
        let long = String(repeating: "é", count: 300)
        let name = PartName.make(stem: long, id: id, ledgerPrefix: "0badcafe", generation: .max)
        #expect(name.utf8.count <= 246)
    }
}
