import LedgerAPI
import LedgerEngine
import LedgerModel
import LedgerTestSupport
import SystemPackage
import Testing

/// Compacting a ledger as its clients ask for it.
struct CompactionTests {
    @Test func `asked again because the holder left, it takes no more than the first time`() async throws {
        let fixture = EngineFixture()
        var ledger = try await fixture.open()
        _ = try await fixture.enqueue(ledger, "a", "b")
        var request = CompactRequest()
        request.keepEvents = 0
        request.command = CommandID(high: 1, low: 1)
        let first = try await ledger.compact(request)
        #expect(first.eventsDropped == 2)
        _ = try await fixture.enqueue(ledger, "c", "d")
        await ledger.close()
        ledger = try await fixture.open()
        let again = try await ledger.compact(request)
        #expect(again.eventsDropped == 0)
        #expect(again.last == 5)
        request.command = CommandID(high: 1, low: 2)
        let other = try await ledger.compact(request)
        #expect(other.eventsDropped == 3)
        await ledger.close()
    }

    @Test(arguments: [SimulatedCall.pwrite, .fdatasync, .fsync, .rename, .unlink], [true, false])
    func `cut short anywhere, it is finished when asked again, and takes no more`(
        _ call: SimulatedCall, drops: Bool
    ) async throws {
        var request = CompactRequest()
        request.keepEvents = 0
        request.drops = drops
        request.command = CommandID(high: 1, low: 1)
        var isCutShort = true
        var nth = 1
        while isCutShort {
            let fixture = EngineFixture()
            var ledger = try await fixture.open()
            _ = try await fixture.enqueue(ledger, "a", "b")
            fixture.disk.inject(SimulatedFault(call, nth: nth, .ioError))
            do throws(LedgerError) {
                _ = try await ledger.compact(request)
                isCutShort = false
            } catch { isCutShort = true }
            fixture.disk.clearFaults()
            await ledger.close()
            ledger = try await fixture.open()
            let isRecorded = ledger.lastSequence == 3
            #expect(try fixture.disk.list("/ledger/archive").allSatisfy { !$0.hasSuffix(".new") }, "\(call) \(nth)")
            _ = try await fixture.enqueue(ledger, "c")
            _ = try await ledger.compact(request)
            if isRecorded {
                var rest = ledger.events(after: 2).makeAsyncIterator()
                let next = try await rest.next()
                #expect(next?.first?.sequence == 3, "\(call) \(nth)")
                var all = ledger.events(after: 0).makeAsyncIterator()
                if request.drops {
                    let gone = await #expect(throws: LedgerError.self) { try await all.next() }
                    #expect(gone != nil, "\(call) \(nth)")
                } else {
                    #expect(try await all.next()?.first?.sequence == 1, "\(call) \(nth)")
                }
            }
            await ledger.close()
            nth += 1
        }
        #expect(nth > 2, "no call of this kind was met")
    }

    @Test(arguments: [SimulatedCall.pwrite, .fdatasync, .fsync])
    func `where the disk is full, nothing of what it could not finish stays to keep it so`(
        _ call: SimulatedCall
    ) async throws {
        var request = CompactRequest()
        request.keepEvents = 0
        var failures = 0
        var isCutShort = true
        while isCutShort {
            let fixture = EngineFixture()
            let ledger = try await fixture.open()
            _ = try await fixture.enqueue(ledger, "a", "b")
            fixture.disk.inject(SimulatedFault(call, nth: failures + 1, .noSpace, forGood: true))
            do throws(LedgerError) {
                _ = try await ledger.compact(request)
                isCutShort = false
            } catch {
                failures += 1
                for directory in ["log", "archive"] {
                    let names = try fixture.disk.list(FilePath("/ledger/\(directory)"))
                    #expect(names.allSatisfy { !$0.hasSuffix(".seg.new") && !$0.hasSuffix(".gz.new") }, "\(failures)")
                }
            }
            fixture.disk.clearFaults()
            await ledger.close()
        }
        #expect(failures > 0, "no call of this kind was met")
    }
}
