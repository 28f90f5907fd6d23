import DownloadLedger
import DownloadLedgerTesting
import FoundationEssentials
import Testing

/// The simulated parts for the tests of apps, as such a test uses them.
@Suite(.timeLimit(.minutes(30))) struct TestingTests {
    private let address = "https://example.org/a.mp3"

    private func url() throws -> URL { try #require(URL(string: address)) }

    @Test func `an hour of retries takes a moment`() async throws {
        let world = TestWorld()
        let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0) }
        world.network.answer(
            address, [.unreachable, .status(503), .status(503), .cut(bytes, after: 50_000), .file(bytes)])
        var configuration = LedgerConfiguration()
        configuration.retries = .fixed([.seconds(60), .seconds(600), .seconds(3000)])
        let ledger = try await world.open(configuration: configuration)
        let begin = world.clock.now
        let file = try await world.clock.passes(every: .seconds(1)) { try await ledger.enqueue(try url()).value }
        #expect(world.clock.now.timeIntervalSince(begin) >= 60 + 600 + 3000 + 60, "what brought bytes begins anew")
        #expect(try world.disk.contents(of: file) == bytes)
        #expect(world.network.requests == [String](repeating: address, count: 5))
        await world.clock.passes { await ledger.close() }
    }

    @Test func `what was acknowledged survives a power cut`() async throws {
        let world = TestWorld()
        world.network.answer(address, [.silence])
        let first = try await world.open()
        let handle = try await world.clock.passes { try await first.enqueue(try url()) }
        let rebooted = world.cutPower()
        await world.clock.passes { await first.close() }
        rebooted.network.serve(address, [1, 2, 3])
        let second = try await rebooted.open()
        let file = try await world.clock.passes { try await second.handle(for: handle.id).value }
        #expect(try rebooted.disk.contents(of: file) == [1, 2, 3])
        try rebooted.disk.replace(file, with: [3, 2, 1])
        world.clock.advance(by: .seconds(5))
        let played = try await world.clock.passes { try await second.playbackURL(for: try url(), checking: true) }
        #expect(played == (try url()), "what was changed is not played")
        await world.clock.passes { await second.close() }
    }

    @Test func `an app says not now, and downloads wait with that reason`() async throws {
        let world = TestWorld()
        world.network.serve(address, [1])
        let isOnline = Flag()
        var configuration = LedgerConfiguration()
        configuration.policy = { isOnline.isSet ? nil : .offline }
        let ledger = try await world.open(configuration: configuration)
        try await world.clock.passes {
            let handle = try await ledger.enqueue(try url())
            for await progress in handle.progress {
                guard case .waiting(_, let error) = progress.phase else { continue }
                #expect(error?.code == "not-now" && error?.message == NotNow.offline.reason)
                break
            }
            isOnline.set()
            ledger.networkChanged()
            #expect(try world.disk.contents(of: try await handle.value) == [1])
        }
        await world.clock.passes { await ledger.close() }
    }
}
