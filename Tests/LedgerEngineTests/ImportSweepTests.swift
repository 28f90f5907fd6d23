import LedgerCoding
import LedgerEngine
import LedgerLog
import LedgerModel
import LedgerSystem
import LedgerTestSupport
import SystemPackage
import Testing

/// An import that is cut short at any call leaves no ledger, or the whole one.
struct ImportSweepTests {
    /// Three orders, and a place without an event.
    private func run(_ fixture: EngineFixture) throws(LedgerError) {
        var target = try LogImport(into: fixture.home, world: fixture.world, isDryRun: false)
        do throws(LedgerError) {
            for number: UInt64 in 1...4 {
                if number == 3 {
                    try target.pass()
                    continue
                }
                let sequence = SequenceNumber(number)
                let order = Order(
                    url: ResourceURL(recorded: "http://a/\(number)"),
                    destination: Destination(directory: "/d", name: nil))
                try target.take(
                    Recorded(
                        sequence: sequence, time: .epoch, id: DownloadID(sequence), command: nil, actor: .cli,
                        event: .enqueued(order, priority: 0, rank: Rank(number))))
            }
        } catch {
            try target.abandon()
            throw error
        }
        _ = try target.finish()
    }

    /// How many downloads the ledger holds; nil when there is none.
    private func downloads(_ fixture: EngineFixture, _ name: String) -> Int? {
        do throws(LedgerError) {
            let state = try LedgerReading(home: fixture.home, world: fixture.world).state()
            #expect(state.sequence == SequenceNumber(state.queue.downloads.isEmpty ? 0 : 4), "\(name)")
            return state.queue.downloads.count
        } catch {
            if case .log(let cause) = error, cause.code == .absent { return nil }
            Issue.record("\(name): \(error)")
            return nil
        }
    }

    @Test(arguments: [false, true])
    func `an import that is cut anywhere is none, or whole, and can be made again`(isHomeThere: Bool) async throws {
        var operations = 0
        while true {
            let disk = SimulatedDisk()
            if isHomeThere {
                let empty = try await EngineFixture(disk).open()
                await empty.close()
                try disk.replaceContents(of: "/ledger/config.yaml", with: [1], permissions: 0o600)
            }
            disk.crash(after: disk.operations + operations)
            do throws(LedgerError) { try run(EngineFixture(disk)) } catch { #expect(disk.isDead, "\(error)") }
            for survivor in [disk.survivorOfTheWorst(), disk.survivor(seed: UInt64(operations)), disk.copy()] {
                survivor.releaseAllLocks()
                let (fixture, name) = (EngineFixture(survivor, seed: 3), "after \(operations)")
                let count = downloads(fixture, name)
                #expect([nil, 0, 3].contains(count), "\(name)")
                if count != 3 {
                    do throws(LedgerError) { try run(fixture) } catch { Issue.record("\(name): \(error)") }
                    #expect(downloads(fixture, name) == 3, "\(name)")
                }
                if isHomeThere { #expect(try fixture.contents("/ledger/config.yaml") == [1], "\(name)") }
                #expect(try survivor.list("/").filter { $0.hasPrefix("ledger.imp") } == [], "\(name)")
            }
            guard disk.isDead else { break }
            operations += 1
        }
        #expect(operations > 30)
    }
}
