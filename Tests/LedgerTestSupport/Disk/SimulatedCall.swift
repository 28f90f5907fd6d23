/// The calls a ``SimulatedDisk`` counts and can be told to fail, by the system calls they stand for.
package enum SimulatedCall: String, Hashable, Sendable, CaseIterable {
    case open, pread, pwrite, fdatasync, fallocate, ftruncate, fstat, futimens
    case syncFileRange = "sync_file_range"
    case lstat, readdir, mkdir, rename, unlink, rmdir, fsync, statvfs, flock
}
