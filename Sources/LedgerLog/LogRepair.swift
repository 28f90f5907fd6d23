import LedgerModel
package import LedgerSystem
package import SystemPackage

/// Mends the end of a log whose last segment is damaged: puts right what is proven to have been otherwise, and cuts
/// off what stands behind the last record that holds.
///
/// It is the one place that takes damaged records out of a log, so it does it only when asked, keeps a copy of what
/// it cuts, and lowers the head, which vouches for it, on purpose. Damage anywhere else is refused: what stands behind
/// it can not be had without it.
package struct LogRepair: Sendable {
    let fileSystem: any FileSystem
    let home: LogHome
    let configuration: LogConfiguration
    let random: @Sendable () -> UInt64

    /// A repair of the ledger at `home`; `random` gives the salt of a segment that has to be made anew.
    package init(
        home: FilePath, fileSystem: any FileSystem, configuration: LogConfiguration = LogConfiguration(),
        random: @escaping @Sendable () -> UInt64
    ) {
        self.fileSystem = fileSystem
        self.home = LogHome(home)
        self.configuration = configuration
        self.random = random
    }

    /// What there is to do; nil when opening the ledger is enough. Takes no lock and changes nothing; reads the whole
    /// log, as a verification does.
    /// - Throws: ``LogError``: `.absent`, `.newerFormat`, `.io`; `.corrupted`, `.tampered` and `.missing` for damage
    ///   that a repair can not mend, with what to do instead.
    package func examine() throws(LogError) -> RepairPlan? {
        let manifest = try Manifest.load(fileSystem, home).manifest
        let last = SegmentName.name(manifest.segments[manifest.segments.count - 1].first)
        try refuseDamage(outside: last)
        let head = try head(manifest)
        var end = try SegmentEnd(self, manifest)
        try end.read(head: head)
        let after = SequenceNumber(end.tree.size)
        let store = SnapshotStore(home: home.path, fileSystem: fileSystem, identity: manifest.identity)
        let snapshots = try store.sequences().filter { $0 > after }
        // How far the log went once. A snapshot that can not be read vouches for nothing.
        var before = max(head?.size ?? 0, end.tree.size)
        for snapshot in snapshots where try store.load(snapshot) != nil { before = max(before, snapshot.rawValue) }
        guard end.isDamaged || before > end.tree.size || head == nil else { return nil }
        guard manifest.snapshot <= after else {
            throw LogError(
                .corrupted, "the log can not be cut behind sequence \(after.rawValue.grouped): \(end.reason ?? "")",
                file: last, offset: end.offset,
                detail: "the snapshot at \(manifest.snapshot.rawValue.grouped), which stands for what was compacted, "
                    + "goes further", next: Advice.restore(last))
        }
        return RepairPlan(
            segment: last, offset: end.offset, cutBytes: end.cutBytes,
            lastBefore: SequenceNumber(before), lastAfter: after, root: end.tree.root,
            reason: end.reason ?? Self.reason(before, isHeadKnown: head != nil, end.tree), isHeadUnknown: head == nil,
            snapshots: snapshots,
            patches: end.patches, isNew: end.isNew)
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

    /// Refuses what is damaged before the last segment.
    private func refuseDamage(outside last: String) throws(LogError) {
        var verifier = LogVerifier(home: home.path, fileSystem: fileSystem)
        let heads = home.heads.compactMap { $0.lastComponent?.string }
        for finding in try verifier.run().findings where !finding.kind.isHarmless {
            // The end is this repair's own business.
            if [.shorterThanHead, .missingHead].contains(finding.kind) { continue }
            if finding.kind != .unreadable, finding.file == last || heads.contains(finding.file) { continue }
            let code: LogError.Code =
                switch finding.kind {
                case .corruption: .corrupted
                case .tampering: .tampered
                case .unreadable: .io
                default: .missing
                }
            throw LogError(
                code, finding.what, file: finding.file, offset: finding.offset,
                detail: "a repair mends the end of the log, '\(last)'; what is damaged stands before it",
                next: finding.next)
        }
    }
}
