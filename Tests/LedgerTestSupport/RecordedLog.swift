package import Logging
import Synchronization

/// A log that keeps what it is told, each line as its level and its message.
package final class RecordedLog: Sendable {
    private struct Handler: LogHandler {
        let log: RecordedLog
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        init(_ log: RecordedLog) { self.log = log }

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) { log.told.withLock { $0.append("\(event.level) \(event.message)") } }
    }

    private let told = Mutex<[String]>([])

    /// A log that was told nothing yet.
    package init() {}

    /// What it was told until now.
    package var lines: [String] { told.withLock { $0 } }

    /// What tells it, of whatever level.
    package var logger: Logger { Logger(label: "test") { _ in Handler(self) } }
}
