import LedgerModel
import LedgerSystem
import LedgerTestSupport
import SystemPackage
import Testing

@testable import LedgerLog

/// A4: every bit of a log of 64 KiB turned, every truncation of it, and every way in which whole segments can be lost,
/// doubled, swapped, renamed or be another ledger's. What is damaged is told, and never taken for a torn write.
struct BitProofTests {
    private static let bytesMin = 64 << 10

    private static var configuration: LogConfiguration {
        var large = LogConfiguration.small
        large.segmentBytesMax = 1 << 20
        return large
    }

    /// A ledger whose only segment holds a little more than 64 KiB of batches.
    private struct Whole: Sendable {
        let disk: SimulatedDisk
        /// Where the batches end, and the file.
        let end: Int
        let length: Int
        let last: SequenceNumber
        let path = LogHome(home).segment(SequenceNumber(1))

        /// Closed, or cut off from power some seconds after the last batch.
        init(isClosed: Bool) throws {
            let disk = SimulatedDisk()
            var log = try openLog(disk, configuration)
            var chance = SplitMix64(seed: 64)
            while log.byteCount < bytesMin {
                let size = Int.random(in: 1...24, using: &chance)
                for _ in 0..<size { _ = log.stage(.sample(Int(log.lastSequence.rawValue) + log.stagedCount + 1)) }
                try log.commit(at: .epoch)
            }
            (end, last) = (Int(log.byteCount), log.lastSequence)
            let later = Timestamp(milliseconds: LogBounds.headLagMilliseconds)
            if isClosed {
                try log.close()
            } else {
                while log.isPreparationDue(at: later) { try log.prepare(at: later) }
            }
            self.disk = disk.survivorOfTheWorst()
            length = Int(try disk.status(of: path)?.length ?? 0)
        }

        func cut(at place: Int) throws -> Proof.Outcome {
            let damaged = disk.copy()
            try damaged.damage(path) { $0.removeLast($0.count - place) }
            return look(at: damaged, isTold: place < end, last, "cut at \(place)")
        }

        func turn(bit: Int) throws -> Proof.Outcome {
            let damaged = disk.copy()
            try damaged.damage(path) { $0[bit / 8] ^= 1 << UInt8(bit % 8) }
            return look(at: damaged, isTold: bit / 8 < end, last, "bit \(bit)")
        }
    }

    @Test func `every bit that turns and every cut is told for what it is`() async throws {
        let (closed, open) = (try Whole(isClosed: true), try Whole(isClosed: false))
        // Opening one that was not closed writes a file anew: one place in so many, at every offset within a sector.
        let stride = 37
        let cuts = closed.length + open.length / stride
        // The last of them is behind the last batch, so that the border is among them.
        let bits = (closed.end + 8) * 8
        let breaches = await Proof("A4", cases: cuts + bits, slice: 9_973).run { number in
            do {
                switch number {
                case ..<closed.length: return try closed.cut(at: number)
                case ..<cuts: return try open.cut(at: (number - closed.length) * stride)
                default: return try closed.turn(bit: number - cuts)
                }
            } catch { return .init(breaches: ["\(error)"]) }
        }
        for breach in breaches { Issue.record("\(breach)") }
    }

    /// Damage to what was acknowledged is corruption and the ledger does not open; without any it opens with all.
    private static func look(
        at disk: SimulatedDisk, isTold: Bool, _ last: SequenceNumber, _ name: String
    ) -> Proof.Outcome {
        let found = LogVerifier.kinds(disk, depth: .quick)
        guard found.contains(where: { !$0.isHarmless }) == isTold else { return .init(breaches: ["\(name): \(found)"]) }
        do throws(LogError) {
            let log = try openLog(disk, configuration, seed: 5)
            if isTold { return .init(breaches: ["\(name): it opens, with \(log.lastSequence)"]) }
            return .init(breaches: log.lastSequence == last ? [] : ["\(name): it ends at \(log.lastSequence)"])
        } catch {
            let isExpected = isTold && [.corrupted, .shorter, .newerFormat].contains(error.code)
            return .init(breaches: isExpected ? [] : ["\(name): \(error)"])
        }
    }

