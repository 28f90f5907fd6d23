import Logging

/// What libraries and the server log, as lines for people on standard error.
struct ConsoleLogHandler: LogHandler {
    var logLevel: Logger.Level
    var metadata: Logger.Metadata = [:]
    private let console: Console

    /// A handler as loud as the console.
    init(_ console: Console) {
        self.console = console
        logLevel = console.loudness.level
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { console.writeError("\(event.level): \(event.message)\n") }

    /// The log of a console: that of a service if there is one, else lines for people.
    static func logger(for console: Console) -> Logger {
        console.log ?? Logger(label: "ledger") { _ in ConsoleLogHandler(console) }
    }
}
