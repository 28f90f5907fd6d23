import LedgerAPI
import LedgerCoding
import LedgerEngine
import LedgerLog
import LedgerModel
import LedgerSystem
import LedgerTestSupport
import SystemPackage
import Testing

/// `migrations/golden/`: whole homes as earlier releases left them, and as later ones might.
///
/// The homes of earlier releases were written by the programs of then, and are never written again. A missing one of a
/// later release is recorded, and the run that records it fails.
struct FormatTests {
    static let golden = FilePath(#filePath).removingLastComponent().removingLastComponent()
        .removingLastComponent().appending("migrations/golden")

    /// A home on a simulated disk that holds what a golden one does.
    private func fixture(_ name: String) throws -> EngineFixture {
        let fixture = EngineFixture()
        let real = RealFileSystem()
        let source = FilePath(Self.golden.string + "/" + name)
        func take(_ path: FilePath, to target: FilePath) throws {
            guard try real.status(of: path)?.kind == .directory else {
                let bytes = try #require(try real.contents(of: path))
                return try fixture.put(bytes, at: target.string)
            }
            try fixture.disk.createDirectory(target, permissions: 0o700)
            for entry in try real.list(path) { try take(path.appending(entry), to: target.appending(entry)) }
        }
        try take(source, to: fixture.home.path)
        return fixture
    }

    private func segments(_ fixture: EngineFixture) throws -> [String: [UInt8]] {
        let log = fixture.home.path.appending("log")
        return try Dictionary(
            uniqueKeysWithValues: fixture.disk.list(log).map { name in
                (name, try fixture.disk.contents(of: log.appending(name)) ?? [])
            })
    }

    @Test(arguments: [
        ("format-1/home-1", "sha-256:9361ed427d75efac800586852d866a4daac365a9f66f1f2563201a70a1f061b8", 4 as UInt64),
        ("format-1/home-2", "sha-256:5ae8de8f88d47d3a2cc8e327db9d766589f1bc847655f445501c76ed70b20a89", 0),
    ])
    func `a home of an earlier release is read, written and verified as it stands`(
        _ name: String, digest: String, older: UInt64
    ) async throws {
        let fixture = try fixture(name)
        let before = try segments(fixture)
        let reading = LedgerReading(home: fixture.home, world: fixture.world)
        #expect(StateSnapshot.digest(of: try reading.state()).description == digest)
        let census = try SchemaCensus(home: fixture.home, world: fixture.world)
        #expect(census.olderRecords == older && census.needsSnapshot == (older > 0))
        #expect(census.last == SequenceNumber(12))
        #expect(try segments(fixture) == before, "looking writes nothing")

        let ledger = try await fixture.open()
        #expect(try await ledger.execute(.pause(DownloadID(12))).isRecorded)
        await ledger.close()
        for (name, bytes) in before where name == "0000000000000001.seg" {
            #expect(try segments(fixture)[name] == bytes, "a segment of then is never rewritten")
        }
        var verifier = LogVerifier(home: fixture.home.path, fileSystem: fixture.disk)
        #expect(try verifier.run().findings == [])

        #expect(try SchemaCensus.saveSnapshot(of: fixture.home, world: fixture.world) == SequenceNumber(13))
        let after = try SchemaCensus(home: fixture.home, world: fixture.world)
        #expect(after.olderRecords == older && !after.needsSnapshot && after.snapshot == SequenceNumber(13))
        #expect(try reading.state().queue[DownloadID(12)]?.phase == .paused)
    }

    @Test(arguments: ["newer/format-2", "newer/event-9"])
    func `what a later release wrote is refused by readers and writers, and nothing is changed`(
        _ name: String
    ) async throws {
        if name == "newer/event-9" { try recordNewerEvent() }
        let fixture = try fixture(name)
        let before = try segments(fixture)
        let reading = LedgerReading(home: fixture.home, world: fixture.world)
        let read = #expect(throws: LedgerError.self) { try reading.state() }
        let opened = await #expect(throws: LedgerError.self) { try await fixture.open() }
        for error in [read, opened] {
            let problem = Problem(try #require(error))
            #expect(problem.code == .tooNew && problem.exitCode == .tooNew && problem.exitCode.rawValue == 12)
            #expect(problem.next?.contains("update") ?? false, "\(problem)")
        }
        #expect(try segments(fixture).filter { $0.value != before[$0.key] } == [:])
    }

    /// Records `newer/event-9`: an event of a version that is still to come.
    private func recordNewerEvent() throws {
        let home = FilePath(Self.golden.string + "/newer/event-9")
        let real = RealFileSystem()
        guard try real.status(of: home) == nil else { return }
        var configuration = LogConfiguration()
        (configuration.ballastBytes, configuration.zeroStepBytesMin, configuration.zeroStepBytesMax) = (0, 64, 64)
        var log = try WriteAheadLog.open(
            at: home, fileSystem: real, configuration: configuration, random: { 7 })
        _ = log.stage(LogRecord(type: Event.Kind.paused.rawValue, version: 9, time: .epoch, payload: [0x18, 0x01]))
        try log.commit(at: .epoch)
        try log.close()
        Issue.record("recorded 'newer/event-9': look at it, commit it and run again")
    }
}

extension Outcome {
    fileprivate var isRecorded: Bool {
        if case .recorded = self { true } else { false }
    }
}
