import LedgerModel
import LedgerSystem
import LedgerTestSupport
import SystemPackage
import Testing

@testable import LedgerLog

/// Damage by chance, from a fixed seed: what is not told has changed nothing, what is told has a class that fits, and
/// nothing ever traps. `LEDGER_PROOF=1` takes all 100,000; otherwise a slice.
@Suite struct RandomDamageTests {
    private static let damagesMax = 100_000

    /// One damage, drawn from a generator.
    private struct Damage: CustomStringConvertible {
        let description: String
        /// The classes it may be given, one of which it must be unless it changed nothing.
        let kinds: Set<LogFinding.Kind>
        let apply: (SimulatedDisk) throws -> Void
    }

    private static let layout = LogHome(home)
    private static let archived = layout.archive.appending("0000000000000001.seg.gz")
    private static let segments = [archived] + [7, 14, 20].map { layout.segment(SequenceNumber($0)) }
    private static let snapshots = [6, 19].map { layout.snapshot(SequenceNumber($0)) }
    private static let files = segments + snapshots + layout.manifests + layout.heads

    /// What damage to bytes of a file may be called.
    private static func kinds(of path: FilePath) -> Set<LogFinding.Kind> {
        if snapshots.contains(path) { return [.corruption, .damagedCopy] }
        if segments.contains(path) { return [.corruption, .shorterThanHead, .tornTail, .tampering] }
        return [.damagedCopy]
    }

    private static func draw(_ chance: inout SplitMix64, _ lengths: [FilePath: Int]) -> Damage {
        let path = files.randomElement(using: &chance) ?? segments[0]
        let length = lengths[path] ?? 1
        let place = Int.random(in: 0..<length, using: &chance)
        let count = Int.random(in: 1...64, using: &chance)
        let (one, other) = (
            segments.randomElement(using: &chance) ?? segments[0], segments.randomElement(using: &chance) ?? segments[1]
        )
        var noise = chance
        switch Int.random(in: 0..<9, using: &chance) {
        case 0, 1, 2:
            let bit = UInt8.random(in: 0..<8, using: &chance)
            return Damage(description: "bit \(bit) of byte \(place) of \(path)", kinds: kinds(of: path)) { disk in
                try disk.damage(path) { $0[place] ^= 1 << bit }
            }
        case 3:
            return Damage(description: "\(path) cut to \(place) bytes", kinds: kinds(of: path)) { disk in
                try disk.damage(path) { $0.removeLast($0.count - place) }
            }
        case 4:
            return Damage(description: "\(count) bytes of noise at \(place) of \(path)", kinds: kinds(of: path)) {
                disk in
                try disk.damage(path) { bytes in
                    for index in place..<min(place + count, bytes.count) {
                        bytes[index] = UInt8.random(in: 0...255, using: &noise)
                    }
                }
            }
        case 5:
            return Damage(description: "\(count) zeros at \(place) of \(path)", kinds: kinds(of: path)) { disk in
                try disk.damage(path) { bytes in
                    for index in place..<min(place + count, bytes.count) { bytes[index] = 0 }
                }
            }
        case 6:
            return Damage(description: "\(path) gone", kinds: [.missingSegment, .missingSnapshot, .damagedCopy]) {
                try $0.unlink(path)
            }
        case 7:
            return Damage(description: "\(one) and \(other) swapped", kinds: [.tampering, .corruption]) { disk in
                let (a, b) = (try disk.contents(of: one) ?? [], try disk.contents(of: other) ?? [])
                try disk.damage(one) { $0 = b }
                try disk.damage(other) { $0 = a }
            }
        default:
            let firsts: [UInt64] = [7, 14, 20]
            let first = firsts.randomElement(using: &chance) ?? 7
            let target = first + UInt64.random(in: 0..<4, using: &chance)
            let keepsRoots = Bool.random(using: &chance)
            return Damage(description: "record \(target) forged, roots kept: \(keepsRoots)", kinds: [.tampering]) {
                disk in
                try Forger(disk).rewrite(SequenceNumber(first), keepingRoots: keepsRoots) { record, sequence in
                    if sequence.rawValue == target { record.payload[place % record.payload.count] ^= 1 }
                }
            }
        }
    }

    @Test func `damage by chance is told by its class, and never cuts anything off in silence`() throws {
        let whole = try DamageProofTests.ledger()
        var lengths: [FilePath: Int] = [:]
        for path in Self.files { lengths[path] = Int(try whole.status(of: path)?.length ?? 0) }
        let report = try Self.verify(whole)
        let records = try readAll(whole)
        #expect(report.findings.isEmpty && report.lastSequence == SequenceNumber(23) && records.count == 17)
        for number in Sweep.numbers(1, Self.damagesMax, slice: 400) {
            var chance = SplitMix64(seed: UInt64(number))
            let damage = Self.draw(&chance, lengths)
            let disk = whole.copy()
            try damage.apply(disk)
            let found = try Self.verify(disk)
            let kinds = Set(found.findings.map(\.kind))
            #expect(kinds.isSubset(of: damage.kinds), "\(number): \(damage): \(kinds)")
            if kinds.allSatisfy(\.isHarmless) {
                #expect(found.root == report.root && found.records == report.records, "\(number): \(damage)")
                #expect(try readAll(disk) == records, "\(number): \(damage): other records")
            }
            Self.open(disk, kinds, report, "\(number): \(damage)")
        }
    }

    private static func verify(_ disk: SimulatedDisk) throws -> VerificationReport {
        var verifier = LogVerifier(home: home, fileSystem: disk, archived: .everything)
        return try verifier.run()
    }

    /// A damaged log is opened with all its records, or not at all.
    private static func open(
        _ disk: SimulatedDisk, _ kinds: Set<LogFinding.Kind>, _ report: VerificationReport, _ name: String
    ) {
        do throws(LogError) {
            let log = try openLog(disk, seed: 5)
            #expect(log.lastSequence == report.lastSequence && log.root == report.root, "\(name)")
        } catch {
            let isTold = kinds.contains { !$0.isHarmless }
            #expect(isTold, "\(name): \(error)")
        }
    }
}
