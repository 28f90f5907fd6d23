import LedgerModel
import LedgerSystem
import SystemPackage

/// The finished segments of a log that are damaged: those that can be put right, and those that can not.
struct FinishedDamage {
    /// Those that are put right, in the order of the log.
    private(set) var mended: [MendedSegment] = []
    /// What is wrong, in the order of the log.
    let reasons: [String]
    /// What is wrong with those that can not be put right, by their place in the manifest.
    private var lost: [Int: LogError] = [:]
    /// The trees at the ends of those among them of which the archive has a whole copy.
    private var copied: [Int: MerkleTree] = [:]
    private let repair: LogRepair
    private let manifest: Manifest

    /// Reads all of a log.
    /// - Throws: ``LogError``: damage before the last segment that is no business of a repair, such as records that
    ///   were forged.
    init(_ repair: LogRepair, _ manifest: Manifest) throws(LogError) {
        (self.repair, self.manifest) = (repair, manifest)
        let found = try Self.find(repair, manifest).sorted { $0.key < $1.key }
        reasons = found.map(\.value.what)
        for (place, error) in found {
            if error.code == .io { try probe(place) }
            if error.code == .corrupted, let segment = try mend(place, error) {
                mended.append(segment)
            } else {
                lost[place] = error
                copied[place] = try copy(of: place)
            }
        }
    }

    /// What is left of a log whose last record that holds is `end`, when segments can not be put right; nil when all
    /// can.
    /// - Throws: ``LogError``: the damage, where nothing stands for them.
    func past(_ end: SequenceNumber) throws(LogError) -> LostPast? {
        if lost.isEmpty { return nil }
        let store = SnapshotStore(
            home: repair.home.path, fileSystem: repair.fileSystem, identity: manifest.identity)
        return try LostPast(lost, copied: Set(copied.keys), manifest, end: end) { (place) throws(LogError) in
            try tree(before: place)
        } snapshot: { (last) throws(LogError) in
            try store.load(atMost: last, where: repair.isUsable)
        }
    }

    /// The tree that the segment at `place` begins with; nil behind one that can not be read.
    func tree(before place: Int) throws(LogError) -> MerkleTree? {
        let before = place > 0 ? manifest.segments[place - 1] : nil
        if let neighbour = mended.last(where: { $0.entry == before }) { return neighbour.seal.tree }
        if let tree = copied[place - 1] { return tree }
        do throws(LogError) { return try manifest.tree(before: place, repair.fileSystem, repair.home) } catch {
            guard lost[place - 1] != nil else { throw error }
            return nil
        }
    }

    /// The tree that the last segment begins with.
    /// - Throws: ``LogError``: the damage of those before it, where nothing tells it.
    func base() throws(LogError) -> MerkleTree {
        if let tree = try tree(before: manifest.segments.count - 1) { return tree }
        guard let error = lost.min(by: { $0.key < $1.key })?.value else { return manifest.base }
        throw error
    }

    /// The tree at the end of a segment of which the archive has a whole copy; nil when it has none. That one stays
    /// where it is: in the log it could bring back what was taken out there.
    private func copy(of place: Int) throws(LogError) -> MerkleTree? {
        let entry = manifest.segments[place]
        let path = try disk("look into the archive") { () throws(FileError) in
            try repair.home.archivedCopy(entry.first, repair.fileSystem)
        }
        guard let path else { return nil }
        do throws(LogError) {
            let segment = try SegmentFile.open(repair.fileSystem, path, manifest, at: place)
            defer { segment.file.close() }
            return try segment.check(entry, from: tree(before: place)).tree
        } catch { return nil }
    }

    /// Opens a segment that can not be read.
    /// - Throws: ``LogError`` where it is not the disk that refuses, but whoever may not read it.
    private func probe(_ place: Int) throws(LogError) {
        try disk("open a segment") { () throws(FileError) in
            try repair.fileSystem.open(repair.home.segment(manifest.segments[place].first), .read).close()
        }
    }

    private func mend(_ place: Int, _ damage: LogError) throws(LogError) -> MendedSegment? {
        guard let start = try tree(before: place) else { return nil }
        do throws(LogError) {
            return try MendedSegment(
                at: place, of: manifest, behind: start, damage.what, repair.fileSystem, repair.home)
        } catch {
            guard error.code == .io else { throw error }
            return nil
        }
    }

    /// What is wrong first with each finished segment of the log, by its place.
    private static func find(_ repair: LogRepair, _ manifest: Manifest) throws(LogError) -> [Int: LogError] {
        var verifier = LogVerifier(home: repair.home.path, fileSystem: repair.fileSystem)
        let heads = repair.home.heads.compactMap { $0.lastComponent?.string }
        let last = SegmentName.name(manifest.segments[manifest.segments.count - 1].first)
        var damage: [Int: LogError] = [:]
        for finding in try verifier.run().findings where !finding.kind.isHarmless {
            // The end is the repair's own business.
            if [.shorterThanHead, .missingHead].contains(finding.kind) { continue }
            if finding.kind != .unreadable, finding.file == last || heads.contains(finding.file) { continue }
            let place = manifest.segments.firstIndex {
                $0.state == .sealed && SegmentName.name($0.first) == finding.file
            }
            let error = LogError(finding, isFinished: place != nil)
            guard let place, error.code != .tampered else { throw error }
            if damage[place] == nil { damage[place] = error }
        }
        return damage
    }
}

extension LogError {
    /// A finding of a verification that a repair can do nothing about.
    fileprivate init(_ finding: LogFinding, isFinished: Bool) {
        let code: LogError.Code =
            switch finding.kind {
            case .corruption: .corrupted
            case .tampering: .tampered
            case .unreadable: .io
            default: .missing
            }
        self.init(
            code, finding.what, file: finding.file, offset: finding.offset,
            detail: "a repair puts single bits and seals right, cuts off the end of the log, and lets go of a past "
                + "that a later snapshot stands for; this is none of it",
            next: isFinished && code != .tampered && code != .io ? Advice.restore(finding.file) : finding.next)
    }
}
