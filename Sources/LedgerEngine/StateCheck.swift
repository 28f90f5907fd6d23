import LedgerAPI
package import LedgerLog
package import LedgerModel

/// Folds the whole log anew and compares: with every root in it, every snapshot beside it, the state that opening it
/// would begin with, and what its holder has in memory.
package struct StateCheck: Sendable {
    /// A state to be met again by folding.
    package struct Witness: Hashable, Sendable {
        /// Who has it, as in "the snapshot at event 12".
        package let name: String
        /// The last event it has in it.
        package let sequence: SequenceNumber
        /// Its ``StateSnapshot/digest(of:)``.
        package let digest: Digest

        /// A state that someone has.
        package init(name: String, sequence: SequenceNumber, digest: Digest) {
            self.name = name
            self.sequence = sequence
            self.digest = digest
        }
    }

    /// A witness that says something else than the log.
    package struct Divergence: Sendable {
        /// Who says something else.
        package let witness: Witness
        /// The last event at which a witness agreed, or that folding began after.
        package let agreed: SequenceNumber
        /// The first event after that about a download that differs; nil when no download does, or nobody can tell.
        package fileprivate(set) var event: Recorded?
        /// The downloads that differ, by id; none when nobody can tell.
        package let downloads: [DownloadID]
    }

    /// What the check came to.
    package struct Report: Sendable {
        /// How many events were folded.
        package fileprivate(set) var events: UInt64 = 0
        /// The last event that folding began after; zero for the beginning.
        package internal(set) var base: SequenceNumber
        /// The last event.
        package fileprivate(set) var end = SequenceNumber.zero
        /// The root at ``end``.
        package fileprivate(set) var root = ""
        /// Bytes behind it that nobody was told are recorded.
        package fileprivate(set) var tailBytes: UInt64 = 0
        /// The digest of the state at ``end``.
        package fileprivate(set) var digest: Digest
        /// Who agreed, in the order they were met.
        package fileprivate(set) var agreeing: [Witness] = []
        /// The first who did not; what comes after it was not compared.
        package fileprivate(set) var divergence: Divergence?
        /// Snapshots that can not be read, by their files' names.
        package fileprivate(set) var unreadable: [String] = []
        /// Why the snapshot that stands for what was taken out of the log can not be read; nil when it can, or none has
        /// to.
        package fileprivate(set) var lost: LogError?
        /// Snapshots of another version of the program, which are not compared.
        package fileprivate(set) var foreign: [String] = []
    }

    private let home: LedgerHome
    private let world: World
    private let holder: Witness?

    /// A check of the ledger in `home`; `holder` is what whoever holds it says.
    package init(home: LedgerHome, world: World, holder: Witness? = nil) {
        self.home = home
        self.world = world
        self.holder = holder
    }

    /// Folds and compares. Blocks; takes no lock.
    /// - Parameter progress: hears of each batch: its last event and its bytes.
    /// - Throws: ``LedgerError``; a root that does not hold is ``LogError/Code/tampered``, with its events.
    package func run(progress: (SequenceNumber, Int) -> Void = { _, _ in }) throws(LedgerError) -> Report {
        var holder = holder
        while true {
            let base = try baseSnapshot()
            do throws(LedgerError) {
                let (report, end) = try pass(holder, progress)
                // A redaction beside this takes out of the log what the witnesses had when they were asked. The holder
                // is not asked again.
                guard report.divergence != nil, try isRedacted(after: min(end, holder?.sequence ?? end)) else {
                    return report
                }
                holder = nil
            } catch {
                // A compaction beside this takes out what was just there: what it left is checked.
                guard try baseSnapshot() > base else { throw error }
            }
        }
    }

    private func baseSnapshot() throws(LedgerError) -> SequenceNumber {
        do throws(LogError) {
            return try LogReader(home: home.path, fileSystem: world.fileSystem).baseSnapshot
        } catch { throw .log(error) }
    }

    /// Whether anything was redacted after an event.
    private func isRedacted(after sequence: SequenceNumber) throws(LedgerError) -> Bool {
        var reader = try EventReader(home: home, fileSystem: world.fileSystem, after: sequence)
        while let batch = try reader.next() {
            if batch.events.contains(where: { $0.event.kind == .redacted }) { return true }
        }
        return false
    }

    /// - Returns: what it came to, and the last event that there was when it began.
    private func pass(
        _ holder: Witness?, _ progress: (SequenceNumber, Int) -> Void
    ) throws(LedgerError) -> (Report, begunAt: SequenceNumber) {
        let reading = LedgerReading(home: home, world: world)
        let live = try reading.state()
        var reader = try EventReader(
            home: home, fileSystem: world.fileSystem, after: .zero, verifyingRoots: true, includingArchive: true)
        var state = try reading.start(after: reader.baseSequence)
        var report = Report(base: state.sequence, digest: StateSnapshot.digest(of: state))
        let begun = state.sequence
        var witnesses = Witnesses(try snapshots().filter { $0 > begun }, live, holder, base: reader.baseSnapshot)
        var agreed = begun
        report.divergence = try compare(state, &witnesses, agreed, &report)
        while report.divergence == nil, let batch = try reader.next() {
            if batch.isRedacted { witnesses.isRedacted = true }
            if batch.firstThinned != nil, batch.last > state.sequence, reader.baseSnapshot > state.sequence {
                // What was thinned can not be folded: a snapshot stands for it.
                state = try reading.state(at: .sequence(reader.baseSnapshot))
                witnesses.snapshots = witnesses.snapshots.drop { [folded = state.sequence] in $0 <= folded }
                (agreed, report.base, report.events) = (state.sequence, state.sequence, 0)
            }
            for (sequence, event) in batch.entries() where report.divergence == nil {
                if sequence > state.sequence { try state.take(event, at: sequence) }
                if let divergence = try compare(state, &witnesses, agreed, &report) {
                    report.divergence = try named(divergence)
                } else if report.agreeing.last?.sequence == sequence {
                    agreed = sequence
                }
            }
            let passed = max(batch.first.previous, report.base)
            report.events += batch.last.rawValue - min(passed, batch.last).rawValue
            progress(batch.last, batch.length)
        }
        report.end = state.sequence
        report.root = reader.root
        report.tailBytes = reader.tailBytes
        report.digest = StateSnapshot.digest(of: state)
        do throws(LogError) {
            report.lost = try LogReader.troubleWithBase(home: home.path, fileSystem: world.fileSystem)
        } catch { throw .log(error) }
        return (report, live.sequence)
    }

    private func snapshots() throws(LedgerError) -> [SequenceNumber] {
        do throws(LogError) { return try store().sequences() } catch { throw .log(error) }
    }

    private func store() throws(LogError) -> SnapshotStore {
        try LogReader(home: home.path, fileSystem: world.fileSystem).snapshots
    }

    /// Compares a state with everyone who has one of its sequence; the first who differs.
    private func compare(
        _ state: LedgerState, _ witnesses: inout Witnesses, _ agreed: SequenceNumber, _ report: inout Report
    ) throws(LedgerError) -> Divergence? {
        if witnesses.snapshots.first == state.sequence {
            witnesses.snapshots.removeFirst()
            let name = "the snapshot at event \(state.sequence)"
            let snapshot: Snapshot?
            do throws(LogError) { snapshot = try store().load(state.sequence) } catch { throw .log(error) }
            if let snapshot, snapshot.kind == StateSnapshot.kind, snapshot.version != LedgerState.version {
                report.foreign.append(name)
            } else if let held = snapshot.flatMap(StateSnapshot.state(of:)) {
                if let found = difference(state, held, name, agreed, witnesses, &report) { return found }
            } else if try snapshots().contains(state.sequence), state.sequence != witnesses.base {
                report.unreadable.append(name)
            }
        }
        if let live = witnesses.live, live.sequence == state.sequence {
            witnesses.live = nil
            if let found = difference(
                state, live, "the state that the ledger opens with", agreed, witnesses, &report)
            {
                return found
            }
        }
        if let holder = witnesses.holder, holder.sequence == state.sequence {
            witnesses.holder = nil
            // It tells its digest only, with figures that count what was redacted.
            if witnesses.isRedacted { return nil }
            guard holder.digest == StateSnapshot.digest(of: state) else {
                return Divergence(witness: holder, agreed: agreed, downloads: [])
            }
            report.agreeing.append(holder)
        }
        return nil
    }

    /// Compares two states of one sequence.
    private func difference(
        _ state: LedgerState, _ other: LedgerState, _ name: String, _ agreed: SequenceNumber, _ witnesses: Witnesses,
        _ report: inout Report
    ) -> Divergence? {
        let witness = Witness(name: name, sequence: other.sequence, digest: StateSnapshot.digest(of: other))
        let isEqual =
            witnesses.isRedacted
            ? state.queue.downloads == other.queue.downloads : witness.digest == StateSnapshot.digest(of: state)
        guard !isEqual else {
            report.agreeing.append(witness)
            return nil
        }
        let ids = Set(state.queue.downloads.ids).union(other.queue.downloads.ids)
        let differing = ids.filter { state.queue[$0] != other.queue[$0] }
        // A redaction that is under way, or was cut short, has not come to all of them: what it takes out is in no
        // state at the end. What the log does not tell of has to be hidden there.
        if let live = witnesses.live, !differing.isEmpty,
            differing.allSatisfy({ live.queue[$0] == nil && (state.queue[$0] != nil || witnesses.isRedacted) })
        {
            return nil
        }
        return Divergence(witness: witness, agreed: agreed, downloads: differing.sorted())
    }

    /// The divergence with the first event that it can come from.
    private func named(_ divergence: Divergence) throws(LedgerError) -> Divergence {
        let ids = Set(divergence.downloads)
        var named = divergence
        var reader = try EventReader(
            home: home, fileSystem: world.fileSystem, after: divergence.agreed, includingArchive: true)
        while !ids.isEmpty, named.event == nil, let batch = try reader.next() {
            named.event = batch.events.first { $0.id.map(ids.contains) ?? false }
            if batch.last >= divergence.witness.sequence { break }
        }
        return named
    }
}

/// Who is still to be compared.
private struct Witnesses {
    /// The sequences of snapshots, ascending.
    var snapshots: ArraySlice<SequenceNumber>
    var live: LedgerState?
    var holder: StateCheck.Witness?
    /// Whether folding passed over what was redacted: the downloads are compared then, and not the figures, which go on
    /// to count it.
    var isRedacted = false

    /// The snapshot that stands for what was taken out of the log, which is looked at by itself.
    let base: SequenceNumber

    init(_ snapshots: [SequenceNumber], _ live: LedgerState, _ holder: StateCheck.Witness?, base: SequenceNumber) {
        self.snapshots = snapshots[...]
        self.base = base
        self.live = live
        self.holder = holder
    }
}

extension LedgerReading {
    /// The state to begin folding with that is the first to be had after an event which compaction left last.
    package func start(after base: SequenceNumber) throws(LedgerError) -> LedgerState {
        if base == .zero { return LedgerState() }
        do throws(LedgerError) {
            return try state(at: .sequence(base))
        } catch {
            // The snapshot that stands for what was taken out may be of a later event.
            guard case .compacted(_, let through, _) = error, through > base else { throw error }
            return try state(at: .sequence(through))
        }
    }
}
