import LedgerModel
import LedgerSystem
import SystemPackage

/// What is on a ``SimulatedDisk``: a value, so that a copy is the disk at an instant.
struct DiskImage: Sendable {
    static let root: InodeNumber = 1

    var inodes: [InodeNumber: Inode]
    /// Changes of names that no sync of their directory has made durable, in order.
    var pendingNames: [NameOperation] = []
    var nextInode: InodeNumber = 2
    /// Counts everything done, to order content and names among each other.
    var serial = 0
    /// The wall clock the disk stamps modification times with.
    var clockNanoseconds: Int64 = 1_000_000_000_000_000_000
    /// What may be stored, in bytes; nil for no limit.
    var bytesMax: UInt64?
    var failedSyncFate = FailedSyncFate.lost

    init() {
        var root = Inode(
            kind: .directory, permissions: 0o755, modified: 0, durableModified: 0, changed: 0, durableChanged: 0)
        root.links = 1
        root.durableLinks = 1
        inodes = [Self.root: root]
    }

    /// The bytes stored, unlinked files that are still open among them.
    var bytesTaken: UInt64 {
        inodes.values.reduce(0) { $0 + ($1.links > 0 || $1.handles > 0 ? $1.bytesTaken : 0) }
    }

    /// The next place in the order of things.
    mutating func step() -> Int {
        serial += 1
        return serial
    }
}

/// A change of names that a journalling file system makes whole or not at all.
struct NameOperation: Sendable {
    struct Change: Sendable {
        var directory: InodeNumber
        var name: DiskName
        /// What the name refers to from then on; nil when it is gone.
        var target: InodeNumber?

        var place: NamePlace { NamePlace(directory: directory, name: name) }
    }

    var serial: Int
    var changes: [Change]
    /// When it was made.
    var clockNanoseconds: Int64
    /// An operation that must be durable before this one can be: a rename into another directory adds there first.
    var after: Int?
}

/// A name in a directory.
struct NamePlace: Hashable, Sendable {
    var directory: InodeNumber
    var name: DiskName
}
