import LedgerModel
import LedgerSystem
import LedgerTestSupport
import SystemPackage
import Testing

@testable import LedgerLog

/// Segments written anew without the content of some records: what is left of them still gives every root.
@Suite struct ThinningTests {
    /// 300 records in batches of 1 to 9, in three finished segments and one in use.
    private func log(_ disk: SimulatedDisk, _ numbers: inout SplitMix64) throws -> WriteAheadLog {
        var log = try openLog(disk)
        var number = 1
        while number <= 300 {
            for _ in 0..<Int.random(in: 1...9, using: &numbers) {
                _ = log.stage(.sample(number))
                number += 1
            }
            try log.commit(at: .epoch)
            if log.lastSequence.rawValue / 90 > log.finished.count { try log.rotate() }
        }
        return log
    }

    private func records(
        _ disk: SimulatedDisk, includingArchive: Bool
    ) throws(LogError) -> [StoredRecord] {
        var reader = try LogReader(
            home: home, fileSystem: disk, verifying: .roots, includingArchive: includingArchive)
        var records: [StoredRecord] = []
        while let batch = try reader.next() { records += batch.records }
        return records
    }

    /// Archives what is to be thinned, and thins it.
    private func work(_ compaction: Compaction, hiding hides: (StoredRecord) -> Bool) throws {
        for entry in compaction.archived {
            var job = try compaction.archiving(entry)
            while try job.step() > 0 {}
            try job.finish()
        }
        for copy in compaction.thinned.map(compaction.inLog) {
            _ = try compaction.thin(copy, as: .thinned, hiding: hides)
        }
    }

    @Test(arguments: 1...20) func `hidden records leave the roots, and the archive has them`(_ seed: UInt64) throws {
        let disk = SimulatedDisk()
        var numbers = SplitMix64(seed: seed)
        var log = try log(disk, &numbers)
        let (all, root) = (try records(disk, includingArchive: false), log.root)
        for round in 1...2 {
            let share = Int.random(in: 1...9, using: &numbers)
            let hidden = Set(all.map(\.sequence).filter { _ in Int.random(in: 0...9, using: &numbers) < share })
            var compaction = try log.compaction(through: .zero, before: nil, archiving: true)
            #expect(compaction.isEmpty)
            compaction.thinned = log.finished
            try work(compaction) { hidden.contains($0.sequence) }
            let before = log.byteCount
            try log.saveSnapshot(
                Snapshot(sequence: log.lastSequence, kind: 1, version: 1, root: log.root, content: [1]))
            try log.finish(compaction, snapshot: log.lastSequence)
            #expect(round == 2 || share < 5 || log.byteCount < before)
            let left = try records(disk, includingArchive: false)
            let shown = left.filter { $0.hidden == nil }
            let isAsBefore = shown.allSatisfy { all[Int($0.sequence.rawValue) - 1] == $0 }
            #expect(isAsBefore)
            #expect(Set(shown.map(\.sequence)).isDisjoint(with: hidden.filter { $0 <= log.finished.last?.last ?? 0 }))
            #expect(left.map { ($0.hidden?.count ?? 1) }.reduce(0, +) == UInt64(all.count))
            #expect(try records(disk, includingArchive: true) == all)
            var verifier = LogVerifier(home: home, fileSystem: disk, archived: .everything)
            let report = try verifier.run()
            #expect(report.findings == [] && report.root == root && report.records == UInt64(all.count))
        }
        let last = log.lastSequence
        try log.close()
        #expect(try openLog(disk).root == root)
        try disk.unlink(LogHome(home).snapshot(last))
        var verifier = LogVerifier(home: home, fileSystem: disk)
        #expect(try verifier.run().findings.map(\.kind) == [.missingSnapshot])
    }

