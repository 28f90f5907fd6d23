import Logging
import Synchronization

/// A log that says no more once its server is asked to end: connections that are cut then are no errors.
struct EndableLog: LogHandler {
    /// Whether the server was asked to end.
    final class Switch: Sendable {
        private let isOff = Atomic(false)

        /// Nothing more is said from here on.
        func turnOff() { isOff.store(true, ordering: .relaxed) }

        fileprivate var isOn: Bool { !isOff.load(ordering: .relaxed) }
    }

    private var handler: any LogHandler
    private let end: Switch

    /// The log behind a logger.
    init(_ logger: Logger, until end: Switch) {
        handler = logger.handler
        self.end = end
    }

    var logLevel: Logger.Level {
        get { handler.logLevel }
        set { handler.logLevel = newValue }
    }

    var metadata: Logger.Metadata {
        get { handler.metadata }
        set { handler.metadata = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { handler[metadataKey: key] }
        set { handler[metadataKey: key] = newValue }
    }

    func log(event: LogEvent) {
        if end.isOn { handler.log(event: event) }
    }
}
