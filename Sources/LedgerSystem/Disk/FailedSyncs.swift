import Synchronization
import SystemPackage

/// How many syncs have failed on each device, as far as this process was told.
///
/// The kernel tells each open file once that bytes written to it were lost (`errseq_t`, Linux 4.13). Below a loop
/// device or a virtual machine's disk all files are one: when several are synced at about the same time, one of them is
/// told, and the others, whose bytes went with it, are told that all is well. See ``trust(on:)``.
package final class FailedSyncs: Sendable {
    private let counts = Mutex<[UInt64: Int]>([:])

    /// None has failed yet.
    package init() {}

    /// Takes note of one that failed; whatever the device answered may be the error of lost bytes (`EIO`, or `ENODATA`,
    /// `ETIMEDOUT` and others of the block layer). What the file system answers for this file alone does not count: no
    /// room for it, no right to it, no such thing there.
    package func note(_ error: FileError, on device: UInt64) {
        if error.isDiskFull || Self.aboutOneFile.contains(error.errno) { return }
        counts.withLock { $0[device, default: 0] += 1 }
    }

    private static let aboutOneFile: [Errno] = [
        .permissionDenied, .notPermitted, .readOnlyFileSystem, .invalidArgument, .notSupported, .badFileDescriptor,
        .interrupted, .noSuchFileOrDirectory,
    ]

    /// Trust in what is written to a device (``FileStatus/device``) from now on.
    package func trust(on device: UInt64) -> SyncTrust { SyncTrust(self, device, count(on: device)) }

    fileprivate func count(on device: UInt64) -> Int { counts.withLock { $0[device] ?? 0 } }
}

/// Whether the success of a sync can be taken for what it says: no other one failed on the device since this was made,
/// as far as that was known when it was asked. A failure that a thread has not told of yet is not known.
package struct SyncTrust: Sendable {
    private let failures: FailedSyncs
    private let device: UInt64
    private let before: Int

    fileprivate init(_ failures: FailedSyncs, _ device: UInt64, _ before: Int) {
        (self.failures, self.device, self.before) = (failures, device, before)
    }

    /// Once lost, it does not come back.
    package var holds: Bool { failures.count(on: device) == before }
}