    /// A checkpoint may vouch for any size: what can not be compared is never passed over.
    @Test func `a checkpoint of another history is told at every size, or that it can not be compared`() throws {
        let disk = SimulatedDisk()
        var numbers = SplitMix64(seed: 5)
        var log = try log(disk, &numbers)
        let all = try records(disk, includingArchive: false)
        let identity = try Manifest.load(disk, LogHome(home)).manifest.identity
        let hasher = LeafHasher(identity)
        var tree = MerkleTree()
        let roots = all.map { record -> TreeHash in
            tree.append(
                hasher.leaf(
                    record.sequence, record.time, type: record.type, version: record.version,
                    payload: record.payload.span))
            return tree.root
        }
        var compaction = try log.compaction(through: .zero, before: nil, archiving: true)
        compaction.thinned = log.finished
        try work(compaction) { $0.sequence.rawValue % 7 != 0 }
        try log.saveSnapshot(Snapshot(sequence: log.lastSequence, kind: 1, version: 1, root: log.root, content: [1]))
        try log.finish(compaction, snapshot: log.lastSequence)
        let last = try #require(log.finished.last?.last)
        try log.close()

        func kinds(_ size: Int, _ root: TreeHash) throws -> [LogFinding.Kind] {
            let checkpoint = TreeHead(size: UInt64(size), root: root)
            var verifier = LogVerifier(home: home, fileSystem: disk, checkpoint: checkpoint)
            return try verifier.run().findings.map(\.kind)
        }
        let other = TreeHash.sha256([9].span)
        for size in 1...all.count {
            #expect(try kinds(size, roots[size - 1]) == [], "size \(size)")
            #expect(try kinds(size, other) == [.tampering], "size \(size)")
        }
        // Without the archive, only what the log still has a hash for.
        for name in try disk.list(LogHome(home).archive) { try disk.unlink(LogHome(home).archive.appending(name)) }
        var unreached = 0
        for size in 1...all.count {
            let (right, wrong) = (try kinds(size, roots[size - 1]), try kinds(size, other))
            let isComparable = right == [] && wrong == [.tampering]
            #expect(
                isComparable || right == [.unreachedCheckpoint] && wrong == right, "size \(size): \(right) \(wrong)")
            #expect(isComparable || SequenceNumber(UInt64(size)) <= last)
            unreached += isComparable ? 0 : 1
        }
        #expect(unreached > 20)
    }

    /// What an archived segment goes on from stays known when the one before it is dropped. The file that has it is not
    /// trusted, and without it nothing can be computed: what a segment says of itself proves nothing.
    @Test func `a checkpoint behind what was dropped is compared, or told where the trees are gone or edited`() throws {
        let disk = SimulatedDisk()
        var numbers = SplitMix64(seed: 6)
        var log = try log(disk, &numbers)
        let first = try #require(log.finished.first)
        _ = try log.drop(through: first.last, archiving: false, snapshot: log.lastSequence)
        _ = try log.drop(through: log.lastSequence, archiving: true, snapshot: log.lastSequence)
        let segments = try Manifest.load(disk, LogHome(home)).manifest.segments
        try log.close()
        let (second, third) = (segments[1], segments[2])
        func kinds(_ size: SequenceNumber, _ root: TreeHash, _ disk: SimulatedDisk) throws -> [LogFinding.Kind] {
            let checkpoint = TreeHead(size: size.rawValue, root: root)
            var verifier = LogVerifier(home: home, fileSystem: disk, archived: .everything, checkpoint: checkpoint)
            return try verifier.run().findings.map(\.kind)
        }
        let other = TreeHash.sha256([9].span)
        for size in second.first.rawValue...second.last.rawValue {
            #expect(try kinds(SequenceNumber(size), other, disk) == [.tampering])
        }
        #expect(try kinds(second.last, second.root, disk) == [])

        let (lost, edited) = (disk.copy(), disk.copy())
        try lost.unlink(LogHome(home).trees)
        try edited.damage(LogHome(home).trees) { $0[KeptTrees.headerBytes + 8] ^= 1 }
        for disk in [lost, edited] {
            #expect(try kinds(second.last, second.root, disk) == [.unknownStart])
            #expect(try kinds(second.last, other, disk) == [.unknownStart, .tampering])
            for size in second.first.rawValue..<second.last.rawValue {
                #expect(try kinds(SequenceNumber(size), other, disk) == [.unknownStart, .unreachedCheckpoint])
            }
            let behind = try kinds(third.first, other, disk)
            #expect(behind == [.unknownStart, .tampering], "the seal before it tells what it goes on from")
        }
    }

    @Test func `an archived segment is verified, proven and thinned where the one before it was moved away`() throws {
        let disk = SimulatedDisk()
        var numbers = SplitMix64(seed: 7)
        var log = try log(disk, &numbers)
        let segments = log.finished
        let sequence = segments[1].first.next
        var prover = try LogProver(home: home, fileSystem: disk)
        let root = try prover.root(at: sequence.rawValue)
        _ = try log.drop(through: log.lastSequence, archiving: true, snapshot: log.lastSequence)
        try disk.unlink(LogHome(home).archived(segments[0].first))
        var verifier = LogVerifier(home: home, fileSystem: disk, archived: .present)
        #expect(try verifier.run().findings == [])
        var later = try LogProver(home: home, fileSystem: disk)
        #expect(try later.root(at: sequence.rawValue) == root)
        let compaction = try log.compaction(through: .zero, before: nil, archiving: true)
        let copy = try #require(try compaction.copies().first { $0.entry.first == segments[1].first })
        #expect(try compaction.thin(copy, as: .redacted) { $0.sequence == sequence } == 1)
        #expect(try verifier.run().findings == [])
    }

    @Test func `what an archived segment goes on from stays known behind one that is damaged, and through compactions`()
        throws
    {
        let disk = SimulatedDisk()
        var numbers = SplitMix64(seed: 8)
        var log = try log(disk, &numbers)
        let segments = log.finished
        _ = try log.drop(through: segments[1].last, archiving: true, snapshot: log.lastSequence)
        let damaged = LogHome(home).archived(segments[0].first)
        try disk.damage(damaged) { $0[$0.count / 2] ^= 1 }
        let entry = try Manifest.load(disk, LogHome(home)).manifest.segments[0]
        #expect(try KeptTrees.load(disk, LogHome(home)).tree(after: entry) != nil)
        for _ in 0...1 {
            var verifier = LogVerifier(home: home, fileSystem: disk, archived: .everything)
            let files = Set(try verifier.run().findings.map { $0.file.prefix(20) })
            #expect(files == [SegmentName.name(segments[0].first)[...]], "\(files)")
            _ = try log.drop(through: log.lastSequence, archiving: true, snapshot: log.lastSequence)
        }
        try disk.unlink(damaged)
        var verifier = LogVerifier(home: home, fileSystem: disk, archived: .present)
        #expect(try verifier.run().findings == [])
    }

    @Test func `trees are read as far as they are whole, and the oldest go beyond the bound`() {
        var trees: [MerkleTree] = []
        var tree = MerkleTree()
        for number in UInt8(1)...20 {
            tree.append(TreeHash.sha256([number].span))
            trees.append(tree)
        }
        func entry(_ tree: MerkleTree) -> Manifest.Entry {
            Manifest.Entry(first: SequenceNumber(1), count: tree.size, state: .dropped, root: tree.root, seal: .zero)
        }
        let bytes = KeptTrees(trees).encoded
        for count in 0...bytes.count {
            let read = KeptTrees(decoding: Array(bytes.prefix(count)))
            let known = trees.map { read.tree(after: entry($0)) == $0 }
            #expect(known == known.sorted { $0 && !$1 }, "the first \(count) bytes")
            #expect(count < bytes.count || known.allSatisfy { $0 })
        }
        var other = entry(trees[4])
        other.root = .zero
        #expect(KeptTrees(decoding: bytes).tree(after: other) == nil)
        let noise = bytes.map { _ in UInt8(0xFF) }
        #expect(KeptTrees(decoding: Array(bytes.prefix(8)) + noise).tree(after: entry(trees[0])) == nil)
    }

    @Test func `an archived segment that is damaged is told, wherever it is damaged`() throws {
        let disk = SimulatedDisk()
        var numbers = SplitMix64(seed: 3)
        var log = try log(disk, &numbers)
        _ = try log.drop(through: log.lastSequence, archiving: true, snapshot: log.lastSequence)
        try log.close()
        let path = LogHome(home).archived(SequenceNumber(1))
        let whole = try #require(try disk.contents(of: path))
        for place in stride(from: 0, to: whole.count, by: 97) {
            var bytes = whole
            bytes[place] ^= 1 << UInt8(place % 8)
            try disk.replaceContents(of: path, with: bytes, permissions: 0o600)
            // A bit of gzip's header that says nothing about the bytes may turn unseen: then all of them are right.
            do throws(LogError) {
                let first = try records(disk, includingArchive: true).first
                #expect(first?.payload == LogRecord.sample(1).payload[...])
            } catch { #expect(error.code == .corrupted, "\(place): \(error)") }
        }
    }
}
