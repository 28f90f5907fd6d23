package import LedgerModel

extension LogError {
    /// The snapshot that stands for what compaction took out is damaged, or not there.
    package static func missingSnapshot(_ sequence: SequenceNumber, isThere: Bool = false) -> LogError {
        let name = SequenceName.name(sequence, "snap")
        return LogError(
            isThere ? .corrupted : .missing, "the snapshot '\(name)' \(isThere ? "is damaged" : "is not there")",
            file: name, detail: "it stands for the events that were compacted away",
            next: Advice.restore("snapshots/" + name)
                + "; with all that was archived in 'archive' the ledger opens without it, and 'ledger compact' makes "
                + "a new one")
    }

    /// A snapshot is whole, and of another history than the log.
    static func foreignSnapshot(_ sequence: SequenceNumber) -> LogError {
        let name = SequenceName.name(sequence, "snap")
        return LogError(
            .tampered, "the snapshot '\(name)' vouches for another history than the log's", file: name,
            detail: "it is of a copy that went its own way, or was changed",
            next: Advice.restore("snapshots/" + name))
    }

    /// Of which event the snapshot is that vouches for another history; nil when it is about something else.
    package var foreignSnapshotSequence: SequenceNumber? {
        code == .tampered ? file.flatMap { SequenceName.sequence($0, "snap") } : nil
    }

    /// Whether it is about a snapshot, for which the archive stands in where there is one.
    package var isOfSnapshot: Bool { file?.hasSuffix(".snap") ?? false }
}
