import LedgerModel
import LedgerSystem

/// The number of an inode; the root directory is 1.
typealias InodeNumber = UInt64

/// A file or directory of a ``DiskImage``, as it is seen now and as it would be found after a power cut.
struct Inode: Sendable {
    enum Kind: Hashable, Sendable { case file, directory }

    /// The device of the root directory.
    static let rootDevice: UInt64 = 0x51D

    var kind: Kind
    var permissions: UInt16
    /// The number of the device it is on.
    var device = rootDevice
    /// The modification time as seen, and as durable.
    var modified: Int64
    var durableModified: Int64
    /// When anything about it changed last, its names among that: as seen, and as durable. A change of a name and the
    /// time of it are one transaction of a journal.
    var changed: Int64
    var durableChanged: Int64
    /// The file's bytes as seen, and as durable.
    var content = PagedBytes()
    var durable = PagedBytes()
    /// Whether a failed sync lost bytes that are still seen.
    var hasDiverged = false
    /// What was done to the content since the last good sync, in order.
    var pending: [ContentChange] = []
    /// The end of the space reserved by `fallocate`, for the space limit.
    var reserved: UInt64 = 0
    /// The directory's names as seen, and as durable.
    var names: [DiskName: InodeNumber] = [:]
    var durableNames: [DiskName: InodeNumber] = [:]
    /// How many names, durable names, and open files refer to it.
    var links = 0
    var durableLinks = 0
    var handles = 0

    /// The bytes it takes from the disk's limit: holes count, as this disk has none.
    var bytesTaken: UInt64 { max(reserved, UInt64(content.count)) }
}

/// A change to a file's content that a sync has not yet made durable.
struct ContentChange: Sendable {
    enum What: Sendable {
        case write(offset: Int, bytes: [UInt8])
        /// `ftruncate`, or an extending `fallocate`.
        case length(Int)
    }

    /// Its place in the order of everything that was done to the disk.
    var serial: Int
    var what: What
}
