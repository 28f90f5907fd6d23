package import LedgerSystem
package import SystemPackage

extension SimulatedDisk {
    /// How many calls have changed, or tried to change, the disk since it was made or copied.
    package var operations: Int { change { $0.operations } }

    /// Sees a call that is about to change the disk, and may copy the disk as it is before it. It must not call the
    /// disk itself.
    package typealias Observer = @Sendable (SimulatedCall, FilePath, _ copy: () -> SimulatedDisk) -> Void

    /// Has `observer` see every call that changes the disk from now on; nil for nobody.
    package func observe(_ observer: Observer?) { change { $0.observer = observer } }

    /// Has `body` run in the middle of each sync of a file: what is written then is not covered by that sync. Nil for
    /// nothing.
    package func duringSyncs(_ body: (@Sendable () -> Void)?) { change { $0.meanwhile = body } }

    /// How many calls of a kind there were since the disk was made or copied.
    package func count(of call: SimulatedCall) -> Int { change { $0.counts[call, default: 0] } }

    /// How many changes no sync has made durable.
    package var unsynchronized: Int { change { $0.image.pendingContent.count + $0.image.pendingNames.count } }

    /// Cuts the power after `operations` changes in all (see ``operations``): the next one and every call after it fail
    /// with `EIO`, and ``isDead`` says so.
    package func crash(after operations: Int) { change { $0.crashesAfter = operations } }

    /// Whether the power is cut. What the disk looks like afterwards: ``survivors()``.
    package var isDead: Bool { change { $0.isDead } }

    /// Cuts the power now.
    package func crash() { change { $0.isDead = true } }

    /// Makes a call fail.
    package func inject(_ fault: SimulatedFault) { change { $0.faults.append(fault) } }

    /// Ends all faults.
    package func clearFaults() { change { $0.faults = [] } }

    /// What becomes of the bytes when a `fdatasync` fails from now on; at first they are lost.
    package var failedSyncFate: FailedSyncFate {
        get { change { $0.image.failedSyncFate } }
        set { change { $0.image.failedSyncFate = newValue } }
    }

    /// Makes an empty directory that is there a device of its own. Renaming between devices is not refused.
    package func mount(_ path: FilePath) throws(FileError) {
        try change { state throws(FileError) in
            let inode = try state.image.require(path, .open)
            state.image.inodes[inode]!.device = Inode.rootDevice + inode
        }
    }

    /// Whether changes fail with `EROFS`.
    package var isReadOnly: Bool {
        get { change { $0.isReadOnly } }
        set { change { $0.isReadOnly = newValue } }
    }

    /// What may be stored in bytes, nil for no limit; beyond it `ENOSPC`. Holes count as bytes.
    package var bytesMax: UInt64? {
        get { change { $0.image.bytesMax } }
        set { change { $0.image.bytesMax = newValue } }
    }

    /// The bytes stored or reserved.
    package var bytesTaken: UInt64 { change { $0.image.bytesTaken } }

    /// How many files are open.
    package var openFiles: Int { change { $0.image.inodes.values.reduce(0) { $0 + $1.handles } } }

    /// The wall clock that modification times are taken from, in nanoseconds since the epoch.
    package var clockNanoseconds: Int64 {
        get { change { $0.image.clockNanoseconds } }
        set { change { $0.image.clockNanoseconds = newValue } }
    }

    /// Gives all locks back, as the end of the process that held them does.
    package func releaseAllLocks() { change { $0.locks = [:] } }

    /// The disk as it is seen now, as after `kill -9`: unsynced changes are still to be lost. Alive, counting from
    /// zero, without open files, locks and faults.
    package func copy() -> SimulatedDisk { SimulatedDisk(image: change { $0.image }) }

    /// Changes a file's durable bytes behind everybody's back, as a bad disk or a tamperer does.
    package func damage(_ path: FilePath, _ body: (inout [UInt8]) -> Void) throws(FileError) {
        let (inode, before) = try change { state throws(FileError) in
            let inode = try state.image.require(path, .open)
            return (inode, state.image.inodes[inode]!.content.bytes)
        }
        var bytes = before
        body(&bytes)
        var content = PagedBytes()
        bytes.withUnsafeBytes { content.write($0, at: 0) }
        change { [content] state in
            state.image.inodes[inode]!.content = content
            state.image.inodes[inode]!.durable = content
            state.image.inodes[inode]!.pending = []
        }
    }
}
