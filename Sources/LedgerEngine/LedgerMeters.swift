import CoreMetrics
import LedgerModel
import LedgerSystem

/// What the ledger counts of its own work, through swift-metrics: nothing of it is recorded in the log.
struct LedgerMeters: Sendable {
    /// How long a commit took, its sync included.
    private let commits: Timer
    /// How many events shared a commit.
    private let batches: Recorder
    /// Events that became durable, of each kind.
    private let events: [Event.Kind: Counter]
    /// Attempts that failed and are made again.
    private let retries: Counter
    /// The bytes of all segments.
    private let log: Recorder
    /// How long opening took: the lock, recovery and the fold.
    private let replay: Recorder

    /// Meters of a factory.
    init(_ factory: any MetricsFactory) {
        commits = Timer(label: "ledger_commit_seconds", dimensions: [], factory: factory)
        batches = Recorder(label: "ledger_commit_events", dimensions: [], aggregate: true, factory: factory)
        events = Dictionary(
            uniqueKeysWithValues: Event.Kind.allCases.map { kind in
                (kind, Counter(label: "ledger_events_total", dimensions: [("type", kind.name)], factory: factory))
            })
        retries = Counter(label: "ledger_retries_total", dimensions: [], factory: factory)
        log = Recorder(label: "ledger_log_bytes", dimensions: [], aggregate: false, factory: factory)
        replay = Recorder(label: "ledger_replay_seconds", dimensions: [], aggregate: false, factory: factory)
    }

    /// Counts a batch that is durable.
    func commit(_ batch: [Recorded], took duration: Duration, logBytes: UInt64) {
        let (seconds, attoseconds) = duration.components
        commits.recordNanoseconds(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
        batches.record(Int64(batch.count))
        log.record(Int64(clamping: logBytes))
        for event in batch {
            events[event.event.kind]?.increment()
            if case .failed(_, _?) = event.event { retries.increment() }
        }
    }

    /// Counts an opening.
    func open(took duration: Duration, logBytes: UInt64) {
        replay.record(duration / .seconds(1))
        log.record(Int64(clamping: logBytes))
    }
}
