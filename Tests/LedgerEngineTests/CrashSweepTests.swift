import LedgerEngine
import LedgerModel
import LedgerSystem
import LedgerTestSupport
import SystemPackage
import Testing

/// A power cut after every disk operation of two whole downloads, the disk then as it could look: nothing acknowledged
/// is lost, nothing claimed is missing, and the next start ends with the files whole.
struct CrashSweepTests {
    private let small = OriginEntity.pattern(3000, seed: 11)
    private let large = OriginEntity.pattern(50_000, seed: 12)

    private func fixture(_ disk: SimulatedDisk, _ earlyChunks: Int) -> EngineFixture {
        let fixture = EngineFixture(disk, earlyChunks: earlyChunks)
        fixture.transport.on("/small", ScriptedTransport.entity(OriginEntity(small), chunkBytes: 1000))
        let whole = ScriptedTransport.entity(OriginEntity(large), chunkBytes: 4096)
        fixture.transport.script(
            "/large",
            [
                { request in
                    guard case .response(let head, let chunks, _) = whole(request) else { return .silence }
                    let cut = Failure(.connectionLost, "cut", isRetryable: true)
                    return .response(head, chunks: Array(chunks.prefix(6)), end: cut)
                }, whole,
            ])
        return fixture
    }

    /// Enqueues, downloads and closes; returns the ids that were acknowledged before the disk died.
    private func run(_ fixture: EngineFixture) async -> [DownloadID] {
        var acknowledged: [DownloadID] = []
        do {
            let ledger = try await fixture.open()
            do {
                acknowledged = try await fixture.enqueue(ledger, "small", "large")
                try await fixture.runUntilIdle(ledger)
            } catch {
                await ledger.close()
                throw error
            }
            await ledger.close()
        } catch {
            #expect(fixture.disk.isDead, "only the power cut may stop it: \(error)")
        }
        return acknowledged
    }

    private func check(
        _ disk: SimulatedDisk, _ acknowledged: [DownloadID], _ earlyChunks: Int, _ name: String
    ) async throws {
        disk.releaseAllLocks()
        let fixture = fixture(disk, earlyChunks)
        if try disk.status(of: "/d") == nil { try disk.createDirectory("/d", permissions: 0o755) }
        let ledger = try await fixture.open()
        let assignments = try fixture.hands(of: ledger).assignments
        let state = try await ledger.read { $0 }
        #expect(state.queue.invariantViolation() == nil, "\(name)")
        for id in acknowledged { #expect(state.queue[id] != nil, "\(name): download \(id) was acknowledged") }
        for download in state.queue.downloads {
            let source = download.order.url.path == "/small" ? small : large
            if !download.durable.isEmpty, download.phase.isLive, download.phase != .publishing {
                let part = try fixture.contents(assignments.partPath(of: download, generation: download.generation))
                for range in download.durable.ranges {
                    let claimed = Int(range.lowerBound)..<Int(range.upperBound)
                    let isThere = part.map { $0.count >= claimed.upperBound && $0[claimed] == source[claimed] } ?? false
                    #expect(isThere, "\(name): \(claimed) of download \(download.id) is claimed")
                }
            }
            if download.phase == .completed {
                #expect(try fixture.contents(download.file?.value.path ?? "") == source, "\(name): completed")
            }
        }
        if acknowledged.isEmpty { _ = try await fixture.enqueue(ledger, "small", "large") }
        try await fixture.runUntilIdle(ledger)
        #expect(try fixture.contents("/d/small") == small, "\(name)")
        #expect(try fixture.contents("/d/large") == large, "\(name)")
        #expect(try disk.list("/d") == ["large", "small"], "\(name)")
        await ledger.close()
    }

    @Test(.timeLimit(.minutes(30)), arguments: [0, 2])
    func `a power cut after any operation loses nothing and splices nothing`(_ earlyChunks: Int) async throws {
        var operations = 0
        var random = SplitMix64(seed: 20_261_121)
        while true {
            let disk = SimulatedDisk()
            try disk.createDirectory("/d", permissions: 0o755)
            try disk.synchronizeDirectory("/")
            disk.crash(after: disk.operations + operations)
            let acknowledged = await run(fixture(disk, earlyChunks))
            guard disk.isDead else { break }
            try await check(disk.survivorOfTheWorst(), acknowledged, earlyChunks, "after \(operations), the worst")
            try await check(disk.survivor(using: &random), acknowledged, earlyChunks, "after \(operations), some")
            operations += 1
        }
        #expect(operations > 40, "two downloads take more operations than \(operations)")
    }
}
