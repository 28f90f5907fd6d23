import ArgumentParser
import LedgerEngine
import LedgerModel
import LedgerSystem
import LedgerTestSupport
import SystemPackage
import Testing

@testable import ledger_bench

/// A log that is a shorter one several times over, on a real disk.
@Suite struct RepeatLogTests {
    private func state(of home: FilePath) throws -> LedgerState {
        var reader = try EventReader(
            home: LedgerHome(home), fileSystem: RealFileSystem(), after: .zero, verifyingRoots: true)
        var state = LedgerState()
        while let batch = try reader.next() {
            for entry in batch.entries() { try state.take(entry.event, at: entry.sequence) }
        }
        return state
    }

    @Test func `each repetition is of other downloads, and they come to the same`() async throws {
        let place = FilePath("/tmp/ledger-bench-\(String(World.system().random(), radix: 36))")
        let fileSystem = RealFileSystem()
        try fileSystem.createDirectory(place, permissions: 0o700)
        let (short, long) = (place.appending("short"), place.appending("long"))
        var maker = try await LogMaker(
            home: LedgerHome(short), fileSystem: fileSystem,
            scale: LogScale(events: 1_000, downloads: 100, seed: 8, days: 9))
        let once = try await maker.run()
        try await RepeatLog.parse(["--from", short.string, "--home", long.string, "--times", "3"]).run()
        let thrice = try state(of: long)
        #expect(thrice.sequence == SequenceNumber(3_000) && thrice.queue.downloads.count == 300)
        #expect(thrice.queue.invariantViolation() == nil)
        for phase in PhaseCounts.phases { #expect(thrice.queue.counts[phase] == 3 * once.queue.counts[phase]) }
        let urls = { (state: LedgerState) in Set(state.queue.downloads.map(\.order.url)).count }
        #expect(urls(thrice) == 3 * urls(once))
        await #expect(throws: LogMaker.Trouble.self, "it makes no log of one that is there") {
            try await RepeatLog.parse(["--from", short.string, "--home", long.string]).run()
        }
        try remove(place, fileSystem)
    }

    private func remove(_ path: FilePath, _ fileSystem: RealFileSystem) throws {
        for name in try fileSystem.list(path) {
            let child = path.appending(name)
            if try fileSystem.status(of: child)?.kind == .directory {
                try remove(child, fileSystem)
            } else {
                try fileSystem.unlink(child)
            }
        }
        try fileSystem.removeDirectory(path)
    }
}
