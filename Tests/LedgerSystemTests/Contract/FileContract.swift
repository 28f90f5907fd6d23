import LedgerSystem
import SystemPackage
import Testing

/// What every ``FileSystem`` promises about open files.
@Suite struct FileContract {
    @Test(arguments: World.allCases)
    func `what is written is read back, and holes are zeros`(world: World) throws {
        try world.run { disk, root in
            let file = try disk.open(root.appending("a"), .create(permissions: 0o600))
            try file.write([1, 2, 3], at: 0)
            try file.write([9], at: 6)
            #expect(try file.bytes(at: 0, count: 100) == [1, 2, 3, 0, 0, 0, 9])
            #expect(try file.bytes(at: 2, count: 2) == [3, 0])
            #expect(try file.bytes(at: 7, count: 1) == [])
            try file.write([7, 7], at: 1)
            #expect(try file.bytes(at: 0, count: 3) == [1, 7, 7])
            #expect(try file.status().length == 7)
        }
    }

    @Test(arguments: World.allCases)
    func `what comes next is read into the same room, but where somebody still holds what was there`(
        world: World
    ) throws {
        try world.run { disk, root in
            let file = try disk.open(root.appending("a"), .create(permissions: 0o600))
            try file.write([1, 2, 3, 4, 5], at: 0)
            var room: [UInt8] = []
            try file.read(into: &room, at: 0, count: 3)
            #expect(room == [1, 2, 3])
            let place = room.withUnsafeBufferPointer { $0.baseAddress }
            try file.read(into: &room, at: 3, count: 3)
            #expect(room == [4, 5])
            #expect(room.withUnsafeBufferPointer { $0.baseAddress } == place)
            let lent = room[1...]
            try file.read(into: &room, at: 0, count: 2)
            #expect(room == [1, 2])
            #expect(lent == [5])
            try file.read(into: &room, at: 9, count: 2)
            #expect(room == [])
            room = [1]
            try file.read(into: &room, at: 0, count: 0)
            #expect(room == [])
            #expect(try file.bytes(at: 0, count: 0) == [])
        }
    }

