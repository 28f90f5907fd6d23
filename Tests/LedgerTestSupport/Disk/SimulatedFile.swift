import LedgerSystem
import Synchronization
import SystemPackage

/// An open file of a ``SimulatedDisk``.
final class SimulatedFile: File {
    let path: FilePath
    private let disk: SimulatedDisk
    private let inode: InodeNumber
    private let isWritable: Bool
    private let isClosed = Atomic(false)

    init(disk: SimulatedDisk, path: FilePath, inode: InodeNumber, isWritable: Bool) {
        self.disk = disk
        self.path = path
        self.inode = inode
        self.isWritable = isWritable
    }

    deinit { close() }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(FileError) -> Int {
        let position = try check(.pread, offset)
        return try disk.change { state throws(FileError) in
            try state.begin(.pread, path)
            guard state.image.inodes[inode]!.kind == .file else { throw error(.pread, .isDirectory) }
            return state.image.inodes[inode]!.content.read(into: buffer, at: position)
        }
    }

    func write(_ bytes: RawSpan, at offset: UInt64) throws(FileError) {
        let position = try check(.pwrite, offset)
        guard isWritable else { throw error(.pwrite, .badFileDescriptor) }
        if bytes.isEmpty { return }
        try disk.change { state throws(FileError) in
            var failure = try state.count(.pwrite, path, changing: true).map { ($0.errno, $0.bytesWritten) }
            let room = state.image.room(inode, from: position, bytes.byteCount)
            if failure == nil && room < bytes.byteCount { failure = (.noSpace, room) }
            let count = min(failure?.1 ?? bytes.byteCount, room, bytes.byteCount)
            bytes.extracting(first: max(0, count)).withUnsafeBytes {
                state.image.write($0, inode, at: position)
            }
            if let failure { throw error(.pwrite, failure.0) }
        }
    }

    func synchronize() throws(FileError) {
        try check(.fdatasync, 0)
        try disk.change { state throws(FileError) in
            if let fault = try state.count(.fdatasync, path, changing: true) {
                state.image.failSynchronize(inode)
                throw disk.noted(error(.fdatasync, fault.errno), of: inode, state)
            }
            state.image.synchronize(inode)
        }
        disk.change { $0.meanwhile }?()
    }

    /// What reaches the disk before a sync is left to chance anyway; what can not be begun is lost.
    func beginWriteback(_ range: Range<UInt64>) throws(FileError) {
        try check(.syncFileRange, range.upperBound)
        try disk.change { state throws(FileError) in
            if let fault = try state.count(.syncFileRange, path, changing: false) {
                state.image.failSynchronize(inode)
                throw disk.noted(error(.syncFileRange, fault.errno), of: inode, state)
            }
        }
    }

    func allocate(_ range: Range<UInt64>, extending: Bool) throws(FileError) -> Bool {
        let end = try check(.fallocate, range.upperBound)
        guard isWritable else { throw error(.fallocate, .badFileDescriptor) }
        if range.isEmpty { return true }
        return try disk.change { state throws(FileError) in
            do throws(FileError) { try state.begin(.fallocate, path, changing: true) } catch {
                // As a disk that can not reserve.
                if error.errno == .notSupported { return false }
                throw error
            }
            guard state.image.room(inode, from: end, 0) >= 0 else { throw error(.fallocate, .noSpace) }
            state.image.inodes[inode]!.reserved = max(state.image.inodes[inode]!.reserved, UInt64(end))
            if extending && state.image.inodes[inode]!.content.count < end { state.image.setLength(inode, end) }
            return true
        }
    }

    func truncate(to length: UInt64) throws(FileError) {
        let position = try check(.ftruncate, length)
        guard isWritable else { throw error(.ftruncate, .invalidArgument) }
        try disk.change { state throws(FileError) in
            try state.begin(.ftruncate, path, changing: true)
            state.image.setLength(inode, position)
            state.image.inodes[inode]!.reserved = UInt64(position)
        }
    }

    func status() throws(FileError) -> FileStatus {
        try check(.fstat, 0)
        return try disk.change { state throws(FileError) in
            try state.begin(.fstat, path)
            return state.image.status(inode)
        }
    }

    /// It keeps zeros as any other bytes.
    func mayHaveHole(before end: UInt64) throws(FileError) -> Bool { try status().length < end }

    func setModified(nanoseconds: Int64) throws(FileError) {
        try check(.futimens, 0)
        try disk.change { state throws(FileError) in
            try state.begin(.futimens, path, changing: true)
            state.image.inodes[inode]!.modified = nanoseconds
            state.image.inodes[inode]!.changed = state.image.clockNanoseconds
        }
    }

    func close() {
        guard !isClosed.exchange(true, ordering: .acquiringAndReleasing) else { return }
        disk.change { state in
            state.image.inodes[inode]!.handles -= 1
            state.image.collect(inode)
        }
    }

    /// `EBADF` once closed, `EINVAL` for an offset no system call takes.
    @discardableResult
    private func check(_ call: SimulatedCall, _ offset: UInt64) throws(FileError) -> Int {
        if isClosed.load(ordering: .acquiring) { throw error(call, .badFileDescriptor) }
        guard let position = Int(exactly: offset) else { throw error(call, .invalidArgument) }
        return position
    }

    private func error(_ call: SimulatedCall, _ errno: Errno) -> FileError { FileError(call.rawValue, path, errno) }
}

/// A lock on a file of a ``SimulatedDisk``.
final class SimulatedLock: FileLock {
    private let disk: SimulatedDisk
    private let token: Int
    private let path: FilePath

    init(disk: SimulatedDisk, token: Int, path: FilePath) {
        self.disk = disk
        self.token = token
        self.path = path
    }

    func status() throws(FileError) -> FileStatus {
        try disk.change { state throws(FileError) in
            try state.begin(.fstat, path)
            guard let inode = state.locks.first(where: { $0.value == token })?.key else {
                throw FileError("fstat", path, .badFileDescriptor)
            }
            return state.image.status(inode)
        }
    }

    deinit { unlock() }

    func unlock() { disk.change { state in state.locks = state.locks.filter { $0.value != token } } }
}
