import AppTestSupport
import DownloadLedger
import FoundationEssentials
import LedgerTestSupport
import Logging
import Testing

/// The examples of ``DownloadLedger/DownloadLedger``, its configuration and what keeps it from working.
struct OpeningExamples {
    private let stage = Stage()

    private func show(_ line: String) { stage.show(line) }
    private func show(_ fraction: Double) { stage.show(fraction) }
    private func play(_ file: URL) { stage.play(file) }

    @Test func `a ledger is opened, and one file fetched`() async throws {
        try await AppFixture.run { app in
            await app.ledger.close()
            app.serve("/lesson-1.mp4", OriginEntity.pattern(1000))
            let (directory, url) = (app.directory("ledger"), try app.url("/lesson-1.mp4"))
            let ledger = try await DownloadLedger.open(at: directory)
            let handle = try await ledger.enqueue(url)
            for await progress in handle.progress { show(progress.fraction ?? 0) }
            play(try await handle.value)
            #expect(stage.lines.suffix(2) == ["100 %", "plays lesson-1.mp4"])
            await ledger.close()
            let again = try await DownloadLedger.open(at: directory)
            #expect(try await again.localURL(for: url) != nil)
            await #expect(throws: DownloadError.self) { try await ledger.download(handle.id) }
            await again.close()
        }
    }

    @Test func `its container is moved`() async throws {
        try await AppFixture.run { app in
            let container = app.directory("container")
            var configuration = LedgerConfiguration()
            configuration.container = container
            let ledger = try await DownloadLedger.open(
                at: container.appending(path: "ledger"), configuration: configuration)
            await ledger.close()
            #expect(try app.contents(container.appending(path: "ledger/container")) != nil)
        }
    }

    @Test func `a ledger that is open already says so`() async throws {
        try await AppFixture.run { app in
            let directory = app.directory("ledger")
            var ledger = app.ledger
            do throws(DownloadError) {
                ledger = try await DownloadLedger.open(at: directory)
            } catch {
                show(error.code == "held" ? "The app is open already." : error.message)
            }
            #expect(stage.lines == ["The app is open already."] && ledger === app.ledger)
        }
    }

    @Test func `it is held as the app says`() async throws {
        try await AppFixture.run { app in
            await app.ledger.close()
            app.serve("/a", [1, 2, 3])
            let (directory, files) = (app.directory("ledger"), app.directory("elsewhere"))
            var configuration = LedgerConfiguration()
            configuration.directory = files
            configuration.retries = .fixed([.seconds(5), .seconds(15), .seconds(60)])
            configuration.runningMax = 3
            let ledger = try await DownloadLedger.open(at: directory, configuration: configuration)
            let file = try await ledger.enqueue(try app.url("/a")).value
            #expect(file == files.appending(path: "a"))
            await ledger.close()
        }
    }

    @Test func `retries, order, overflow and names are the app's choice`() async throws {
        try await AppFixture.run { app in
            await app.ledger.close()
            var configuration = LedgerConfiguration()
            configuration.retries = .exponential(base: .seconds(2), cap: .seconds(600), count: 10)
            configuration.order = .lifo
            (configuration.queuedMax, configuration.overflow) = (100, .evictOldest)
            configuration.naming = .groupAndIdentifier
            configuration.runningMax = 0
            let ledger = try await DownloadLedger.open(at: app.directory("ledger"), configuration: configuration)
            let requests = try (0...100).map { number in
                DownloadRequest(
                    try app.url("/\(number).mp3"), options: DownloadOptions(group: "radio", identifier: "e-\(number)"))
            }
            let handles = try await ledger.enqueue(requests).map { try $0.get() }
            let oldest = try await ledger.download(handles[0].id)
            #expect(oldest?.error?.code == "evicted" && oldest?.error?.category == .givenUp)
            let file = try await ledger.download(handles[100].id)?.fileURL.path(percentEncoded: false)
            #expect(file?.hasSuffix("/downloads/radio/e-100.mp3") ?? false)
            await ledger.close()
        }
    }

    @Test func `nothing is fetched while the app wants nothing fetched`() async throws {
        try await AppFixture.run { app in
            await app.ledger.close()
            app.serve("/a", [1, 2, 3])
            let (monitor, directory) = (Monitor(), app.directory("ledger"))
            monitor.isOnline = false
            var configuration = LedgerConfiguration()
            configuration.policy = { [monitor] in monitor.isOnline ? nil : .offline }
            configuration.policy = { [monitor] in
                if !monitor.isOnline { return .offline }
                return monitor.isExpensive ? .metered : nil
            }
            let ledger = try await DownloadLedger.open(at: directory, configuration: configuration)
            let handle = try await ledger.enqueue(try app.url("/a"))
            let waiting = await handle.progress.first { _ in true }
            #expect(waiting?.received == 0 && app.origin.requests.isEmpty)
            monitor.isOnline = true
            ledger.networkChanged()
            _ = try await handle.value
            await ledger.close()
        }
    }

    @Test func `the app's own log is told what happens`() async throws {
        try await AppFixture.run { app in
            await app.ledger.close()
            app.serve("/a", [1, 2, 3])
            let stage = Stage()
            let logger = Logger(label: "app") { _ in StageLog(stage: stage) }
            var configuration = LedgerConfiguration()
            configuration.verbosity = .events
            configuration.logger = logger
            let ledger = try await DownloadLedger.open(at: app.directory("ledger"), configuration: configuration)
            _ = try await ledger.enqueue(try app.url("/a")).value
            await ledger.close()
            #expect(stage.lines.contains("finished"))
        }
    }
}

/// A log that ends on the stage.
private struct StageLog: LogHandler {
    let stage: Stage
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { stage.show("\(event.message)") }
}
