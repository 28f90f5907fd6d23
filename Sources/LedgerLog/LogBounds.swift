/// Every limit of format 1, with its unit in its name and what happens at it.
package enum LogBounds {
    /// The version of the format that this program writes, and the newest it reads; a newer one is
    /// ``LogError/Code/newerFormat``.
    package static let format: UInt16 = 1
    /// The size of a segment's header.
    package static let headerBytes = 64
    /// The size of a batch's header, before its records.
    package static let batchHeaderBytes = 32
    /// The size of the tree root that ends a batch.
    package static let rootBytes = 32
    /// Batches and seals begin at multiples of this.
    package static let alignmentBytes = 8
    /// The longest payload of one record; staging a longer one traps, so check what users send before.
    package static let payloadBytesMax = 16 << 20
    /// A batch that grew to this is ended, and the rest of what was staged goes into a batch, and a sync, of its own.
    package static let batchBytesMax = 32 << 20
    /// A length field above this is damage, and no memory is taken for it: the largest batch is ``batchBytesMax`` and
    /// one more record, and a seal is far smaller.
    package static let batchLengthMax = batchBytesMax + payloadBytesMax + 4096
    /// The size at which a segment is sealed and a new one begun.
    package static let segmentBytesMax: UInt64 = 64 << 20
    /// The first step of zeros written ahead of the batches; each later step is as long as the file.
    package static let zeroStepBytesMin: UInt64 = 256 << 10
    /// The longest step of zeros; half of one is kept ahead, in the background.
    package static let zeroStepBytesMax: UInt64 = 8 << 20
    /// The file whose space is given up when the disk is full, so that a compaction can still run.
    package static let ballastBytes: UInt64 = 4 << 20
    /// The space that must be free beyond the ballast before it is made again.
    package static let ballastSpareBytes: UInt64 = 64 << 20
    /// The longest time that the head lags behind the log while commits go on.
    package static let headLagMilliseconds: Int64 = 5_000
    /// The distance between two entries of a seal's sparse index.
    package static let indexStepBytes: UInt64 = 64 << 10
    /// A manifest longer than this is damage: 88 bytes for each segment there ever was.
    package static let manifestBytesMax = 64 << 20
    /// The trees that archived segments go on from, at most 2 KiB each; the oldest are not kept beyond this.
    package static let treesBytesMax = 64 << 20
    /// A slot of the head longer than this is damage: 80 bytes.
    package static let headFileBytesMax = 4096
    /// A snapshot longer than this is refused.
    package static let snapshotBytesMax = 1 << 30
    /// How often the two copies of a small file are read before both count as damaged: a writer may be at them.
    package static let copyReadsMax = 4
    /// How much of a segment is copied, or filled with zeros, at once.
    package static let blockBytes = 1 << 20
    /// How much of a segment is read at once: it stays in the cache of a core until it was decoded.
    package static let windowBytes = 256 << 10
    /// The type that stands for records whose content was taken out: see ``HiddenRecords``.
    package static let hiddenType: UInt8 = 0
}

/// What may be chosen for a log; the defaults are right for a disk of this decade.
package struct LogConfiguration: Hashable, Sendable {
    /// Bytes at which a segment is sealed and a new one begun.
    package var segmentBytesMax = LogBounds.segmentBytesMax
    /// Bytes of zeros first written ahead; later as many as the file is long, up to ``zeroStepBytesMax``.
    package var zeroStepBytesMin = LogBounds.zeroStepBytesMin
    /// Bytes of the longest step of zeros.
    package var zeroStepBytesMax = LogBounds.zeroStepBytesMax
    /// Bytes of the ballast file; 0 for none.
    package var ballastBytes = LogBounds.ballastBytes
    /// Milliseconds that the head may lag behind the log while commits go on.
    package var headLagMilliseconds = LogBounds.headLagMilliseconds
    /// Whether a home without a ledger becomes one; otherwise opening it is ``LogError/Code/absent``.
    package var createsWhenAbsent = true

    /// The defaults.
    package init() {}
}
