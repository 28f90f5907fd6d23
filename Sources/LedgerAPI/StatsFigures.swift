package import LedgerModel

/// Figures of some downloads together: of a host, a group, a day, a state, or of all.
package struct StatsFigures: Hashable, Sendable {
    /// How many there are in each state; those that are in none are left out.
    package private(set) var states: [DownloadState: UInt64] = [:]
    /// Files that were completed, whatever became of them since.
    package var completed: UInt64 = 0
    /// Bytes of those files.
    package var bytes: UInt64 = 0
    /// Attempts that failed.
    package var failures: UInt64 = 0
    /// Attempts that were made again after one that failed.
    package var retries: UInt64 = 0
    /// How often each reason ended an attempt, as far as the log reaches back.
    package var reasons: [Failure.Code: UInt64] = [:]
    /// Downloads that brought their file.
    package private(set) var succeeded: UInt64 = 0
    /// Downloads that were given up.
    package private(set) var givenUp: UInt64 = 0
    /// The bytes that ``rate`` is about.
    private var timedBytes: UInt64 = 0
    /// The milliseconds that they took.
    private var timedMilliseconds: UInt64 = 0

    /// The time below which a rate tells nothing, in milliseconds.
    package static let timedMillisecondsMin: UInt64 = 1000

    /// Figures of nothing.
    package init() {}

    /// How many downloads there are.
    package var downloads: UInt64 { states.values.reduce(0, +) }

    /// Bytes a second of the completed files, each from the origin's first answer to its final name, pauses included;
    /// nil when all of it took less than ``timedMillisecondsMin``.
    package var rate: UInt64? {
        guard timedMilliseconds >= Self.timedMillisecondsMin else { return nil }
        return UInt64(min(Double(timedBytes) / Double(timedMilliseconds) * 1000, Double(Int64.max)))
    }

    /// The share of those that brought their file among all that did or were given up, 0 to 1; nil when there is none.
    /// Of a day, among the downloads that were asked for on it.
    package var success: Double? {
        succeeded + givenUp == 0 ? nil : Double(succeeded) / Double(succeeded + givenUp)
    }
}

extension StatsFigures {
    /// Takes a download into account.
    mutating func take(_ download: Download, _ reasons: [Failure.Code: UInt64]) {
        takeState(of: download)
        takeTime(of: download)
        if download.completedAt != nil {
            completed += 1
            bytes &+= download.shownLength ?? 0
        }
        failures += UInt64(download.failuresTotal)
        self.reasons.merge(reasons) { $0 + $1 }
        let isLast = download.phase == .failed && download.failure?.value.endsAttempt ?? false
        retries += UInt64(download.failuresTotal) - (isLast && download.failuresTotal > 0 ? 1 : 0)
    }

    /// Counts a download by its state, and by whether it succeeded.
    mutating func takeState(of download: Download) {
        states[DownloadState(download.phase, isRunning: false), default: 0] += 1
        if download.completedAt != nil {
            succeeded += 1
        } else if download.phase == .failed {
            givenUp += 1
        }
    }

    /// Counts what the file of a completed download took.
    mutating func takeTime(of download: Download) {
        guard let file = download.shownFile, let start = download.startedAt, let end = download.completedAt,
            start < end
        else { return }
        timedBytes &+= file.length
        timedMilliseconds &+= UInt64(bitPattern: end.milliseconds &- start.milliseconds)
    }

    /// Takes what happened on a day into account.
    mutating func take(_ day: Statistics.Figures, _ reasons: [Failure.Code: UInt64]) {
        completed += day.completed
        bytes &+= day.bytes
        failures += day.failures
        self.reasons.merge(reasons) { $0 + $1 }
    }
}
