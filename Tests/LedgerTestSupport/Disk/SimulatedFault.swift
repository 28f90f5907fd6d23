package import SystemPackage

/// A failure a ``SimulatedDisk`` is told to have.
package struct SimulatedFault: Sendable {
    /// The call that fails; nil for any.
    package var call: SimulatedCall?
    /// How many such calls still pass before the fault strikes.
    package var passes: Int
    /// What the call answers.
    package var errno: Errno
    /// Whether every such call fails from then on, or only one.
    package var isForGood: Bool
    /// Of a `pwrite`: how many bytes are written before it fails, as a short write that could not be continued.
    package var bytesWritten: Int
    /// The paths it concerns; nil for all.
    package var concerns: (@Sendable (FilePath) -> Bool)?

    /// The fault of call number `nth` (1-based) of a kind, or of any kind.
    package init(
        _ call: SimulatedCall? = nil, nth: Int = 1, _ errno: Errno, forGood: Bool = false, afterWriting: Int = 0,
        where concerns: (@Sendable (FilePath) -> Bool)? = nil
    ) {
        precondition(nth >= 1, "calls are counted from one")
        self.call = call
        self.passes = nth - 1
        self.errno = errno
        self.isForGood = forGood
        self.bytesWritten = afterWriting
        self.concerns = concerns
    }
}

/// What becomes of the bytes a failed `fdatasync` was to make durable. Linux marks them clean either way: later reads
/// show them and later syncs say success.
package enum FailedSyncFate: CaseIterable, Hashable, Sendable {
    /// None reached the disk, and none ever will.
    case lost
    /// All did, in spite of the error.
    case kept
    /// As ``lost``, and with them what was written to the other files of its device and not synced, of which no other
    /// sync tells: what stacked devices do. The device of the root directory is no such device, see
    /// ``SimulatedDisk/mount(_:)``.
    case lostBeside
}
