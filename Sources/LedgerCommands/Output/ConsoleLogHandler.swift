import Logging

/// What libraries and the server log, as lines for people on standard error.
struct ConsoleLogHandler: LogHandler {
    var logLevel: Logger.Level
    var metadata: Logger.Metadata = [:]
    private let console: Console

    /// A handler as loud as the console.
    init(_ console: Console) {
        self.console = console
        logLevel =
            switch console.loudness {
            case .quiet: .error
            case .normal: .notice
            case .verbose: .debug
            }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { console.writeError("\(event.level): \(event.message)\n") }
}
