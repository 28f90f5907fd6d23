/// What the program's exit code means. Scripts rely on these numbers: they never change.
package enum ExitCode: Int32, Hashable, Sendable, Codable {
    case done = 0
    /// At least one download failed, or the thing asked for is not there.
    case failed = 1
    /// There is no ledger in this home.
    case noLedger = 10
    /// Another process holds the ledger and can not be reached.
    case heldElsewhere = 11
    /// A newer release of the program wrote the ledger; nothing was changed.
    case tooNew = 12
    /// An unacknowledged batch was cut short; harmless.
    case tornTail = 20
    /// Acknowledged records are damaged.
    case corruption = 21
    /// Checksums hold and roots do not.
    case tampering = 22
    /// The log is shorter than the checkpoint (or its own head) says.
    case shorterThanCheckpoint = 23
    /// A segment or an archive is missing.
    case missing = 24
    /// Files on disk differ from the catalog.
    case filesDiffer = 25
    /// The command line, the configuration or an input file is wrong.
    case usage = 64
    /// The disk failed or is full; nothing acknowledged was lost.
    case disk = 74
}
