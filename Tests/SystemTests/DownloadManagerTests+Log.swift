import AppTestSupport
import DownloadLedger
import FoundationEssentials
import LedgerTestSupport
import Logging
import Synchronization
import Testing

extension DownloadManagerTests {
    /// What an app's log was told.
    private final class Lines: Sendable {
        let lines = Mutex<[String]>([])
    }

    private struct Recorder: LogHandler {
        let lines: Lines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        init(_ lines: Lines) { self.lines = lines }

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            lines.lines.withLock { $0.append("\(event.level) \(event.message)") }
        }
    }

    /// What is logged while one download succeeds and one fails for good after a retry.
    private func logged(_ verbosity: LedgerConfiguration.Verbosity) async throws -> [String] {
        let lines = Lines()
        try await AppFixture.run(
            retries: .fixed([.zero]),
            configured: .by { configuration in
                configuration.verbosity = verbosity
                configuration.logger = Logger(label: "app") { _ in Recorder(lines) }
            }
        ) { app in
            app.origin.on("/none") { _ in OriginReply(503) }
            app.serve("/a.zip", [1])
            _ = try await app.ledger.enqueue(try app.url("/a.zip?token=s3cret")).value
            let none = try await app.ledger.enqueue(try app.url("/none"))
            #expect(await failure { () throws(DownloadError) in try await none.value } != nil)
        }
        return lines.lines.withLock { $0 }
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
            let lines = Lines()
            let (clock, disk) = (AppFixture.clock(), AppFixture.clingingDisk())
            try await AppFixture.run(
                in: AppFixture.world(clock, disk),
                configured: .by { configuration in
                    configuration.verbosity = verbosity
                    configuration.logger = Logger(label: "app") { _ in Recorder(lines) }
                }
            ) { app in
                let handle = try await clock.passes { try await app.halved("/a.zip", OriginEntity.pattern(1000)) }
                try await app.ledger.cancel(handle.id)
                disk.clearFaults()
            }
            #expect(lines.lines.withLock { $0.contains { $0.hasPrefix("error ") } } == (verbosity != .silent))
        }
    }
}
