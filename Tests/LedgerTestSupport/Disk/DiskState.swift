import LedgerSystem
import SystemPackage

/// A ``DiskImage`` and what does not survive a copy: counts, faults, locks.
struct DiskState: Sendable {
    var image: DiskImage
    var operations = 0
    var counts: [SimulatedCall: Int] = [:]
    var crashesAfter = Int.max
    var isDead = false
    var isReadOnly = false
    var faults: [SimulatedFault] = []
    var locks: [InodeNumber: Int] = [:]
    var nextLock = 0
    /// Told of each call that changes the disk, before it does.
    var observer: SimulatedDisk.Observer?
    /// Called in the middle of each sync of a file, once it is settled what the sync covers.
    var meanwhile: (@Sendable () -> Void)?

    init(image: DiskImage) { self.image = image }

    /// Counts a call; throws when the power is cut, or when a fault was injected.
    mutating func begin(_ call: SimulatedCall, _ path: FilePath, changing: Bool = false) throws(FileError) {
        if let fault = try count(call, path, changing: changing) { throw FileError(call.rawValue, path, fault.errno) }
    }

    /// Counts a call; throws when the power is cut, and answers the fault that strikes.
    mutating func count(_ call: SimulatedCall, _ path: FilePath, changing: Bool) throws(FileError) -> SimulatedFault? {
        if changing && operations >= crashesAfter { isDead = true }
        if isDead { throw FileError(call.rawValue, path, .ioError) }
        counts[call, default: 0] += 1
        if changing {
            observer?(call, path) { [image] in SimulatedDisk(image: image) }
            operations += 1
            if isReadOnly && call != .fdatasync && call != .fsync {
                throw FileError(call.rawValue, path, .readOnlyFileSystem)
            }
        }
        for index in faults.indices {
            let fault = faults[index]
            guard fault.call == nil || fault.call == call, fault.concerns?(path) ?? true else { continue }
            if fault.passes > 0 {
                faults[index].passes -= 1
            } else {
                if !fault.isForGood { faults.remove(at: index) }
                return fault
            }
        }
        return nil
    }

    mutating func open(_ path: FilePath, _ mode: OpenMode) throws(FileError) -> (InodeNumber, isWritable: Bool) {
        let present = try image.find(path, .open)
        switch mode {
        case .read:
            try begin(.open, path)
            return (try held(present, path), false)
        case .update:
            try beginUpdate(path)
            return (try held(writable(present, path), path), true)
        case .create(let permissions):
            try begin(.open, path, changing: true)
            if present != nil { throw FileError("open", path, .fileExists) }
            return (try held(image.make(.file, permissions, at: image.place(path, .open)!), path), true)
        case .createOrUpdate(let permissions):
            try begin(.open, path, changing: present == nil)
            if present != nil && isReadOnly { throw FileError("open", path, .readOnlyFileSystem) }
            if let inode = try writable(present, path) { return (try held(inode, path), true) }
            return (try held(image.make(.file, permissions, at: image.place(path, .open)!), path), true)
        }
    }

    /// Makes one directory. One that stands there is left as it is; of a file in the way the next name will tell, or
    /// the caller.
    mutating func createDirectory(_ path: FilePath, _ permissions: UInt16) throws(FileError) {
        if try image.find(path, .mkdir) != nil { return try begin(.mkdir, path) }
        try begin(.mkdir, path, changing: true)
        _ = image.make(.directory, permissions, at: try image.place(path, .mkdir)!)
    }

    /// Takes a lock; nil when it is held.
    mutating func lock(_ path: FilePath) throws(FileError) -> Int? {
        let (inode, _) = try open(path, .createOrUpdate(permissions: 0o600))
        image.inodes[inode]!.handles -= 1
        try begin(.flock, path)
        if locks[inode] != nil { return nil }
        nextLock += 1
        locks[inode] = nextLock
        return nextLock
    }

    private mutating func beginUpdate(_ path: FilePath) throws(FileError) {
        try begin(.open, path)
        if isReadOnly { throw FileError("open", path, .readOnlyFileSystem) }
    }

    private func writable(_ inode: InodeNumber?, _ path: FilePath) throws(FileError) -> InodeNumber? {
        if let inode, image.inodes[inode]!.kind == .directory { throw FileError("open", path, .isDirectory) }
        return inode
    }

    private mutating func held(_ inode: InodeNumber?, _ path: FilePath) throws(FileError) -> InodeNumber {
        guard let inode else { throw FileError("open", path, .noSuchFileOrDirectory) }
        image.inodes[inode]!.handles += 1
        return inode
    }
}
