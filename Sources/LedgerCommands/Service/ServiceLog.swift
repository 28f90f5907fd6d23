import LedgerModel
import LedgerSystem
import LedgerViews
import Logging

/// Where a service's words go when they are not for a person who looks on: lines with how much each matters.
struct ServiceLog: LogHandler {
    /// How a line is written down.
    enum Place: Sendable {
        /// Standard error, which the journal of systemd reads: `<4>words`, as sd-daemon(3) has it.
        case journal
        /// A file: time, level and words. ``AppendedFile/reopen()`` lets it be rotated.
        case file(AppendedFile)
        /// Standard error, for whoever reads that: the words alone.
        case plain
    }

    var logLevel: Logger.Level
    var metadata: Logger.Metadata = [:]
    private let place: Place
    private let clock: any LedgerClock
    private let writeError: @Sendable (String) -> Void

    /// A log in this place.
    /// - Parameter writeError: writes to standard error, where a line also goes that the file does not take.
    init(
        _ place: Place, _ level: Logger.Level, clock: any LedgerClock,
        writeError: @escaping @Sendable (String) -> Void
    ) {
        self.place = place
        logLevel = level
        self.clock = clock
        self.writeError = writeError
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let all = metadata.merging(event.metadata ?? [:]) { $1 }
        let facts = all.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
        let cause = event.error.map { ": \($0)" } ?? ""
        let words = Self.line(event.message.description + cause + facts)
        switch place {
        case .journal: writeError("<\(event.level.priority)>\(words)\n")
        case .plain: writeError((event.level == .warning ? "warning: " : "") + words + "\n")
        case .file(let file):
            let line = "\(clock.now().rfc3339) \(event.level.rawValue) \(words)\n"
            do throws(FileError) { try file.append(line) } catch {
                writeError("error: '\(file.path)' takes no line (\(error.errno)): \(words)\n")
            }
        }
    }

    /// What is said, in one line, which nothing in it can end, and without what opens doors.
    static func line(_ words: String) -> String {
        let lines = words.split(whereSeparator: \.isNewline).map { $0.trimmingSpace() }
        return TextWidth.printable(Redaction.redacted(lines.joined(separator: "; ")))
    }
}

extension Logger.Level {
    /// The priority by which sd-daemon(3) and syslog(3) know it, 7 (least) to 2.
    fileprivate var priority: Int {
        switch self {
        case .trace, .debug: 7
        case .info: 6
        case .notice: 5
        case .warning: 4
        case .error: 3
        case .critical: 2
        }
    }
}
