import LedgerSystem
import SystemPackage
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// What every ``FileSystem`` promises about names, directories and locks.
@Suite struct NameContract {
    @Test(arguments: World.allCases)
    func `each mode opens what it says and refuses the rest`(world: World) throws {
        try world.run { disk, root in
            let (missing, there, directory) = (root.appending("no"), root.appending("yes"), root.appending("dir"))
            try disk.open(there, .create(permissions: 0o640)).write([1], at: 0)
            try disk.createDirectory(directory, permissions: 0o700)
            expect(.noSuchFileOrDirectory) { () throws(FileError) in _ = try disk.open(missing, .read) }
            expect(.noSuchFileOrDirectory) { () throws(FileError) in _ = try disk.open(missing, .update) }
            expect(.fileExists) { () throws(FileError) in _ = try disk.open(there, .create(permissions: 0o600)) }
            expect(.isDirectory) { () throws(FileError) in _ = try disk.open(directory, .update) }
            expect(.isDirectory) { () throws(FileError) in
                _ = try disk.open(directory, .createOrUpdate(permissions: 0o600))
            }
            let kept = try disk.open(there, .createOrUpdate(permissions: 0o600))
            #expect(try kept.bytes(at: 0, count: 9) == [1])
            #expect(try kept.status().permissions == 0o640)
            try disk.open(missing, .createOrUpdate(permissions: 0o600)).write([2], at: 0)
            #expect(try disk.contents(of: missing) == [2])
            #expect(kept.path == there)
        }
    }

    @Test func `a symbolic link is not opened for writing`() async throws {
        try await awaitWithTemporaryDirectory { root in
            let (there, link) = (root.appending("there"), root.appending("link"))
            _ = try RealFileSystem().open(there, .create(permissions: 0o600))
            #expect(try await ChildProcess("/bin/ln", ["-s", there.string, link.string]).wait() == 0)
            expect(.tooManySymbolicLinkLevels) { () throws(FileError) in
                _ = try RealFileSystem().open(link, .update)
            }
            expect(.tooManySymbolicLinkLevels) { () throws(FileError) in _ = try RealFileSystem().lock(link) }
        }
    }

    @Test(arguments: World.allCases)
    func `a path through nothing is ENOENT and through a file ENOTDIR`(world: World) throws {
        try world.run { disk, root in
            _ = try disk.open(root.appending("file"), .create(permissions: 0o600))
            let (nowhere, through) = (root.appending("no/x"), root.appending("file/x"))
            expect(.noSuchFileOrDirectory) { () throws(FileError) in
                _ = try disk.open(nowhere, .create(permissions: 0o600))
            }
            expect(.notDirectory) { () throws(FileError) in _ = try disk.open(through, .read) }
            expect(.notDirectory) { () throws(FileError) in _ = try disk.status(of: through) }
            expect(.notDirectory) { () throws(FileError) in try disk.unlink(through) }
            expect(.notDirectory) { () throws(FileError) in _ = try disk.list(root.appending("file")) }
            expect(.notDirectory) { () throws(FileError) in try disk.synchronizeDirectory(root.appending("file")) }
            expect(.noSuchFileOrDirectory) { () throws(FileError) in try disk.unlink(nowhere) }
            expect(.noSuchFileOrDirectory) { () throws(FileError) in _ = try disk.list(nowhere) }
            expect(.noSuchFileOrDirectory) { () throws(FileError) in try disk.synchronizeDirectory(nowhere) }
            expect(.noSuchFileOrDirectory) { () throws(FileError) in _ = try disk.availableBytes(at: nowhere) }
            #expect(try disk.status(of: root.appending("no")) == nil)
            #expect(try disk.status(of: nowhere) == nil)
            #expect(try disk.contents(of: nowhere) == nil)
            #expect(try disk.contents(of: root.appending("no")) == nil)
        }
    }

    @Test(arguments: World.allCases)
    func `names are listed in the order of their bytes`(world: World) throws {
        try world.run { disk, root in
            for name in ["b", "a", "é", "Z", "10", "9", ".hidden"] {
                _ = try disk.open(root.appending(name), .create(permissions: 0o600))
            }
            #expect(try disk.list(root) == [".hidden", "10", "9", "Z", "a", "b", "é"])
            try disk.synchronizeDirectory(root)
        }
    }

    @Test(arguments: World.allCases)
    func `directories are made with those above them, and only empty ones removed`(world: World) throws {
        try world.run { disk, root in
            let deep = root.appending("a/b/c")
            try disk.createDirectory(deep, permissions: 0o700)
            try disk.createDirectory(deep, permissions: 0o755)
            #expect(try disk.status(of: deep)?.kind == .directory)
            #expect(try disk.status(of: root.appending("a"))?.permissions == 0o700)
            _ = try disk.open(deep.appending("f"), .create(permissions: 0o600))
            expect(.fileExists) { () throws(FileError) in
                try disk.createDirectory(deep.appending("f"), permissions: 0o700)
            }
            expect(.notDirectory) { () throws(FileError) in
                try disk.createDirectory(deep.appending("f/g"), permissions: 0o700)
            }
            expect(.directoryNotEmpty) { () throws(FileError) in try disk.removeDirectory(deep) }
            expect(.notDirectory) { () throws(FileError) in try disk.removeDirectory(deep.appending("f")) }
            expect(.isDirectory) { () throws(FileError) in try disk.unlink(deep) }
            try disk.unlink(deep.appending("f"))
            try disk.removeDirectory(deep)
            expect(.noSuchFileOrDirectory) { () throws(FileError) in try disk.removeDirectory(deep) }
            #expect(try disk.list(root.appending("a/b")) == [])
        }
    }