    @Test(arguments: World.allCases)
    func `a write across pages is whole`(world: World) throws {
        try world.run { disk, root in
            let file = try disk.open(root.appending("a"), .create(permissions: 0o600))
            let bytes = (0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            try file.write(bytes, at: 4_000)
            #expect(try file.bytes(at: 4_000, count: 20_000) == bytes)
            #expect(try file.bytes(at: 0, count: 4_000) == [UInt8](repeating: 0, count: 4_000))
            try file.write([], at: 50_000)
            #expect(try file.status().length == 24_000)
        }
    }

    @Test(arguments: World.allCases)
    func `a file is cut and extended`(world: World) throws {
        try world.run { disk, root in
            let file = try disk.open(root.appending("a"), .create(permissions: 0o600))
            try file.write([1, 2, 3, 4], at: 0)
            try file.truncate(to: 2)
            #expect(try file.bytes(at: 0, count: 9) == [1, 2])
            try file.truncate(to: 4)
            #expect(try file.bytes(at: 0, count: 9) == [1, 2, 0, 0])
        }
    }

    @Test(arguments: [false, true]) func `a file that was cut and written on has a hole`(isReserved: Bool) throws {
        try World.real.run { disk, root in
            let file = try disk.open(root.appending("a"), .create(permissions: 0o600))
            let bytes = [UInt8](repeating: 7, count: 1 << 20)
            if isReserved { try file.allocate(0..<1 << 20, extending: false) }
            try file.write(bytes, at: 0)
            #expect(try !file.mayHaveHole(before: 1 << 20) && file.mayHaveHole(before: 1 << 20 + 4096))
            try file.truncate(to: 4096)
            try file.write(Array(bytes[800_000...]), at: 800_000)
            #expect(try file.mayHaveHole(before: 1 << 20))
            try file.write(Array(bytes[4096..<800_000]), at: 4096)
            #expect(try !file.mayHaveHole(before: 1 << 20))
        }
    }

    @Test(arguments: World.allCases)
    func `reserving space keeps the length unless it is to grow`(world: World) throws {
        try world.run { disk, root in
            let file = try disk.open(root.appending("a"), .create(permissions: 0o600))
            try file.allocate(0..<8192, extending: false)
            #expect(try file.status().length == 0)
            try file.allocate(0..<8192, extending: true)
            #expect(try file.status().length == 8192)
            try file.allocate(0..<4096, extending: true)
            try file.allocate(5..<5, extending: true)
            #expect(try file.status().length == 8192)
            #expect(try file.bytes(at: 8190, count: 9) == [0, 0])
        }
    }

    @Test(arguments: World.allCases)
    func `the modification time is what it is set to, to the nanosecond`(world: World) throws {
        try world.run { disk, root in
            let file = try disk.open(root.appending("a"), .create(permissions: 0o600))
            for time: Int64 in [1_234_567_890_123_456_789, 0, -1] {
                try file.setModified(nanoseconds: time)
                #expect(try file.status().modifiedNanoseconds == time)
            }
        }
    }

    @Test(arguments: World.allCases)
    func `an open file keeps its content when its name goes`(world: World) throws {
        try world.run { disk, root in
            let path = root.appending("a")
            let file = try disk.open(path, .create(permissions: 0o600))
            try file.write([5], at: 0)
            try disk.unlink(path)
            #expect(try file.bytes(at: 0, count: 9) == [5])
            try file.synchronize()
            #expect(try disk.status(of: path) == nil)
        }
    }

    @Test(arguments: World.allCases)
    func `the disk may be told to begin with any range`(world: World) throws {
        try world.run { disk, root in
            let file = try disk.open(root.appending("a"), .create(permissions: 0o600))
            try file.write([5], at: 0)
            for range: Range<UInt64> in [0..<1, 0..<1 << 40, 1 << 40..<1 << 41, 7..<7] {
                try file.beginWriteback(range)
            }
            try file.synchronize()
            #expect(try file.bytes(at: 0, count: 9) == [5])
        }
    }

    @Test(arguments: World.allCases)
    func `a closed file answers EBADF, and closing again is harmless`(world: World) throws {
        try world.run { disk, root in
            let file = try disk.open(root.appending("a"), .create(permissions: 0o600))
            file.close()
            file.close()
            expect(.badFileDescriptor) { () throws(FileError) in try file.write([1], at: 0) }
            expect(.badFileDescriptor) { () throws(FileError) in _ = try file.bytes(at: 0, count: 1) }
            expect(.badFileDescriptor) { () throws(FileError) in try file.synchronize() }
            expect(.badFileDescriptor) { () throws(FileError) in try file.beginWriteback(0..<1) }
            expect(.badFileDescriptor) { () throws(FileError) in try file.truncate(to: 0) }
            expect(.badFileDescriptor) { () throws(FileError) in _ = try file.status() }
            expect(.badFileDescriptor) { () throws(FileError) in try file.allocate(0..<1, extending: true) }
            expect(.badFileDescriptor) { () throws(FileError) in try file.setModified(nanoseconds: 0) }
        }
    }

    @Test(arguments: World.allCases)
    func `a file opened for reading refuses changes`(world: World) throws {
        try world.run { disk, root in
            try disk.open(root.appending("a"), .create(permissions: 0o600)).write([1], at: 0)
            let file = try disk.open(root.appending("a"), .read)
            #expect(try file.bytes(at: 0, count: 9) == [1])
            expect(.badFileDescriptor) { () throws(FileError) in try file.write([1], at: 0) }
            expect(.invalidArgument) { () throws(FileError) in try file.truncate(to: 0) }
            expect(.badFileDescriptor) { () throws(FileError) in try file.allocate(0..<1, extending: true) }
        }
    }

    @Test(arguments: World.allCases)
    func `an offset no system call takes is EINVAL`(world: World) throws {
        try world.run { disk, root in
            let file = try disk.open(root.appending("a"), .create(permissions: 0o600))
            expect(.invalidArgument) { () throws(FileError) in try file.write([1], at: 1 << 63) }
            expect(.invalidArgument) { () throws(FileError) in _ = try file.bytes(at: 1 << 63, count: 1) }
            expect(.invalidArgument) { () throws(FileError) in try file.beginWriteback(0..<1 << 63) }
            expect(.invalidArgument) { () throws(FileError) in try file.truncate(to: 1 << 63) }
        }
    }

    @Test(arguments: World.allCases)
    func `a directory can be opened and not be read`(world: World) throws {
        try world.run { disk, root in
            let file = try disk.open(root, .read)
            #expect(try file.status().kind == .directory)
            expect(.isDirectory) { () throws(FileError) in _ = try file.bytes(at: 0, count: 1) }
        }
    }
}
