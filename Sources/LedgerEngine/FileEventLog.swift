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

    /// Takes the lock, creates the log when there is none, and recovers it.
    static func open(_ home: LedgerHome, _ world: World) throws(LedgerError) -> FileEventLog {
        do throws(LogError) {
            return FileEventLog(
                log: try WriteAheadLog.open(at: home.path, fileSystem: world.fileSystem, random: world.random))
        } catch { throw .log(error) }
    }

    private init(log: consuming WriteAheadLog) { self.log = log }

    /// The ledger's identity, in hexadecimal.
    var identity: String { log.identity.description }
    /// What opening found and mended.
    var recovery: RecoveryReport { log.recovery }
    /// The last durable event.
    var lastSequence: SequenceNumber { log.lastSequence }
    /// The tree's root at the last durable event.
    var root: TreeHash { log.root }
    /// Bytes of all segments.
    var byteCount: UInt64 { log.byteCount }
    /// Whether what is staged should be committed before more is staged.
    var isBatchFull: Bool { log.stagedBytes >= LogBounds.batchBytesMax }

    /// Adds an event to the next batch; in memory only.
    mutating func stage(_ event: Recorded<Event>) {
        let encoded = EventCoding.encode(
            id: event.id, command: event.command, actor: event.actor, event: event.event)
        let sequence = log.stage(
            LogRecord(type: encoded.type, version: encoded.version, time: event.time, payload: encoded.payload))
        precondition(sequence == event.sequence, "the log and the queue count alike")
    }

    /// Makes everything staged durable. After an error the log must not be used again.
    mutating func commit(at now: Timestamp) throws(LedgerError) {
        do throws(LogError) { try log.commit(at: now) } catch { throw .log(error) }
    }

    /// Whether there is something to prepare behind the commits.
    func isPreparationDue(at now: Timestamp) -> Bool { log.isPreparationDue(at: now) }

    /// Does one piece of what no commit has to wait for. After an error the log must not be used again.
    mutating func prepare(at now: Timestamp) throws(LedgerError) {
        do throws(LogError) { try log.prepare(at: now) } catch { throw .log(error) }
    }

    /// Saves a snapshot when there is much to fold without it, notes how far the log goes, and gives back the lock.
    mutating func close(_ state: LedgerState) throws(LedgerError) {
        do throws(LogError) {
            let last = try log.snapshots.sequences().last ?? .zero
            if state.sequence.rawValue - min(last.rawValue, state.sequence.rawValue) > Ledger.snapshotLagEventsMax {
                try save(state)
                try log.pruneSnapshots(keeping: Ledger.snapshotsMax)
            }
            try log.close()
        } catch { throw .log(error) }
    }

    /// Saves a snapshot of the durable state.
    mutating func save(_ state: LedgerState) throws(LogError) {
        try log.saveSnapshot(StateSnapshot.snapshot(of: state, root: log.root))
    }

    /// Removes all snapshots but the newest and the one that stands for what left the log.
    mutating func pruneSnapshots(keeping count: Int) throws(LogError) { try log.pruneSnapshots(keeping: count) }

    /// Seals the segment that is written, so that everything up to here can leave the log.
    mutating func rotate() throws(LogError) { try log.rotate() }

    /// What would leave the log with everything up to `last`.
    func droppable(through last: SequenceNumber) throws(LogError) -> Droppable? { try log.droppable(through: last) }

    /// Takes sealed segments up to `last` out of the log; a snapshot of `state` stands for them.
    mutating func drop(through last: SequenceNumber, archiving: Bool, snapshot: SequenceNumber) throws(LogError) {
        _ = try log.drop(through: last, archiving: archiving, snapshot: snapshot)
    }
}
