import Synchronization

/// How many syncs have failed on each device, as far as this process was told.
///
/// The kernel tells each open file once that bytes written to it were lost (`errseq_t`, Linux 4.13). Below a loop device,
/// a virtual machine's disk or a share on the network, all files are one: when several are synced at the same time,
/// one of them is told, and the others, whose bytes went with it, are told that all is well. So the success of a sync
/// is taken for what it says only while none failed on its device since the bytes were written.
package final class FailedSyncs: Sendable {
    private let counts = Mutex<[UInt64: Int]>([:])

    /// None has failed yet.
    package init() {}

    /// How many have failed on a device (``FileStatus/device``).
    package func count(on device: UInt64) -> Int { counts.withLock { $0[device] ?? 0 } }

    /// Takes note of one that failed. One that found no room does not count: it concerns its own file, and is told.
    package func note(_ error: FileError, on device: UInt64) {
        if error.isDiskFull { return }
        counts.withLock { $0[device, default: 0] += 1 }
    }
}
