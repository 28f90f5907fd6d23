package import LedgerModel

extension FileStatus {
    /// What tells the file from one that comes to stand in its place later.
    package var identity: FileIdentity {
        FileIdentity(length: length, modifiedNanoseconds: modifiedNanoseconds, inode: inode)
    }

    /// Whether this still is the file that was published. The inode does not count: a file restored from a backup with
    /// its time is as good.
    package func isSame(as identity: FileIdentity?) -> Bool {
        guard let identity, kind == .regular else { return false }
        return length == identity.length && modifiedNanoseconds == identity.modifiedNanoseconds
    }
}
