package import LedgerModel

extension FileStatus {
    /// What tells the file from one that comes to stand in its place later.
    package var identity: FileIdentity {
        FileIdentity(length: length, modifiedNanoseconds: modifiedNanoseconds, inode: inode)
    }
}
