import LedgerEngine
import LedgerLog
import LedgerModel
import LedgerTestSupport
import Testing

/// How soon something vouches for what was acknowledged.
struct HeadTests {
    @Test(.timeLimit(.minutes(30)))
    func `some seconds after the last event the head knows of it, though nothing else happens`() async throws {
        let fixture = EngineFixture()
        let ledger = try await fixture.open()
        _ = try await fixture.enqueue(ledger, "a.bin")
        let lag = Duration.milliseconds(LogBounds.headLagMilliseconds)
        await fixture.napping.until { $0.contains(lag) }
        #expect(try isLossTold(fixture) == false)
        fixture.clock.advance(by: lag)
        while try !isLossTold(fixture) { await Task.yield() }
        await ledger.close()
    }

    /// Whether the loss of everything in the only segment would be told.
    private func isLossTold(_ fixture: EngineFixture) throws -> Bool {
        let disk = fixture.disk.copy()
        let home = fixture.home.path
        try disk.damage(LogHome(home).segment(SequenceNumber(1))) { $0.removeLast($0.count - LogBounds.headerBytes) }
        var verifier = LogVerifier(home: home, fileSystem: disk)
        return try verifier.run().findings.contains { !$0.kind.isHarmless }
    }
}
