package import SystemPackage

/// Every way the program touches a disk: the real one, and the simulated one with power cuts and faults.
///
/// All calls block; make them from a thread that may wait. Names follow the system calls they stand on. No call is
/// retried after it failed, but for `EINTR`, where the system call itself says to.
package protocol FileSystem: Sendable {
    /// The syncs that failed, of files and directories.
    var failedSyncs: FailedSyncs { get }

    /// Opens a file. Corresponds to `open(2)`, always with `O_CLOEXEC`.
    func open(_ path: FilePath, _ mode: OpenMode) throws(FileError) -> any File

    /// What stands at `path`, without following a final symbolic link; nil when nothing does. `lstat(2)`.
    func status(of path: FilePath) throws(FileError) -> FileStatus?

    /// The absolute path without links, `.` and `..` of what stands at `path`. `realpath(3)`.
    func resolved(_ path: FilePath) throws(FileError) -> FilePath

    /// The names in a directory, without `.` and `..`, in ascending order of their bytes.
    func list(_ directory: FilePath) throws(FileError) -> [String]

    /// Makes a directory and those above it that are missing, with these permissions; an existing one is left as it is.
    /// Does not sync: see ``synchronizeDirectory(_:)``.
    func createDirectory(_ path: FilePath, permissions: UInt16) throws(FileError)

    /// Gives a file another name. `renameat2(2)`; without `replacing`, `RENAME_NOREPLACE`, so that a taken name is the
    /// error `EEXIST` and never a loss.
    func rename(_ source: FilePath, to target: FilePath, replacing: Bool) throws(FileError)

    /// Removes a name. `unlink(2)`; a missing file is the error `ENOENT`.
    func unlink(_ path: FilePath) throws(FileError)

    /// Removes an empty directory. `rmdir(2)`.
    func removeDirectory(_ path: FilePath) throws(FileError)

    /// Makes the names in a directory durable: those created, renamed and removed before the call. `fsync(2)` on it.
    func synchronizeDirectory(_ path: FilePath) throws(FileError)

    /// The bytes an unprivileged writer may still allocate on the file system that holds `path`; `UInt64.max` where no
    /// limit is set. `statvfs(3)`.
    func availableBytes(at path: FilePath) throws(FileError) -> UInt64

    /// Takes the exclusive lock of a file, creating it, and keeps it until the value is closed or the process ends.
    /// `flock(2)` with `LOCK_NB`; nil when another holds it. The file is made when missing; a link is `ELOOP`.
    func lock(_ path: FilePath) throws(FileError) -> (any FileLock)?
}

/// How ``FileSystem/open(_:_:)`` opens a file.
package enum OpenMode: Hashable, Sendable {
    /// For reading; the file must exist.
    case read
    /// For reading and writing; the file must exist. A symbolic link is the error `ELOOP` (`O_NOFOLLOW`).
    case update
    /// For reading and writing; the file must not exist (`O_CREAT | O_EXCL | O_NOFOLLOW`).
    case create(permissions: UInt16)
    /// For reading and writing; created when missing, its content kept.
    case createOrUpdate(permissions: UInt16)
}

/// An open file. Offsets are absolute; there is no position. Usable from any thread, one call at a time for each range.
package protocol File: AnyObject, Sendable {
    /// Where it was opened.
    var path: FilePath { get }

    /// Reads up to `buffer.count` bytes at `offset`; 0 at the end. `pread(2)`.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(FileError) -> Int

    /// Writes all of `bytes` at `offset`, growing the file as needed. `pwrite(2)`, repeated after a short write.
    func write(_ bytes: RawSpan, at offset: UInt64) throws(FileError)

    /// Makes the content, and the length that is needed to read it, durable. `fdatasync(2)` (`F_FULLFSYNC` on Darwin).
    /// After an error nothing is known about what reached the disk, and it must not be called again on this file.
    func synchronize() throws(FileError)

    /// Has the disk begin to take the bytes of `range`, so that the next ``synchronize()`` finds less to wait for. It
    /// makes nothing durable, and may block while the disk has too much to do. `sync_file_range(2)` with
    /// `SYNC_FILE_RANGE_WRITE`; nothing outside of Linux, and where the file system has no such thing.
    /// - Throws: as ``synchronize()`` does, and it means the same: what could not even be begun, the kernel may have
    ///   dropped, and the next sync would know nothing of it.
    func beginWriteback(_ range: Range<UInt64>) throws(FileError)

    /// Reserves disk space for `range`, so that writing it can not fail for lack of space; the length of the file grows
    /// only when `extending`. `fallocate(2)`.
    /// - Returns: whether it is reserved; false where the file system can not, and nothing happened. Nor is room within
    ///   memory reserved without `extending`: clearing each page of it costs what writing it does.
    @discardableResult
    func allocate(_ range: Range<UInt64>, extending: Bool) throws(FileError) -> Bool

    /// Sets the length. `ftruncate(2)`.
    func truncate(to length: UInt64) throws(FileError)

    /// Length, identity and times. `fstat(2)`.
    func status() throws(FileError) -> FileStatus

    /// Whether there may be bytes before `end` that the disk holds nothing for, which read as zeros: nobody wrote them,
    /// or they were cut off since; or the file system packs its files, or keeps no zeros, which only reading tells from
    /// that. `fstat(2)`, and `lseek(2)` with `SEEK_HOLE` where there are fewer blocks than bytes; false where the file
    /// system does not tell.
    func mayHaveHole(before end: UInt64) throws(FileError) -> Bool

    /// Sets the modification time. `futimens(2)`.
    func setModified(nanoseconds: Int64) throws(FileError)

    /// Closes the descriptor; later calls fail with `EBADF`. Closing twice is harmless. Dropping the last reference
    /// closes too.
    func close()
}

/// A lock held; dropping the last reference gives it back.
package protocol FileLock: AnyObject, Sendable {
    /// Which file is locked, whatever stands under its name by now. `fstat(2)`.
    func status() throws(FileError) -> FileStatus

    /// Gives the lock back.
    func unlock()
}

/// What `stat(2)` says that this program looks at.
package struct FileStatus: Hashable, Sendable {
    /// What stands at the path.
    package enum Kind: Hashable, Sendable { case regular, directory, symbolicLink, other }

    /// What it is.
    package var kind: Kind
    /// The length in bytes.
    package var length: UInt64
    /// The modification time in nanoseconds since the epoch.
    package var modifiedNanoseconds: Int64
    /// When anything about it changed last, its names among that (`st_ctim` of `stat(2)`), in nanoseconds since the
    /// epoch. Nobody sets it: what was copied here with its modification time has the time of the copying.
    package var changedNanoseconds: Int64
    /// The inode number.
    package var inode: UInt64
    /// The file system it is on.
    package var device: UInt64
    /// The permission bits.
    package var permissions: UInt16
    /// How many names it has; none for a file that was removed while it is open. Some file systems always say none.
    package var links: UInt64

    /// A status with every field given.
    package init(
        kind: Kind, length: UInt64, modifiedNanoseconds: Int64, changedNanoseconds: Int64, inode: UInt64,
        device: UInt64, permissions: UInt16, links: UInt64
    ) {
        self.kind = kind
        self.length = length
        self.modifiedNanoseconds = modifiedNanoseconds
        self.changedNanoseconds = changedNanoseconds
        self.inode = inode
        self.device = device
        self.permissions = permissions
        self.links = links
    }
}
