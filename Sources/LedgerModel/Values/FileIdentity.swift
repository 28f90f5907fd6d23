/// What tells a file we published from one that came to stand in its place.
package struct FileIdentity: Hashable, Sendable {
    /// The length in bytes.
    package let length: UInt64
    /// The modification time in nanoseconds since the epoch.
    package let modifiedNanoseconds: Int64
    /// The inode number; 0 where the file system has none.
    package let inode: UInt64

    /// The longest that a file can be, in bytes: what an offset reaches (`off_t`).
    package static let lengthMax = UInt64(Int64.max)

    /// What `stat(2)` said of the file after it was published.
    package init(length: UInt64, modifiedNanoseconds: Int64, inode: UInt64) {
        self.length = length
        self.modifiedNanoseconds = modifiedNanoseconds
        self.inode = inode
    }
}
