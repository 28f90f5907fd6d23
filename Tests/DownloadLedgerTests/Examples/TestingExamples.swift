import DownloadLedger
import DownloadLedgerTesting
import FoundationEssentials
import Testing

/// The examples of the article on testing an app.
@Suite(.timeLimit(.minutes(30))) struct TestingExamples {
    private let address = "https://example.org/a.mp3"
    private let bytes: [UInt8] = [1, 2, 3, 4]

    @Test func `no waiting, and files that someone changed`() async throws {
        let url = try #require(URL(string: address))
        var configuration = LedgerConfiguration()
        configuration.retries = .fixed([.seconds(60), .seconds(600), .seconds(3600)])
        let world = TestWorld()
        world.network.answer(address, [.unreachable, .status(503), .cut(bytes, after: 2), .file(bytes)])
        let ledger = try await world.open(configuration: configuration)
        let file = try await world.clock.passes { try await ledger.enqueue(url).value }
        #expect(try world.disk.contents(of: file) == bytes)
        try world.disk.replace(file, with: [0])
        let played = try await world.clock.passes { try await ledger.playbackURL(for: url, checking: true) }
        #expect(played == url)
        await world.clock.passes { await ledger.close() }
    }

    @Test func `power cuts`() async throws {
        let url = try #require(URL(string: address))
        let world = TestWorld()
        world.network.answer(address, [.silence])
        let first = try await world.open()
        let handle = try await world.clock.passes { try await first.enqueue(url) }
        let rebooted = world.cutPower()
        let second = try await rebooted.open()
        let found = try await second.download(handle.id)
        #expect(found?.url == url)
        await world.clock.passes { await second.close() }
        await world.clock.passes { await first.close() }
    }

    @Test func `an origin that misbehaves, and time that goes on`() async throws {
        let url = try #require(URL(string: address))
        let bytes = [UInt8](repeating: 7, count: 4000)
        let world = TestWorld()
        world.network.answer("https://example.org/a.mp3", [.unreachable, .cut(bytes, after: 1000), .file(bytes)])
        let before = world.clock.now
        world.clock.advance(by: .seconds(3600))
        #expect(world.clock.now.timeIntervalSince(before) == 3600)
        let ledger = try await world.open()
        let file = try await world.clock.passes { try await ledger.enqueue(url).value }
        #expect(try world.disk.contents(of: file) == bytes)
        await world.clock.passes { await ledger.close() }
    }

    @Test func `a first test`() async throws {
        let url = try #require(URL(string: address))
        let world = TestWorld()
        world.network.serve("https://example.org/a.mp3", [1, 2, 3])
        let ledger = try await world.open()
        let file = try await world.clock.passes { try await ledger.enqueue(url).value }
        #expect(try world.disk.contents(of: file) == [1, 2, 3])
        await world.clock.passes { await ledger.close() }
    }
}
