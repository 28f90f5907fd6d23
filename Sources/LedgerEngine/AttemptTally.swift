package import LedgerModel

/// The attempts that failed, by reason, as the events say: the state keeps only the last reason of each download.
package struct AttemptTally: Sendable {
    /// How often each reason ended an attempt.
    package typealias Reasons = [Failure.Code: UInt64]

    /// By download.
    package private(set) var byDownload: [DownloadID: Reasons] = [:]
    /// By day: days since 1970-01-01 in UTC.
    package private(set) var byDay: [Int32: Reasons] = [:]
    /// The last event that could not be read; zero when all could. What failed before it is not counted here.
    package let base: SequenceNumber

    /// Counts what failed up to an event. Reads the log from its beginning, or from where a compaction left it; blocks,
    /// and takes no lock.
    /// - Parameter isStopped: whether nobody waits for it any more; asked once a batch, and then ``LedgerError/closed``
    ///   is thrown.
    package init(
        home: LedgerHome, world: World, through last: SequenceNumber, isStopped: () -> Bool = { false }
    ) throws(LedgerError) {
        var reader = try EventReader(
            home: home, fileSystem: world.fileSystem, after: .zero, through: last, includingArchive: true)
        base = reader.baseSequence
        while reader.end < last, let batch = try reader.next() {
            guard !isStopped() else { throw .closed }
            for event in batch.events where event.sequence <= last { count(event) }
        }
    }

    private mutating func count(_ event: Recorded) {
        guard case .failed(let failure, _) = event.event, failure.endsAttempt, let id = event.id else { return }
        byDownload[id, default: [:]][failure.code, default: 0] += 1
        byDay[event.time.day, default: [:]][failure.code, default: 0] += 1
    }
}
