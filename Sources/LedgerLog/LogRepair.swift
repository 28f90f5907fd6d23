import LedgerModel
package import LedgerSystem
package import SystemPackage

/// Mends a damaged log: puts right what is proven to have been otherwise, in any segment; cuts off what stands behind
/// the last record that holds in the last one; and lets go of a past that can not be read, where a snapshot stands for
/// what it came to.
///
/// It is the one place that takes damaged records out of a log, so it does it only when asked, keeps a copy of what
/// it takes out, and lowers the head, which vouches for it, on purpose.
package struct LogRepair: Sendable {
    let fileSystem: any FileSystem
    let home: LogHome
    let configuration: LogConfiguration
    let random: @Sendable () -> UInt64
    let isUsable: @Sendable (Snapshot) -> Bool

    /// How many things that are wrong are named in ``RepairPlan/reason``, at most.
    static let reasonsMax = 3

    /// A repair of the ledger at `home`.
    /// - Parameters:
    ///   - random: gives the salt of a segment that has to be made anew.
    ///   - isUsable: whether a state can be had from a snapshot, so that it may stand for what left the log.
    package init(
        home: FilePath, fileSystem: any FileSystem, configuration: LogConfiguration = LogConfiguration(),
        random: @escaping @Sendable () -> UInt64, isUsable: @escaping @Sendable (Snapshot) -> Bool
    ) {
        self.fileSystem = fileSystem
        self.home = LogHome(home)
        self.configuration = configuration
        self.random = random
        self.isUsable = isUsable
    }

    /// What there is to do; nil when opening the ledger is enough. Takes no lock and changes nothing; reads the whole
    /// log, as a verification does.
    /// - Throws: ``LogError``: `.absent`, `.newerFormat`, `.io`; `.corrupted`, `.tampered` and `.missing` for damage
    ///   that a repair can not mend, with what to do instead.
    package func examine() throws(LogError) -> RepairPlan? {
        let manifest = try Manifest.load(fileSystem, home).manifest
        let place = manifest.segments.count - 1
        let last = SegmentName.name(manifest.segments[place].first)
        let damage = try FinishedDamage(self, manifest)
        let head = try head(manifest)
        var end = try SegmentEnd(self, manifest, behind: damage.base())
        try end.read(head: head)
        let after = SequenceNumber(end.tree.size)
        let store = SnapshotStore(home: home.path, fileSystem: fileSystem, identity: manifest.identity)
        let snapshots = try store.sequences().filter { $0 > after }
        // How far the log went once. A snapshot that can not be read vouches for nothing.
        var before = max(head?.size ?? 0, end.tree.size)
        for snapshot in snapshots where try store.load(snapshot) != nil { before = max(before, snapshot.rawValue) }
        let changesEnd = end.isDamaged || before > end.tree.size || head == nil
        let past = try damage.past(after)
        guard changesEnd || !damage.mended.isEmpty || past != nil else { return nil }
        guard manifest.snapshot <= after else {
            throw LogError(
                .corrupted, "the log can not be cut behind sequence \(after.rawValue.grouped): \(end.reason ?? "")",
                file: last, offset: end.offset,
                detail: "the snapshot at \(manifest.snapshot.rawValue.grouped), which stands for what was compacted, "
                    + "goes further", next: Advice.restore(last))
        }
        var reasons = damage.reasons
        if changesEnd { reasons.append(end.reason ?? Self.reason(before, isHeadKnown: head != nil, end.tree)) }
        return RepairPlan(
            past: past, mended: damage.mended, changesEnd: changesEnd, segment: last, offset: end.offset,
            cutBytes: end.cutBytes, lastBefore: SequenceNumber(before), lastAfter: after, root: end.tree.root,
            reason: reasons.prefix(Self.reasonsMax).joined(separator: "; "),
            isHeadUnknown: head == nil, snapshots: snapshots, patches: end.patches, isNew: end.isNew)
    }

    /// Why a log that has no bad byte is repaired.
    private static func reason(_ before: UInt64, isHeadKnown: Bool, _ tree: MerkleTree) -> String {
        guard isHeadKnown else { return "'head-a' and 'head-b' are damaged or gone" }
        return "the log ends at sequence \(tree.size.grouped) and went to \(before.grouped) before"
    }

    /// The head; nil when both slots are damaged or gone.
    func head(_ manifest: Manifest) throws(LogError) -> Head? {
        do throws(LogError) { return try Head.load(fileSystem, home, manifest.identity).head } catch {
            guard error.code == .missing || error.code == .corrupted else { throw error }
            return nil
        }
    }
}
