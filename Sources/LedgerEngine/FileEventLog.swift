import LedgerCoding
import LedgerLog
import LedgerMigrations
import LedgerModel
import LedgerSystem

/// The log of events on disk: what the engine asks of a log, and no more.
///
/// Fold from a sequence, append a batch at the next one, drop below a snapshot. A log shared by many machines would
/// offer the same verbs.
struct FileEventLog: ~Copyable {
    private var log: WriteAheadLog
    private let milestones: Milestones
    private var encoder = EventEncoder(payloadBytesMax: LogBounds.payloadBytesMax)
    /// Room for those of the events that are staged now.
    private var records: [LogRecord] = []
    /// For how many records room is kept for the next.
    private static let recordsKeptMax = 64

    /// Takes the lock, creates the log when there is none, and recovers it.
    /// - Parameter whenHeld: is called between the lock and the recovery.
    static func open(
        _ home: LedgerHome, _ world: World, _ milestones: Milestones = Ledger.milestones,
        _ configuration: LogConfiguration = LogConfiguration(), whenHeld: () -> Void = {}
    ) throws(LedgerError) -> FileEventLog {
        do throws(LogError) {
            let log = try WriteAheadLog.open(
                at: home.path, fileSystem: world.fileSystem, configuration: configuration, random: world.random,
                whenHeld: whenHeld)
            return FileEventLog(log: log, milestones: milestones)
        } catch { throw .log(error) }
    }

    private init(log: consuming WriteAheadLog, milestones: Milestones) {
        self.log = log
        self.milestones = milestones
    }

    /// The ledger's identity, in hexadecimal.
    var identity: String { log.identity.description }
    /// What opening found and mended.
    var recovery: RecoveryReport { log.recovery }
    /// The last durable event.
    var lastSequence: SequenceNumber { log.lastSequence }
    /// The tree's root at the last durable event.
    var root: TreeHash { log.root }
    /// The size and the root of what is durable.
    var checkpoint: Checkpoint {
        Checkpoint(
            identity: log.identity, head: TreeHead(size: log.lastSequence.rawValue, root: log.root))
    }
    /// Bytes of all segments.
    var byteCount: UInt64 { log.byteCount }
    /// The sequence of the snapshot that stands for what was compacted; zero when nothing was.
    var baseSnapshot: SequenceNumber { log.baseSnapshot }
    /// Whether the log can be used on, after a failure too: it only lacked room.
    var isUsable: Bool { log.failure == nil }
    /// Whether what is staged should be committed before more is staged.
    var isBatchFull: Bool { log.stagedBytes >= LogBounds.batchBytesMax }

    /// Adds events to the next batch; in memory only. All of them, or none.
    /// - Throws: ``CodingError``: what of one a record can not hold.
    mutating func stage(_ events: [Recorded]) throws(CodingError) {
        defer { records.removeAll(keepingCapacity: events.count < Self.recordsKeptMax) }
        for event in events {
            let encoded = try encoder.encode(event)
            records.append(
                LogRecord(type: encoded.type, version: encoded.version, time: event.time, payload: encoded.payload))
        }
        for (record, event) in zip(records, events) {
            let sequence = log.stage(record)
            precondition(sequence == event.sequence, "the log and the queue count alike")
        }
    }

    /// Adds a record to the next batch that means nothing and that every program skips.
    mutating func stageGap(at time: Timestamp) {
        _ = log.stage(LogRecord(type: EventCoding.gapType, version: 1, time: time, payload: []))
    }

    /// Makes everything staged durable. After an error the log must not be used again.
    mutating func commit(at now: Timestamp) throws(LedgerError) {
        do throws(LogError) { try log.commit(at: now) } catch { throw .log(error) }
    }

    /// Whether there is something to prepare behind the commits.
    func isPreparationDue(at now: Timestamp) -> Bool { log.isPreparationDue(at: now) }

    /// How long until the head is due, if no more is committed; nil when it says all there is.
    func headDelay(at now: Timestamp) -> Duration? { log.headDelay(at: now) }

    /// Does one piece of what no commit has to wait for. After an error the log must not be used again.
    mutating func prepare(at now: Timestamp) throws(LedgerError) {
        do throws(LogError) { try log.prepare(at: now) } catch { throw .log(error) }
    }

    /// Saves a snapshot when there is much to fold without it, notes how far the log goes, and gives back the lock.
    mutating func close(_ state: LedgerState) throws(LedgerError) {
        do throws(LogError) {
            do throws(LogError) { try saveIfMuch(state) } catch {
                // A cache: without room for it, or too large, there is none. What follows needs no room, and without it
                // the next opening would take this for a crash, which does.
                guard error.code == .full || error.code == .tooLarge else { throw error }
            }
            try log.close()
        } catch { throw .log(error) }
    }

    private mutating func saveIfMuch(_ state: LedgerState) throws(LogError) {
        let last = try log.snapshots.sequences().last ?? .zero
        guard state.sequence.rawValue - min(last.rawValue, state.sequence.rawValue) > Ledger.snapshotLagEventsMax
        else { return }
        try save(state)
        // As behind any snapshot: the log can go on from here, whatever becomes of what is before.
        try rotate()
        try pruneSnapshots(keeping: Ledger.snapshotsMax)
    }

    /// The sequence of the newest snapshot; zero when there is none.
    func lastSnapshot() throws(LedgerError) -> SequenceNumber {
        do throws(LogError) { return try log.snapshots.sequences().last ?? .zero } catch { throw .log(error) }
    }

    /// Saves a snapshot of the durable state.
    mutating func save(_ state: LedgerState) throws(LogError) {
        try log.saveSnapshot(StateSnapshot.snapshot(of: state, root: log.root))
    }

    /// Removes all snapshots but the newest, the one that stands for what left the log, and the milestones.
    mutating func pruneSnapshots(keeping count: Int) throws(LogError) {
        try log.pruneSnapshots(keeping: count, milestones: milestones)
    }

    /// Seals the segment that is written, so that everything up to here can leave the log.
    mutating func rotate() throws(LogError) { try log.rotate() }

    /// What a compaction takes out: finished segments up to `last`, and recorded before `cutoff` where there is one.
    func compaction(
        through last: SequenceNumber, before cutoff: Timestamp?, archiving: Bool
    ) throws(LogError) -> Compaction {
        try log.compaction(through: last, before: cutoff, archiving: archiving)
    }

    /// The latest time of an event in the segment that is not finished; nil without one.
    var unfinishedTime: Timestamp? { log.unfinishedTime }

    /// The finished segments in the log.
    var finished: [Manifest.Entry] { log.finished }

    /// Does what a compaction prepared.
    mutating func finish(_ compaction: Compaction, snapshot: SequenceNumber) throws(LogError) {
        try log.finish(compaction, snapshot: snapshot)
    }

    /// Before anything is written by its name: files of the home may be another ledger's by now.
    mutating func requireInPlace() throws(LogError) { try log.check() }

    /// Gives up the space that is kept for a compaction on a full disk; false when there was none.
    mutating func releaseBallast() throws(LogError) -> Bool { try log.releaseBallast() }

    /// The snapshots of this ledger.
    var snapshots: SnapshotStore { log.snapshots }
}
