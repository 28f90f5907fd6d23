import LedgerModel
import LedgerSystem
import LedgerTestSupport
import SystemPackage
import Testing

@testable import LedgerLog

/// A5: someone who knows the format edits the log and makes every checksum good again. What stops short of the roots,
/// seals and heads is told by the home itself; what does not is told by a checkpoint kept elsewhere.
struct EditProofTests {
    /// How far the forger went.
    private enum Reach: CaseIterable {
        /// The checksums of one segment.
        case checksums
        /// Its roots and its seal as well.
        case roots
        /// Everything in the home: only a checkpoint kept elsewhere tells.
        case everything
    }

    private static let firsts: [UInt64] = [7, 14, 20]

    @Test func `no edit whose checksums are made good goes unnoticed`() async throws {
        let whole = try DamageProofTests.ledger()
        let checkpoint = try Self.checkpoint(whole)
        let breaches = await Proof("A5", cases: 10_000, slice: 499).run { number in
            var chance = SplitMix64(seed: UInt64(number))
            let disk = whole.copy()
            do {
                let (name, isConsistent) = try Self.edit(disk, &chance)
                // Else it would not be the checkpoint that tells.
                let trace = isConsistent ? try Self.findings(disk, nil) : []
                if !trace.isEmpty { return .init(breaches: ["\(name): the forger left \(trace)"]) }
                let found = try Self.findings(disk, checkpoint)
                return .init(breaches: found.contains { !$0.isHarmless } ? [] : ["\(name): \(found)"])
            } catch { return .init(breaches: ["\(error)"]) }
        }
        for breach in breaches { Issue.record("\(breach)") }
    }

    /// Edits one record by chance; says how, and whether all of the home agrees with it.
    private static func edit(
        _ disk: SimulatedDisk, _ chance: inout SplitMix64
    ) throws -> (name: String, isConsistent: Bool) {
        let reach = Reach.allCases.randomElement(using: &chance) ?? .roots
        let target = SequenceNumber(UInt64.random(in: 7...23, using: &chance))
        let way = Int.random(in: 0..<4, using: &chance)
        let (place, mask) = (Int(chance.next() >> 33), UInt8.random(in: 1...255, using: &chance))
        func change(_ record: inout LogRecord, _ sequence: SequenceNumber) {
            guard sequence == target else { return }
            switch way {
            case 0: record.payload[place % record.payload.count] ^= mask
            case 1: record.payload.remove(at: place % record.payload.count)
            case 2: record.time = Timestamp(milliseconds: record.time.milliseconds + Int64(mask))
            default: record.type = record.type % 100 + 1 + mask % 20
            }
        }
        switch reach {
        case .everything: try Forger(disk).rewriteAll(removingSnapshots: true, edit: change)
        case .checksums, .roots:
            let first = firsts.last { $0 <= target.rawValue } ?? 7
            try Forger(disk).rewrite(SequenceNumber(first), keepingRoots: reach == .checksums, edit: change)
        }
        return ("record \(target), way \(way), \(reach)", reach == .everything)
    }

    /// CVE-2023-31439: the content of past entries is changed and the file adjusted so that its seals hold.
    @Test func `entries of the past that are rewritten are told`() throws {
        let whole = try DamageProofTests.ledger()
        let checkpoint = try Self.checkpoint(whole)
        try Forger(whole).rewriteAll { record, sequence in
            if sequence == SequenceNumber(8) { record.payload = Array("nothing happened".utf8) }
        }
        // No log is left that fits the snapshots that were made of the old one, either.
        #expect(try Set(Self.findings(whole, checkpoint)) == [.tampering])
    }

    /// CVE-2023-31438: a sealed log is cut short and goes on from there as if nothing had been.
    @Test func `a log that was cut short and went on is told`() throws {
        let whole = try DamageProofTests.ledger()
        let checkpoint = try Self.checkpoint(whole)
        let shorter = try DamageProofTests.ledger(commitsInTheEnd: [1])
        #expect(try Self.findings(shorter, checkpoint) == [.shorterThanCheckpoint])
        // It goes on until it is as long as it was.
        var log = try openLog(shorter, seed: 8)
        while log.lastSequence.rawValue < checkpoint.size {
            _ = log.stage(.sample(100))
            try log.commit(at: .epoch)
        }
        try log.close()
        #expect(try Self.findings(shorter, checkpoint) == [.tampering])
    }

    /// CVE-2023-31437: entries stay in the file, and are not shown to whoever looks through a filter.
    @Test func `entries that are marked so that readers pass over them are told`() throws {
        let whole = try DamageProofTests.ledger()
        let checkpoint = try Self.checkpoint(whole)
        for reach in [false, true] {
            let disk = whole.copy()
            // Bit 7 of the type: "ignorable by older readers".
            let hide = { (record: inout LogRecord, sequence: SequenceNumber) in
                if sequence == SequenceNumber(15) { record.type |= 0x80 }
            }
            if reach {
                try Forger(disk).rewriteAll(edit: hide)
            } else {
                try Forger(disk).rewrite(SequenceNumber(14), edit: hide)
            }
            #expect(try Set(Self.findings(disk, checkpoint)) == [.tampering])
        }
    }

    private static func checkpoint(_ disk: SimulatedDisk) throws -> TreeHead {
        var verifier = LogVerifier(home: home, fileSystem: disk)
        let report = try verifier.run()
        return TreeHead(size: report.lastSequence.rawValue, root: report.root)
    }

    private static func findings(_ disk: SimulatedDisk, _ checkpoint: TreeHead?) throws -> [LogFinding.Kind] {
        var verifier = LogVerifier(home: home, fileSystem: disk, checkpoint: checkpoint)
        return try verifier.run().findings.map(\.kind)
    }
}
