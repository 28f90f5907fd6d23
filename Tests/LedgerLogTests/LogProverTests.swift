import LedgerModel
import LedgerSystem
import LedgerTestSupport
import SystemPackage
import Testing

@testable import LedgerLog

@Suite struct LogProverTests {
    /// Twenty records in five segments, and the roots at each size.
    private static func ledger() throws -> (disk: SimulatedDisk, roots: [TreeHash]) {
        let disk = SimulatedDisk()
        var log = try openLog(disk)
        var roots = [log.root]
        for number in 1...20 {
            _ = log.stage(.sample(number))
            try log.commit(at: .epoch)
            roots.append(log.root)
            if number % 4 == 0 { try log.rotate() }
        }
        try log.close()
        return (disk, roots)
    }

    private static func compact(_ disk: SimulatedDisk, through last: UInt64, archiving: Bool) throws {
        var log = try openLog(disk)
        _ = try log.drop(through: SequenceNumber(last), archiving: archiving, snapshot: .zero)
        try log.close()
    }

    /// Asks for every proof there is, and says which are refused.
    private static func refused(
        _ disk: SimulatedDisk, _ roots: [TreeHash]
    ) throws -> (seqs: Set<UInt64>, pairs: Set<[UInt64]>) {
        var prover = try LogProver(home: home, fileSystem: disk)
        let head = try prover.head()
        #expect(head == TreeHead(size: 20, root: roots[20]))
        var (seqs, pairs): (Set<UInt64>, Set<[UInt64]>) = ([], [])
        for size in UInt64(1)...20 {
            for sequence in 1...size {
                do throws(LogError) {
                    let proof = try prover.inclusion(of: SequenceNumber(sequence), in: size)
                    #expect(proof.head == TreeHead(size: size, root: roots[Int(size)]))
                    #expect(proof.record.asStaged == .sample(Int(sequence)) && !proof.isHidden)
                    let root = MerkleProof.root(holding: proof.leaf, at: proof.index, in: size, by: proof.path)
                    #expect(root == roots[Int(size)])
                } catch {
                    #expect(error.code == .dropped, "\(error)")
                    seqs.insert(sequence)
                }
                do throws(LogError) {
                    let proof = try prover.consistency(from: sequence, to: size)
                    #expect(proof.old.root == roots[Int(sequence)] && proof.new.root == roots[Int(size)])
                    #expect(MerkleProof.isConsistent(proof.old, proof.new, by: proof.path))
                } catch {
                    #expect(error.code == .dropped, "\(error)")
                    pairs.insert([sequence, size])
                }
            }
        }
        return (seqs, pairs)
    }

    @Test func `every record and every pair of sizes can be proved, with an archive too`() throws {
        let (disk, roots) = try Self.ledger()
        var refused = try Self.refused(disk, roots)
        #expect(refused.seqs.isEmpty && refused.pairs.isEmpty)
        try Self.compact(disk, through: 12, archiving: true)
        refused = try Self.refused(disk, roots)
        #expect(refused.seqs.isEmpty && refused.pairs.isEmpty)
    }

    @Test func `what was dropped can not be proved, and all that is left can`() throws {
        let (disk, roots) = try Self.ledger()
        try Self.compact(disk, through: 12, archiving: false)
        let refused = try Self.refused(disk, roots)
        #expect(refused.seqs == Set(1...12))
        // A tree that is a peak of what was dropped is known for ever: that of 8, and that of all 12.
        let isKnown: (UInt64) -> Bool = { $0 == 8 || $0 >= 12 }
        let all = (UInt64(1)...20).flatMap { to in (1...to).map { [$0, to] } }
        #expect(refused.pairs == Set(all.filter { !$0.allSatisfy(isKnown) }))
    }

    @Test func `an archive behind dropped segments, or one that is gone, is no reason to fail for the rest`() throws {
        let (disk, roots) = try Self.ledger()
        try Self.compact(disk, through: 4, archiving: false)
        try Self.compact(disk, through: 12, archiving: true)
        #expect(try Self.refused(disk, roots).seqs.isSubset(of: Set(1...12)))
        try disk.unlink(home.appending("archive/0000000000000009.seg.gz"))
        var prover = try LogProver(home: home, fileSystem: disk)
        #expect(try prover.inclusion(of: SequenceNumber(13), in: 20).head.root == roots[20])
        let error = #expect(throws: LogError.self) {
            var prover = try LogProver(home: home, fileSystem: disk)
            _ = try prover.inclusion(of: SequenceNumber(10), in: 20)
        }
        #expect(error?.code == .missing || error?.code == .dropped)
    }

    @Test func `a record that was changed with its checksum made good proves nothing`() throws {
        let (disk, _) = try Self.ledger()
        try Forger(disk).rewrite(SequenceNumber(17), keepingRoots: true) { record, sequence in
            if sequence == SequenceNumber(18) { record.payload[0] ^= 1 }
        }
        let error = #expect(throws: LogError.self) {
            var prover = try LogProver(home: home, fileSystem: disk)
            _ = try prover.inclusion(of: SequenceNumber(18), in: 20)
        }
        #expect(error?.code == .tampered)
    }

    @Test func `a checkpoint is of what is durable: handing it out makes it so, and a power cut takes nothing of it`()
        throws
    {
        let disk = SimulatedDisk()
        var log = try openLog(disk)
        _ = log.stage(.sample(1))
        try log.commit(at: .epoch)
        let root = log.root
        var prover = try LogProver(home: home, fileSystem: disk)
        let head = try prover.head()
        #expect(head == TreeHead(size: 1, root: root))
        disk.isReadOnly = true
        #expect(try prover.head() == head)
        #expect(LogVerifier.kinds(disk.survivorOfTheWorst()).isEmpty)
    }
}
