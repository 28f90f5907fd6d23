/// What opening the log found, and what it put right.
package struct RecoveryReport: Hashable, Sendable {
    /// Whether a ledger was made, because there was none.
    package internal(set) var isNew = false
    /// The bytes of a batch that was cut short and never acknowledged; they were dropped. 0 for none.
    package internal(set) var tornBytes: UInt64 = 0
    /// Where the torn bytes began in their segment; nil when there were none.
    package internal(set) var tornAt: UInt64?
    /// The segment that was open during a crash and was sealed at its last batch; nil when the last close was clean.
    package internal(set) var sealed: String?
    /// Small files of which one copy was damaged or missing and was written again from the other.
    package internal(set) var mended: [String] = []
    /// Files of an interrupted rotation, snapshot or compaction that were finished or removed.
    package internal(set) var finished: [String] = []
    /// Whether there is room enough that the ballast stands.
    package internal(set) var hasBallast = true

    /// Whether the last holder closed the log, and nothing had to be put right.
    package var isClean: Bool { tornBytes == 0 && sealed == nil && mended.isEmpty && finished.isEmpty }
}
