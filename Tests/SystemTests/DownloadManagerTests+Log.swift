import AppTestSupport
import DownloadLedger
import FoundationEssentials
import LedgerTestSupport
import Testing

extension DownloadManagerTests {
    /// What is logged while one download succeeds and one fails for good after a retry.
    private func logged(_ verbosity: LedgerConfiguration.Verbosity) async throws -> [String] {
        let log = RecordedLog()
        try await AppFixture.run(
            retries: .fixed([.zero]),
            configured: .by { configuration in
                configuration.verbosity = verbosity
                configuration.logger = log.logger
            }
        ) { app in
            app.origin.on("/none") { _ in OriginReply(503) }
            app.serve("/a.zip", [1])
            _ = try await app.ledger.enqueue(try app.url("/a.zip?token=s3cret")).value
            let none = try await app.ledger.enqueue(try app.url("/none"))
            #expect(await failure { () throws(DownloadError) in try await none.value } != nil)
        }
        return log.lines
    }

    @Test func `the verbosity of the log is configured`() async throws {
        let events = try await logged(.events)
        #expect(events.filter { $0 == "info added" }.count == 2 && events.contains("info finished"))
        #expect(events.contains { $0.hasPrefix("warning ") && $0.contains("503") })
        #expect(!events.contains { $0.contains("s3cret") })
        #expect(try await logged(.silent) == [])
        #expect(try await logged(.errors) == [])
    }

    @Test func `what goes wrong beside what anyone asked for is logged, unless the log is to be silent`() async throws {
        for verbosity in LedgerConfiguration.Verbosity.allCases {
            let log = RecordedLog()
            let (clock, disk) = (AppFixture.clock(), AppFixture.clingingDisk())
            try await AppFixture.run(
                in: AppFixture.world(clock, disk),
                configured: .by { configuration in
                    configuration.verbosity = verbosity
                    configuration.logger = log.logger
                }
            ) { app in
                let handle = try await clock.passes { try await app.halved("/a.zip", OriginEntity.pattern(1000)) }
                try await app.ledger.cancel(handle.id)
                disk.clearFaults()
            }
            #expect(log.lines.contains { $0.hasPrefix("error ") } == (verbosity != .silent))
        }
    }
}
