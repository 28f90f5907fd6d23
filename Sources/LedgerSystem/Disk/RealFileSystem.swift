import CLedgerSystem
package import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The file systems of the operating system.
package struct RealFileSystem: FileSystem {
    /// The disk; there is one.
    package init() {}

    package func open(_ path: FilePath, _ mode: OpenMode) throws(FileError) -> any File {
        let descriptor =
            switch mode {
            // Of no effect on a file; a pipe without a writer would hold the thread.
            case .read: try descriptor(path, O_RDONLY | O_NONBLOCK)
            case .update: try descriptor(path, O_RDWR | O_NOFOLLOW)
            case .create(let permissions): try descriptor(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, permissions)
            case .createOrUpdate(let permissions): try descriptor(path, O_RDWR | O_CREAT, permissions)
            }
        return RealFile(path: path, descriptor: descriptor)
    }

    package func status(of path: FilePath) throws(FileError) -> FileStatus? {
        var answer = stat()
        do throws(FileError) {
            try systemCall("lstat", path) {
                unsafe path.withPlatformString { unsafe lstat($0, &answer) }
            }
        } catch {
            if error.errno == .noSuchFileOrDirectory { return nil }
            throw error
        }
        return FileStatus(answer)
    }

    package func resolved(_ path: FilePath) throws(FileError) -> FilePath {
        guard let absolute = unsafe path.withPlatformString({ unsafe realpath($0, nil) }) else {
            throw FileError("realpath", path, currentErrno())
        }
        defer { unsafe free(absolute) }
        return unsafe FilePath(platformString: absolute)
    }

    package func rename(_ source: FilePath, to target: FilePath, replacing: Bool) throws(FileError) {
        if replacing {
            try systemCall("rename", source) {
                unsafe source.withPlatformString { from in
                    unsafe target.withPlatformString { to in unsafe renamed(from, to) }
                }
            }
            return
        }
        do throws(FileError) {
            try systemCall("renameat2", source) {
                unsafe source.withPlatformString { from in
                    unsafe target.withPlatformString { to in unsafe ledger_rename_exclusive(from, to) }
                }
            }
        } catch {
            if error.errno == .fileExists { throw FileError("renameat2", target, .fileExists) }
            guard error.errno == .noFunction || error.errno == .invalidArgument else { throw error }
            try moveByLink(source, to: target)
        }
    }

    package func unlink(_ path: FilePath) throws(FileError) {
        try systemCall("unlink", path) { unsafe path.withPlatformString { unsafe unlinked($0) } }
    }

    package func availableBytes(at path: FilePath) throws(FileError) -> UInt64 {
        var answer = statvfs()
        try systemCall("statvfs", path) {
            unsafe path.withPlatformString { unsafe statvfs($0, &answer) }
        }
        // What lives in memory without a limit has no blocks to count.
        if answer.f_blocks == 0 { return .max }
        let (bytes, overflow) = UInt64(answer.f_bavail).multipliedReportingOverflow(by: UInt64(answer.f_frsize))
        return overflow ? .max : bytes
    }

    package func lock(_ path: FilePath) throws(FileError) -> (any FileLock)? {
        let held = Descriptor(try descriptor(path, O_RDWR | O_CREAT | O_NOFOLLOW, 0o600))
        do throws(FileError) {
            try held.flock(path, LOCK_EX | LOCK_NB)
        } catch {
            held.close()
            if error.errno == .wouldBlock { return nil }
            throw error
        }
        return RealFileLock(held, path)
    }
}

/// A lock of `flock(2)`, which the end of the process gives back. Closing our descriptor alone would not: the lock is
/// of the open file, and a program that is being started holds a copy of every descriptor until its `execve(2)`.
private final class RealFileLock: FileLock {
    private let descriptor: Descriptor
    private let path: FilePath

    init(_ descriptor: Descriptor, _ path: FilePath) {
        self.descriptor = descriptor
        self.path = path
    }

    deinit { unlock() }

    func status() throws(FileError) -> FileStatus { try descriptor.status(path) }

    func unlock() {
        do throws(FileError) {
            try descriptor.flock(path, LOCK_UN)
        } catch {
            // Given back before; and where a file system refuses, closing is what is left.
        }
        descriptor.close()
    }
}

extension Descriptor {
    fileprivate func flock(_ path: FilePath, _ operation: CInt) throws(FileError) {
        _ = try use("flock", path) { number throws(FileError) in
            try systemCall("flock", path) { locked(number, operation) }
        }
    }
}

extension RealFileSystem {
    /// Opens a descriptor that programs we start do not inherit.
    func descriptor(_ path: FilePath, _ flags: CInt, _ permissions: UInt16 = 0) throws(FileError) -> CInt {
        try systemCall("open", path) {
            unsafe path.withPlatformString { name in
                unsafe opened(name, flags | O_CLOEXEC, mode_t(permissions))
            }
        }
    }

    /// For file systems without `RENAME_NOREPLACE`: the second name refuses a taken one, then the first goes. A crash
    /// between the two leaves both names on one file, never none.
    private func moveByLink(_ source: FilePath, to target: FilePath) throws(FileError) {
        do throws(FileError) {
            try systemCall("link", target) {
                unsafe source.withPlatformString { from in
                    unsafe target.withPlatformString { to in unsafe link(from, to) }
                }
            }
        } catch {
            guard error.errno == .notPermitted || error.errno == .notSupported || error.errno == .noFunction
            else { throw error }
            // Nor hard links (FAT over FUSE, say): look, then rename. The ledger's lock keeps us from racing ourselves.
            if try status(of: target) != nil { throw FileError("rename", target, .fileExists) }
            return try rename(source, to: target, replacing: true)
        }
        try unlink(source)
    }
}

// The names of these calls are those of the methods above, which would hide them there.

private func opened(_ path: UnsafePointer<CChar>, _ flags: CInt, _ mode: mode_t) -> CInt {
    unsafe open(path, flags, mode)
}

private func renamed(_ source: UnsafePointer<CChar>, _ target: UnsafePointer<CChar>) -> CInt {
    unsafe rename(source, target)
}

private func unlinked(_ path: UnsafePointer<CChar>) -> CInt { unsafe unlink(path) }

private func locked(_ number: CInt, _ operation: CInt) -> CInt { flock(number, operation) }