    @Test func `segments that are lost, doubled, swapped, renamed or another ledger's are told`() async throws {
        let whole = try DamageProofTests.ledger()
        let other = try DamageProofTests.ledger(seed: 9)
        let layout = LogHome(home)
        let segments = [7, 14, 20].map { layout.segment(SequenceNumber($0)) }
        var damages: [(name: String, apply: @Sendable (SimulatedDisk) throws -> Void)] = []
        for one in segments {
            damages.append(("\(one) lost", { try $0.unlink(one) }))
            damages.append(("\(one) of another ledger", { try Self.put(try other.contents(of: one), at: one, $0) }))
            let elsewhere = layout.segment(SequenceNumber(99))
            damages.append(("\(one) renamed", { try $0.rename(one, to: elsewhere, replacing: false) }))
            for two in segments where two != one {
                damages.append(("\(one) in place of \(two)", { try Self.put(try $0.contents(of: one), at: two, $0) }))
                damages.append(
                    (
                        "\(one) and \(two) swapped",
                        { disk in
                            let (a, b) = (try disk.contents(of: one), try disk.contents(of: two))
                            try Self.put(b, at: one, disk)
                            try Self.put(a, at: two, disk)
                        }
                    ))
            }
        }
        let cases = damages
        let breaches = await Proof("A4-segments", cases: cases.count, slice: 1).run { number in
            let disk = whole.copy()
            do {
                try cases[number].apply(disk)
                let found = LogVerifier.kinds(disk)
                if found.allSatisfy(\.isHarmless) { return .init(breaches: ["\(cases[number].name): \(found)"]) }
                return .init(breaches: Self.isReadable(disk) ? ["\(cases[number].name): it can be read"] : [])
            } catch { return .init(breaches: ["\(cases[number].name): \(error)"]) }
        }
        for breach in breaches { Issue.record("\(breach)") }
    }

    @Test func `a block that held batches of another file is never taken for one of this`() throws {
        let disk = SimulatedDisk()
        var log = try openLog(disk)
        for number in 1...5 { _ = log.stage(.sample(number)) }
        try log.commit(at: .epoch)
        // The same ledger, had it gone on in another file: right identity, right sequence, another salt.
        let other = disk.copy()
        var later = try openLog(other, seed: 3)
        for number in 6...9 { _ = later.stage(.sample(number)) }
        try later.commit(at: .epoch)
        let stale = try #require(try Self.lastBatch(other, SequenceNumber(6)))
        let path = LogHome(home).segment(SequenceNumber(1))
        let end = Int(log.byteCount)
        try disk.damage(path) { $0.replaceSubrange(end..<end + stale.count, with: stale) }
        let survivor = disk.survivorOfTheWorst()
        #expect(LogVerifier.kinds(survivor) == [.tornTail])
        #expect(try openLog(survivor, seed: 4).lastSequence == SequenceNumber(5))
    }

    private static func lastBatch(_ disk: SimulatedDisk, _ first: SequenceNumber) throws -> [UInt8]? {
        var reader = try LogReader(home: home, fileSystem: disk, after: first.previous)
        guard let batch = try reader.next() else { return nil }
        let segment = try disk.contents(of: LogHome(home).segment(first)) ?? []
        return Array(segment[Int(batch.offset)..<Int(batch.offset) + batch.length])
    }

    private static func put(_ bytes: [UInt8]?, at path: FilePath, _ disk: SimulatedDisk) throws {
        try disk.damage(path) { $0 = bytes ?? [] }
    }

    /// Whether all of it can be read as if nothing were wrong.
    private static func isReadable(_ disk: SimulatedDisk) -> Bool {
        do throws(LogError) {
            return try readAll(disk).last?.sequence == SequenceNumber(23)
        } catch { return false }
    }
}
