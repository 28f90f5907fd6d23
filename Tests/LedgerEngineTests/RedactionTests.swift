import LedgerAPI
import LedgerModel
import LedgerSystem
import LedgerTestSupport
import SystemPackage
import Testing

@testable import LedgerEngine
@testable import LedgerLog

/// Redacting on a disk that fails.
struct RedactionTests {
    private static let word = "very-private"

    /// A ledger with a deleted download to forget, in the archive and in the log.
    private func ledger(_ fixture: EngineFixture) async throws -> Ledger {
        let ledger = try await fixture.open()
        let ids = try await fixture.enqueue(ledger, "a", Self.word, "b")
        var compact = CompactRequest()
        compact.keepEvents = 0
        _ = try await ledger.compact(compact)
        for command in [Command.pause(ids[1]), .resume(ids[1]), .delete(ids[1], .keepFile)] {
            let outcome = try await ledger.execute([Submission(command, id: nil, actor: .cli)])
            guard case .recorded = outcome[0] else { throw Refused(outcome: outcome[0]) }
        }
        return ledger
    }

    private struct Refused: Error { let outcome: Outcome }

    private func holders(_ disk: SimulatedDisk) throws -> [String] {
        try ["log", "snapshots", "archive"].flatMap { directory in
            try disk.list(FilePath("/ledger/" + directory)).filter { name in
                let bytes = try #require(try disk.contents(of: FilePath("/ledger/\(directory)/\(name)")))
                let plain = name.hasSuffix(".gz") ? try #require(GzipMember.unpack(bytes)) : bytes
                return plain.contains(Array(Self.word.utf8))
            }
        }
    }

    private func redactions(_ fixture: EngineFixture) throws -> Int {
        var reader = try EventReader(
            home: fixture.home, fileSystem: fixture.disk, after: .zero, includingArchive: true)
        var count = 0
        while let batch = try reader.next() { count += batch.events.count { $0.event.kind == .redacted } }
        return count
    }

    @Test(arguments: [SimulatedCall.pwrite, .fdatasync, .fsync, .rename])
    func `cut short anywhere, nothing is lost, and asked again it is finished`(_ call: SimulatedCall) async throws {
        var isCutShort = true
        var nth = 1
        while isCutShort {
            let fixture = EngineFixture()
            var ledger = try await ledger(fixture)
            #expect(try !holders(fixture.disk).isEmpty, "the test means something")
            var request = RedactRequest()
            request.ids = [2]
            fixture.disk.inject(SimulatedFault(call, nth: nth, .ioError))
            do throws(LedgerError) {
                _ = try await ledger.redact(request)
                isCutShort = false
            } catch { isCutShort = true }
            fixture.disk.clearFaults()
            await ledger.close()
            // As it was left, all of it can be folded.
            let left = try StateCheck(home: fixture.home, world: fixture.world).run()
            #expect(left.divergence == nil, "\(call) \(nth)")
            ledger = try await fixture.open()
            let report = try await ledger.redact(request).get()
            #expect(report.ids == [2])
            #expect(try holders(fixture.disk) == [], "\(call) \(nth)")
            #expect(try await ledger.read { Array($0.queue.downloads.ids) } == [1, 3], "\(call) \(nth)")
            await ledger.close()
            let check = try StateCheck(home: fixture.home, world: fixture.world).run()
            #expect(check.divergence == nil, "\(call) \(nth)")
            #expect(try redactions(fixture) == 1, "\(call) \(nth)")
            nth += 1
        }
        #expect(nth > 2, "no call of this kind was met")
    }

    @Test func `beside a check of the whole log, it is no tampering`() async throws {
        let fixture = EngineFixture()
        let ledger = try await ledger(fixture)
        let check = StateCheck(home: fixture.home, world: fixture.world)
        let report = try await fixture.world.blocking.run { () throws(LedgerError) in
            var isFirst = true
            // Between two batches of the check: what it has seen of the beginning is no longer there at the end.
            return try check.run { _, _ in
                if isFirst { WaitingThread.wait { await self.redact(2, in: ledger) } }
                isFirst = false
            }
        }
        #expect(report.divergence == nil && report.agreeing.count > 1)
        #expect(try redactions(fixture) == 1)
        await ledger.close()
    }

    private func redact(_ id: DownloadID, in ledger: Ledger) async {
        var request = RedactRequest()
        request.ids = [id]
        do throws(LedgerError) { _ = try await ledger.redact(request) } catch { Issue.record(error) }
    }

    @Test(arguments: [SimulatedCall.pwrite, .fdatasync, .fsync])
    func `where the disk is full, nothing of what it could not finish stays to keep it so`(
        _ call: SimulatedCall
    ) async throws {
        var (failures, isCutShort) = (0, true)
        while isCutShort {
            let fixture = EngineFixture()
            let ledger = try await ledger(fixture)
            var request = RedactRequest()
            request.ids = [2]
            fixture.disk.inject(SimulatedFault(call, nth: failures + 1, .noSpace, forGood: true))
            do throws(LedgerError) {
                _ = try await ledger.redact(request)
                isCutShort = false
            } catch {
                failures += 1
                let names = try ["log", "archive"].flatMap { try fixture.disk.list(FilePath("/ledger/" + $0)) }
                #expect(names.allSatisfy { !$0.hasSuffix(".new") }, "\(failures): \(names)")
            }
            fixture.disk.clearFaults()
            await ledger.close()
        }
        #expect(failures > 0, "no call of this kind was met")
    }
}
