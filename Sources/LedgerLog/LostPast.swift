package import LedgerModel

/// The beginning of a log, up to the last finished segment that can neither be read nor put right: a repair has the
/// manifest let go of it, as a compaction does, and a snapshot of what it came to stands for it.
///
/// What can be read of it goes to the archive. The tree that the log goes on from has to be known, from the seal of
/// that segment or of one behind it, so that every root after it still is what it was.
package struct LostPast: Hashable, Sendable {
    /// A segment that goes to the archive, with the tree that it begins with; nil where nobody knows that any longer.
    struct Archived: Hashable, Sendable {
        let entry: Manifest.Entry
        let start: MerkleTree?
    }

    /// The segments that can not be read.
    let lost: [Manifest.Entry]
    /// Those before the end of it that can, and of which the archive is to have a copy.
    let archived: [Archived]
    /// The last record that leaves the log.
    package let through: SequenceNumber
    /// What stands for all that leaves it.
    package let snapshot: SequenceNumber
    /// The manifest that lets go of it.
    let manifest: Manifest
    /// Whether anything of what can not be read is there to be kept.
    package let isAnyThere: Bool

    /// The records that can not be read any more, segment by segment.
    package var records: [ClosedRange<SequenceNumber>] { lost.map { $0.first...$0.last } }

    /// - Parameters:
    ///   - damage: what is wrong with segments that can not be put right, by their place in the manifest.
    ///   - copied: the places of those among them of which the archive has a whole copy.
    ///   - end: the last record of the log that holds.
    ///   - tree: the tree before a segment, if anything tells it.
    ///   - snapshot: the newest usable snapshot at or before a record.
    /// - Throws: ``LogError``: the first damage, where no snapshot can stand for it.
    init(
        _ damage: [Int: LogError], copied: Set<Int>, _ manifest: Manifest, end: SequenceNumber,
        tree: (Int) throws(LogError) -> MerkleTree?, snapshot: (SequenceNumber) throws(LogError) -> Snapshot?
    ) throws(LogError) {
        let places = damage.keys.sorted()
        guard let first = places.first, let last = places.last, let error = damage[first] else {
            preconditionFailure("without damage nothing is lost")
        }
        let gone = places.filter { !copied.contains($0) }
        lost = gone.map { manifest.segments[$0] }
        isAnyThere = gone.contains { damage[$0]?.code != .missing }
        for place in last..<manifest.segments.count - 1 {
            guard let base = try tree(place + 1) else { continue }
            let size = SequenceNumber(base.size)
            guard let snapshot = try snapshot(end), snapshot.sequence >= size,
                snapshot.sequence > size || snapshot.root == base.root
            else { throw error }
            (through, self.snapshot) = (size, snapshot.sequence)
            var (next, archived) = (manifest.raised(), [Archived]())
            for known in 0...place where next.segments[known].state == .sealed {
                next.segments[known].state = gone.contains(known) ? .dropped : .archived
                guard damage[known] == nil else { continue }
                archived.append(Archived(entry: manifest.segments[known], start: try tree(known)))
            }
            (next.base, next.snapshot) = (base, snapshot.sequence)
            (self.manifest, self.archived) = (next, archived)
            return
        }
        throw error
    }
}