    @Test(arguments: World.allCases)
    func `a rename keeps the file and refuses a taken name unless told`(world: World) throws {
        try world.run { disk, root in
            let (one, two, sub) = (root.appending("one"), root.appending("two"), root.appending("sub"))
            try disk.open(one, .create(permissions: 0o600)).write([1], at: 0)
            try disk.open(two, .create(permissions: 0o600)).write([2], at: 0)
            try disk.createDirectory(sub, permissions: 0o700)
            let inode = try disk.status(of: one)?.inode
            expect(.fileExists) { () throws(FileError) in try disk.rename(one, to: two, replacing: false) }
            expect(.fileExists) { () throws(FileError) in try disk.rename(one, to: sub, replacing: false) }
            expect(.isDirectory) { () throws(FileError) in try disk.rename(one, to: sub, replacing: true) }
            expect(.notDirectory) { () throws(FileError) in try disk.rename(sub, to: one, replacing: true) }
            expect(.noSuchFileOrDirectory) { () throws(FileError) in
                try disk.rename(root.appending("no"), to: two, replacing: true)
            }
            expect(.noSuchFileOrDirectory) { () throws(FileError) in
                try disk.rename(one, to: root.appending("no/x"), replacing: false)
            }
            expect(.invalidArgument) { () throws(FileError) in
                try disk.rename(sub, to: sub.appending("inside"), replacing: true)
            }
            #expect(try disk.contents(of: two) == [2])
            try disk.rename(one, to: sub.appending("one"), replacing: false)
            #expect(try disk.status(of: sub.appending("one"))?.inode == inode)
            try disk.rename(sub.appending("one"), to: two, replacing: true)
            #expect(try disk.contents(of: two) == [1])
            #expect(try disk.list(root) == ["sub", "two"])
            #expect(try disk.list(sub) == [])
        }
    }

    @Test(arguments: World.allCases)
    func `content is replaced whole`(world: World) throws {
        try world.run { disk, root in
            let path = root.appending("config")
            try disk.replaceContents(of: path, with: [1, 2, 3], permissions: 0o600)
            try disk.replaceContents(of: path, with: [4], permissions: 0o600)
            #expect(try disk.contents(of: path) == [4])
            #expect(try disk.list(root) == ["config"])
        }
    }

    @Test(arguments: World.allCases)
    func `a status tells kind, length, identity and permissions`(world: World) throws {
        try world.run { disk, root in
            let file = try disk.open(root.appending("a"), .create(permissions: 0o600))
            try file.write([1, 2], at: 0)
            let status = try #require(try disk.status(of: root.appending("a")))
            #expect(status == (try file.status()))
            #expect(status.kind == .regular && status.length == 2 && status.permissions == 0o600)
            let directory = try #require(try disk.status(of: root))
            #expect(directory.kind == .directory && directory.device == status.device)
            #expect(directory.inode != status.inode)
            #expect(try disk.availableBytes(at: root) > 0)
        }
    }

    @Test(arguments: World.allCases)
    func `a lock is held by one until it is given back or dropped`(world: World) throws {
        try world.run { disk, root in
            let path = root.appending("ledger.lock")
            let first = try #require(try disk.lock(path))
            #expect(try disk.lock(path) == nil)
            first.unlock()
            first.unlock()
            var second = try disk.lock(path)
            #expect(second != nil)
            #expect(try disk.lock(path) == nil)
            second = nil
            let third = try disk.lock(path)
            #expect(third != nil)
            expect(.noSuchFileOrDirectory) { () throws(FileError) in _ = try disk.lock(root.appending("no/lock")) }
        }
    }

    /// As a program that is being started has one, between its fork and its exec.
    @Test func `a lock given back is free though a copy of its descriptor is open`() throws {
        try withTemporaryDirectory { root in
            let (disk, path) = (RealFileSystem(), root.appending("ledger.lock"))
            let lock = try #require(try disk.lock(path))
            let file = try #require(try disk.status(of: path))
            let number = try #require(
                (CInt(3)..<1_024).first { number in
                    var status = stat()
                    return unsafe fstat(number, &status) == 0 && UInt64(status.st_ino) == file.inode
                        && UInt64(status.st_dev) == file.device
                })
            let copy = fcntl(number, F_DUPFD_CLOEXEC, 3)
            defer { close(copy) }
            try #require(copy >= 0)
            #expect(try disk.lock(path) == nil)
            lock.unlock()
            #expect(try disk.lock(path) != nil)
        }
    }
}
