package import LedgerModel

/// What a repair does to a log, or did: before and after.
package struct RepairPlan: Hashable, Sendable {
    /// What the log goes on without, and a snapshot stands for; nil when there is nothing.
    package let past: LostPast?
    /// The finished segments that are put right; nothing of them is lost.
    package let mended: [MendedSegment]
    /// Whether the log's end is changed: its last segment, its head, or snapshots.
    let changesEnd: Bool
    /// The name of the last segment.
    package let segment: String
    /// Where in it the cut begins, in bytes: 0 when all of the file goes, its length when nothing does.
    package let offset: UInt64
    /// How many bytes are cut and kept in `quarantine/`, without the zeros behind them.
    package let cutBytes: UInt64
    /// The sequence up to which records were durable once, as far as anyone can still say.
    package let lastBefore: SequenceNumber
    /// The last record that stays.
    package let lastAfter: SequenceNumber
    /// The root of the tree at ``lastAfter``.
    package let root: TreeHash
    /// What is wrong, as a sentence without a full stop.
    package let reason: String
    /// Whether both slots of the head are gone, so that ``lastBefore`` is only what the log itself still says.
    package let isHeadUnknown: Bool
    /// Snapshots of what is cut; they go to `quarantine/` too.
    package let snapshots: [SequenceNumber]
    /// Bytes of the segment that are put right, by their offset: of its header, or of a batch in which one bit turned.
    package let patches: [UInt64: UInt8]
    /// Whether nothing of the segment can be kept: a new one takes its place.
    let isNew: Bool

    /// How many bytes are put right in all segments, seals that are made anew aside.
    package var mendedBytes: Int { mended.reduce(patches.count) { $0 + $1.patches.count } }

    /// Whether nothing is cut off, and nothing known to be gone.
    package var losesNothing: Bool { past == nil && cutBytes == 0 && recordsLost == 0 && !isHeadUnknown }

    /// How many records are known to go.
    package var recordsLost: UInt64 { lastBefore.rawValue - min(lastBefore.rawValue, lastAfter.rawValue) }
}

/// A repair that was begun and may not be on record yet: what `quarantine/pending` holds.
package struct PendingRepair: Hashable, Sendable {
    /// The last record that stays; the repair is recorded behind it.
    package var lastAfter: SequenceNumber
    /// The bytes that were cut in all, over every attempt.
    package var cutBytes: UInt64
    /// What was wrong.
    package var reason: String

    /// The longest file that is taken for one, in bytes.
    static let bytesMax = 64 << 10

    init(lastAfter: SequenceNumber, cutBytes: UInt64, reason: String) {
        self.lastAfter = lastAfter
        self.cutBytes = cutBytes
        self.reason = reason
    }

    /// Three lines of text.
    var encoded: [UInt8] {
        Array("\(lastAfter.rawValue)\n\(cutBytes)\n\(reason.replacing("\n", with: " "))\n".utf8)
    }

    /// What the file of a repair says; nil when it is none.
    init?(decoding bytes: [UInt8]) {
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count == 4, let last = UInt64(lines[0]), let cut = UInt64(lines[1]) else { return nil }
        self.init(lastAfter: SequenceNumber(last), cutBytes: cut, reason: String(lines[2]))
    }
}
