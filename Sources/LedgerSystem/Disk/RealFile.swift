import CLedgerSystem
package import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// An open file of the operating system.
package final class RealFile: File {
    package let path: FilePath
    private let descriptor: Descriptor

    init(path: FilePath, descriptor: CInt) {
        self.path = path
        self.descriptor = Descriptor(descriptor)
    }

    package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(FileError) -> Int {
        guard let base = buffer.baseAddress, buffer.count > 0 else { return 0 }
        let position = try position(offset, "pread")
        return try descriptor.use("pread", path) { number throws(FileError) in
            try systemCall("pread", path) { unsafe pread(number, base, buffer.count, position) }
        }
    }

    package func write(_ bytes: RawSpan, at offset: UInt64) throws(FileError) {
        if bytes.isEmpty { return }
        let position = try position(offset, "pwrite")
        try descriptor.use("pwrite", path) { number throws(FileError) in
            var written = 0
            while written < bytes.byteCount {
                let rest = bytes.extracting(written..<bytes.byteCount)
                let count = try systemCall("pwrite", path) {
                    unsafe rest.withUnsafeBytes { buffer in
                        unsafe pwrite(number, buffer.baseAddress!, buffer.count, position + off_t(written))
                    }
                }
                // POSIX allows no answer of 0 here; taken as success it would never end.
                guard count > 0 else { throw FileError("pwrite", path, .ioError) }
                written += count
            }
        }
    }

    /// Called once, even when a signal interrupts it: a sync that was repeated may say success for pages the kernel has
    /// given up on.
    package func synchronize() throws(FileError) {
        try descriptor.use("fdatasync", path) { number throws(FileError) in
            if ledger_synchronize(number) != 0 { throw RealFileSystem.noted("fdatasync", path, number) }
        }
    }

    package func beginWriteback(_ range: Range<UInt64>) throws(FileError) {
        let start = try position(range.lowerBound, "sync_file_range")
        let end = try position(range.upperBound, "sync_file_range")
        // To the call no bytes are all up to the end.
        if range.isEmpty { return }
        try descriptor.use("sync_file_range", path) { number throws(FileError) in
            if ledger_begin_writeback(number, Int64(start), Int64(end - start)) == 0 { return }
            switch currentErrno() {
            case .noFunction, .invalidArgument, .illegalSeek, .notSupported: return
            default: throw RealFileSystem.noted("sync_file_range", path, number)
            }
        }
    }

    package func allocate(_ range: Range<UInt64>, extending: Bool) throws(FileError) -> Bool {
        if range.isEmpty { return true }
        let start = try position(range.lowerBound, "fallocate")
        let end = try position(range.upperBound, "fallocate")
        if !extending, try Volume(at: path).trait == .memory { return false }
        return try descriptor.use("fallocate", path) { number throws(FileError) in
            do throws(FileError) {
                try systemCall("fallocate", path) {
                    ledger_allocate(number, Int64(start), Int64(end - start), extending)
                }
                return true
            } catch {
                guard [.notSupported, .notSupportedOnSocket, .noFunction].contains(error.errno) else { throw error }
                return false
            }
        }
    }

    package func truncate(to length: UInt64) throws(FileError) {
        let position = try position(length, "ftruncate")
        try descriptor.use("ftruncate", path) { number throws(FileError) in
            _ = try systemCall("ftruncate", path) { ftruncate(number, position) }
        }
    }

    package func status() throws(FileError) -> FileStatus {
        try descriptor.status(path)
    }

    package func mayHaveHole(before end: UInt64) throws(FileError) -> Bool {
        let end = try position(end, "lseek")
        let (length, blocks) = try descriptor.extent(path)
        // The unit of that number is 512 bytes everywhere, whatever a block of the file system is.
        if length >= end, blocks >= (end + 511) / 512 { return false }
        // It waits for its next transaction group before it answers: to read the file takes less.
        if try Volume(at: path).name == "zfs" { return true }
        return try descriptor.use("lseek", path) { number throws(FileError) in
            do throws(FileError) {
                return try systemCall("lseek", path) { ledger_first_hole(number) } < end
            } catch {
                switch error.errno {
                // Nothing is there.
                case .noSuchAddressOrDevice: return true
                case .invalidArgument, .illegalSeek, .noFunction, .notSupported: return false
                default: throw error
                }
            }
        }
    }

    package func setModified(nanoseconds: Int64) throws(FileError) {
        try descriptor.use("futimens", path) { number throws(FileError) in
            _ = try systemCall("futimens", path) { ledger_set_modified(number, nanoseconds) }
        }
    }

    package func close() { descriptor.close() }

    /// An offset as the system calls take it; `EINVAL` beyond 2^63 - 1.
    private func position(_ offset: UInt64, _ call: String) throws(FileError) -> off_t {
        guard let position = off_t(exactly: offset) else { throw FileError(call, path, .invalidArgument) }
        return position
    }
}

extension FileStatus {
    /// From the answer of `stat(2)`.
    init(_ answer: stat) {
        let kind: Kind =
            switch answer.st_mode & S_IFMT {
            case S_IFREG: .regular
            case S_IFDIR: .directory
            case S_IFLNK: .symbolicLink
            default: .other
            }
        #if canImport(Darwin)
            let (modified, changed) = (answer.st_mtimespec, answer.st_ctimespec)
        #else
            let (modified, changed) = (answer.st_mtim, answer.st_ctim)
        #endif
        self.init(
            kind: kind, length: UInt64(clamping: answer.st_size), modifiedNanoseconds: nanoseconds(modified),
            changedNanoseconds: nanoseconds(changed), inode: UInt64(answer.st_ino),
            device: UInt64(truncatingIfNeeded: answer.st_dev),
            permissions: UInt16(truncatingIfNeeded: answer.st_mode & 0o7777), links: UInt64(answer.st_nlink))
    }
}

extension Descriptor {
    /// Its length in bytes, and how many blocks of 512 the disk holds for it. `fstat(2)`.
    fileprivate func extent(_ path: FilePath) throws(FileError) -> (length: Int64, blocks: Int64) {
        try use("fstat", path) { number throws(FileError) in
            var answer = stat()
            try systemCall("fstat", path) { unsafe fstat(number, &answer) }
            return (Int64(answer.st_size), Int64(answer.st_blocks))
        }
    }

    /// What stands behind it, which was opened as `path`. `fstat(2)`.
    func status(_ path: FilePath) throws(FileError) -> FileStatus {
        try use("fstat", path) { number throws(FileError) in
            var answer = stat()
            try systemCall("fstat", path) { unsafe fstat(number, &answer) }
            return FileStatus(answer)
        }
    }
}
