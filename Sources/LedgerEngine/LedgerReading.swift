package import LedgerAPI
import LedgerCoding
import LedgerLog
package import LedgerModel
import LedgerSystem

/// Looks at a ledger without holding it: beside a running process, on a copy, on a read-only disk. Blocks.
package struct LedgerReading: Sendable {
    private let home: LedgerHome
    private let world: World
    private let isStopped: @Sendable () -> Bool

    /// A look at the ledger in `home`.
    /// - Parameter isStopped: whether nobody waits for it any more; asked once a batch, and then ``LedgerError/closed``
    ///   is thrown.
    package init(home: LedgerHome, world: World, isStopped: @escaping @Sendable () -> Bool = { false }) {
        self.home = home
        self.world = world
        self.isStopped = isStopped
    }

    /// The state as it was at a point; nil means at the end of what is durable.
    /// - Throws: ``LedgerError/pastEnd(_:last:)`` and ``LedgerError/compacted(_:through:)`` for points the log does not
    ///   reach.
    package func state(at point: LogPoint? = nil) throws(LedgerError) -> LedgerState {
        switch point {
        case nil:
            return try state(through: nil)
        case .sequence(let sequence):
            let state = try state(through: sequence)
            guard state.sequence == sequence else { throw .pastEnd(.sequence(sequence), last: state.sequence) }
            return state
        case .time(let time):
            return try state(through: try sequence(at: time))
        }
    }

    /// The last event recorded at or before an instant, by the wall clock of then. Reads the whole log.
    /// - Throws: ``LedgerError/pastEnd(_:last:)`` for an instant that is still to come: what will be recorded by then
    ///   is not known. ``LedgerError/compacted(_:through:)`` for one among events that neither the log nor the
    ///   archive holds any more: when they happened is no longer known.
    package func sequence(at time: Timestamp) throws(LedgerError) -> SequenceNumber {
        try sequence(named: time) { $0 <= time }
    }

    /// The last event recorded before an instant; as ``sequence(at:)``.
    package func sequence(before time: Timestamp) throws(LedgerError) -> SequenceNumber {
        try sequence(named: time) { $0 < time }
    }

    private func sequence(
        named time: Timestamp, where isWithin: (Timestamp) -> Bool
    ) throws(LedgerError) -> SequenceNumber {
        var reader = try reader(after: .zero, includingArchive: true)
        let (base, earlier) = (reader.baseSequence, reader.stretches.dropLast())
        let gone = LedgerError.compacted(.time(time), through: base, missing: reader.missing(of: .zero...base))
        let found = try last(in: &reader, through: SequenceNumber(.max), where: isWithin)
        if found ?? base == reader.end, time > world.clock.now() { throw .pastEnd(.time(time), last: reader.end) }
        if let found { return found }
        // Before what was dropped, the archive may tell; when what was dropped happened, nothing does.
        for stretch in earlier.reversed() {
            reader = try self.reader(after: .zero, through: stretch.upperBound, includingArchive: true)
            guard let found = try last(in: &reader, through: stretch.upperBound, where: isWithin) else { continue }
            guard found < stretch.upperBound else { throw gone }
            return found
        }
        guard (earlier.first?.lowerBound ?? base.next) == SequenceNumber(1) else { throw gone }
        return .zero
    }

    /// The last of the records up to `end` whose time is within; nil when none is. Reads them all.
    private func last(
        in reader: inout LogReader, through end: SequenceNumber, where isWithin: (Timestamp) -> Bool
    ) throws(LedgerError) -> SequenceNumber? {
        var found: SequenceNumber?
        do throws(LogError) {
            while !isStopped(), reader.end < end, let batch = try reader.next() {
                for record in batch.records where isWithin(record.time) { found = record.sequence }
            }
        } catch { throw .log(error) }
        guard !isStopped() else { throw .closed }
        return found
    }

    /// The last durable event. Reads the last segment.
    package func end() throws(LedgerError) -> SequenceNumber {
        var reader = try reader(after: SequenceNumber(.max).previous)
        do throws(LogError) { _ = try reader.next() } catch { throw .log(error) }
        return reader.end
    }

    /// The state after the event at `last`, or after the last durable one when the log ends before it.
    ///
    /// For what a compaction took out of the log, the archive is read; also when the snapshot that stands for it can
    /// not be read: the archive tells the same.
    /// - Throws: ``LedgerError/compacted(_:through:)`` when it is not at hand; ``LedgerError/log(_:)`` of a snapshot
    ///   that stands for it and is damaged, gone or of another history, where the archive does not have all of it
    ///   either.
    package func state(through last: SequenceNumber?) throws(LedgerError) -> LedgerState {
        var foreign: Set<SequenceNumber> = []
        var includesArchive = false
        // Why the snapshot that stands for what was taken out can not be folded on from.
        var trouble: LedgerError?
        while true {
            let log = try reader(after: .zero)
            // Before the first event nothing is, whatever is left of the log.
            if last == .zero { return LedgerState() }
            let isPast = includesArchive || last.map { $0 < log.baseSnapshot } ?? false
            do throws(LedgerError) {
                let whole = isPast ? try reader(after: .zero, through: last, includingArchive: true) : log
                let start = try start(atMost: last, whole, besides: foreign)
                if let state = try fold(start, through: last, includingArchive: isPast) { return state }
                // Only a compaction beside this takes out what was just there.
                guard try reader(after: .zero).generation > log.generation else { throw try missing(last, log) }
            } catch {
                guard case .log(let cause) = error, cause.isOfSnapshot else {
                    if case .compacted = error, let trouble { throw trouble }
                    throw error
                }
                if let sequence = cause.foreignSnapshotSequence, foreign.insert(sequence).inserted {
                    if sequence == log.baseSnapshot { trouble = trouble ?? error }
                    continue
                }
                guard !isPast else { throw trouble ?? error }
                trouble = trouble ?? error
                includesArchive = true
            }
        }
    }

    /// How long a snapshot is, in bytes, to be worth a thread of its own: reading it takes some milliseconds then.
    static let snapshotBytesBesideMin: UInt64 = 1 << 20

    /// Begins with the state that the newest snapshot holds, on a thread of its own; nil where that would spare
    /// nothing. It is read as beside any writer, also one that is only about to recover the log. What is in the way is
    /// met again, and told, when all is read in its turn; without a thread, all is.
    func startBeside(bytesMin: UInt64 = snapshotBytesBesideMin) -> BesideCaller<FoldStart?>? {
        // A simulation decides who touches the disk next, and counts it.
        guard world.taker == nil else { return nil }
        do {
            let log = try reader(after: .zero)
            guard try log.snapshots.newestBytes() >= bytesMin else { return nil }
            return try BesideCaller {
                do throws(LedgerError) {
                    let start = try start(atMost: nil, log)
                    // What comes before the snapshot that stands for it may be in the archive alone, or thinned.
                    return start.state.sequence < log.baseSnapshot ? nil : start
                } catch { return nil }
            }
        } catch { return nil }
    }

    /// The state at the end of what is durable, which is the event at `last`, folded on from what
    /// ``startBeside(bytesMin:)`` came to.
    /// - Parameter root: the root there, if it is known: a snapshot of there is compared with it, and nothing is read.
    /// - Throws: as ``state(at:)`` does.
    func state(
        from start: consuming FoldStart?, through last: SequenceNumber, root: TreeHash? = nil
    ) throws(LedgerError) -> LedgerState {
        if let start, start.state.sequence == last, let root, start.root == root { return start.state }
        do throws(LedgerError) {
            if let start, let state = try fold(start, through: last, includingArchive: false) { return state }
        } catch {
            // Another one is looked for, or all is folded.
            guard case .log(let cause) = error, cause.foreignSnapshotSequence != nil else { throw error }
        }
        return try state()
    }

    /// What to begin folding with: the newest snapshot that the log goes on from, but for those that are not its own.
    private func start(
        atMost last: SequenceNumber?, _ log: LogReader, besides foreign: Set<SequenceNumber> = []
    ) throws(LedgerError) -> FoldStart {
        var start = FoldStart()
        do throws(LogError) {
            let snapshot = try log.snapshots.load(atMost: last ?? SequenceNumber(.max)) { snapshot in
                // A snapshot is a cache: one that can not be read, or means something else, is folded anew.
                guard snapshot.sequence >= log.baseSequence, !foreign.contains(snapshot.sequence),
                    let image = StateSnapshot.state(of: snapshot)
                else { return false }
                start = FoldStart(state: image, root: snapshot.root)
                return true
            }
            guard snapshot == nil, log.baseSequence > .zero else { return start }
        } catch { throw .log(error) }
        throw try missing(last, log)
    }

    /// Why the state at a point can not be had: it lies before what a snapshot stands for, or that one is gone.
    private func missing(_ last: SequenceNumber?, _ log: LogReader) throws(LedgerError) -> LedgerError {
        let snapshot = log.baseSnapshot
        let snapshots: [SequenceNumber]
        do throws(LogError) { snapshots = try log.snapshots.sequences() } catch { throw .log(error) }
        guard let last, last < snapshot else {
            return .log(.missingSnapshot(snapshot, isThere: snapshots.contains(snapshot)))
        }
        let archived = try reader(after: .zero, includingArchive: true)
        // What was dropped leaves the state that it came to, where that could be had.
        let first = snapshots.first { $0 >= archived.baseSequence }
        return .compacted(.sequence(last), through: first ?? snapshot, missing: archived.missing(of: .zero...last))
    }

    /// Folds what comes after a state; nil when a compaction beside this has just taken it out of the log: a newer
    /// snapshot stands for it then.
    private func fold(
        _ start: consuming FoldStart, through last: SequenceNumber?, includingArchive: Bool
    ) throws(LedgerError) -> LedgerState? {
        let root = start.root
        var state = start.state
        let limit = last ?? SequenceNumber(.max)
        let reader = try EventReader(
            home: home, fileSystem: world.fileSystem, after: state.sequence, vouchedRoot: root,
            through: last,
            includingArchive: includingArchive)
        guard reader.baseSequence <= state.sequence else { return nil }
        do throws(LedgerError) {
            try state.foldPast(by: ThreadedMap()) { state throws(LedgerError) in
                guard state.sequence < limit else {
                    var probe = reader
                    return try probe.checkSnapshot()
                }
                try reader.readAhead { batch throws(LedgerError) in
                    guard !isStopped() else { throw LedgerError.closed }
                    let end = min(batch.last, limit)
                    if let thinned = batch.firstThinned, thinned <= end {
                        throw try missing(last, self.reader(after: .zero))
                    }
                    try batch.fold(into: &state, through: end)
                    return state.sequence < limit
                }
            }
        } catch {
            if case .log(let cause) = error, cause.code == .dropped { return nil }
            throw error
        }
        return state
    }

    private func reader(
        after sequence: SequenceNumber, through last: SequenceNumber? = nil, includingArchive: Bool = false
    ) throws(LedgerError) -> LogReader {
        do throws(LogError) {
            return try LogReader(
                home: home.path, archive: home.archive, fileSystem: world.fileSystem, after: sequence, through: last,
                includingArchive: includingArchive)
        } catch { throw .log(error) }
    }
}

/// Where folding begins: with the state that a snapshot holds, or before the first event.
struct FoldStart: Sendable {
    var state = LedgerState()
    /// The root that the snapshot vouches for after the last event of the state; nil without one.
    var root: TreeHash?
}
