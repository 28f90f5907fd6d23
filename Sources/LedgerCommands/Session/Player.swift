import LedgerAPI
import LedgerCoding
import LedgerEngine
import LedgerHolder
import LedgerModel
import LedgerSystem
import LedgerViews

/// Which events `replay` shows.
struct EventFilter: Hashable, Sendable {
    /// Of these downloads; of all when empty.
    var ids: Set<DownloadID> = []
    /// Of these types; of all when nil.
    var kinds: Set<Event.Kind>?
    /// Caused by this actor; by any when nil.
    var actor: EventActor?

    /// Whether an event is to be shown.
    func matches(_ event: Recorded) -> Bool {
        if !ids.isEmpty {
            guard let id = event.id, ids.contains(id) else { return false }
        }
        return kinds?.contains(event.event.kind) ?? true && (actor == nil || event.actor == actor)
    }
}

/// What `replay` does: reads events and shows them.
struct Player: Sendable {
    /// The ledger, and where to show them.
    let session: LedgerSession
    /// Which are shown.
    let filter: EventFilter
    /// Where to begin; at the first that the log holds when nil.
    let from: LogPoint?
    /// Where to end; at the last when nil.
    let to: LogPoint?
    /// Whether to wait for more.
    let follows: Bool

    /// How many batches are read before they are shown.
    static let batchesAtOnce = 256
    /// How long between two looks for more.
    static let pause = Duration.milliseconds(200)

    /// Shows the events, and says at the end what was verified.
    func run() async throws {
        let interruption = follows ? Interruption(session.context) {} : nil
        defer { interruption?.end() }
        let (after, last) = try await bounds()
        var reader = try await reader(after: after, last: last)
        let away = reader.away(after: after, last: last)
        var unknown = filter.ids
        var tally = Tally()
        var marks = Marks()
        let progress = try await progress(after: after, last)
        defer { progress?.finish() }
        while reader.end < last, !(interruption?.isRequested ?? false) {
            let start = reader
            let (next, batches) = try await session.blocking { () throws(LedgerError) in
                var reader = start
                var batches: [EventReader.Batch] = []
                while batches.count < Self.batchesAtOnce, reader.end < last, let batch = try reader.next() {
                    batches.append(batch)
                }
                return (reader, batches)
            }
            reader = next
            guard !batches.isEmpty else {
                tally.reachedEnd = true
                guard follows else { break }
                try await session.wait(Self.pause)
                continue
            }
            let lines = batches.flatMap(\.events).compactMap { event in
                if let id = event.id, !unknown.isEmpty { unknown.remove(id) }
                let mark = marks.mark(of: event)
                return event.sequence <= last && filter.matches(event) ? text(event, mark) : nil
            }
            for batch in batches where batch.first <= last {
                tally.count(batch.first...min(batch.last, last))
                tally.hidden += batch.hidden
                progress?.take(batch.last, bytes: batch.length)
            }
            tally.shown += UInt64(lines.count)
            try session.console.print(lines)
        }
        progress?.finish()
        try say(tally.words(reader, isFiltered: filter != EventFilter()))
        try await requireKnown(unknown)
        if !away.isEmpty, from == nil { throw Exit(code: .missing) }
    }

    /// - Throws: ``Exit`` with ``ExitCode/failed`` when there never was one of these downloads, as far as is known.
    private func requireKnown(_ ids: Set<DownloadID>) async throws {
        guard !ids.isEmpty else { return }
        let queue = try await session.state(at: nil).queue
        let strangers = ids.filter { queue[$0] == nil }
        for id in strangers.sorted() { session.report(Problem(.notFound(id))) }
        if !strangers.isEmpty { throw Exit(code: .failed) }
    }

    /// Says what was verified: the last line for people.
    func say(_ words: String) throws {
        if session.isJSON || session.console.loudness == .quiet {
            session.console.note(words)
        } else {
            try session.console.print(words)
        }
    }

    /// What was read and shown so far.
    struct Tally {
        var (read, shown, hidden) = (UInt64(0), UInt64(0), UInt64(0))
        var reachedEnd = false
        private var extent: ClosedRange<SequenceNumber>?

        mutating func count(_ events: ClosedRange<SequenceNumber>) {
            read += events.upperBound.rawValue - events.lowerBound.rawValue + 1
            extent = (extent ?? events).lowerBound...events.upperBound
        }

        /// The last line: every checksum, chain and root of what it names held. It names no extent when that is the
        /// whole log.
        func words(_ reader: EventReader, isFiltered: Bool) -> String {
            var words = "verified: \(Figures.counted(read, "event"))"
            if let extent, !reachedEnd || extent.lowerBound > SequenceNumber.zero.next {
                words += ", \(extent.lowerBound) to \(extent.upperBound)"
            }
            words += ", root \(reader.root)"
            if reachedEnd {
                words += ", unacknowledged tail \(Figures.counted(reader.tailBytes, "byte"))"
            } else {
                words += " after event \(reader.end)"
            }
            if hidden > 0 { words += ", content of \(Figures.count(hidden)) taken out" }
            return isFiltered ? words + ", shown \(Figures.count(shown)) of \(Figures.count(read))" : words
        }
    }

    /// What tells how far it is; nil where the events themselves do, on a terminal, and where there is no end.
    private func progress(after: SequenceNumber, _ last: SequenceNumber) async throws(Problem) -> ReadingProgress? {
        guard !follows, session.console.outputColumns == nil else { return nil }
        let reading = LedgerReading(home: session.home, world: session.context.world)
        let end = try await session.blocking { () throws(LedgerError) in try reading.end() }
        return ReadingProgress(session, after: after, through: min(end, last))
    }

    private func text(_ event: Recorded, _ mark: String) -> String {
        session.isJSON ? event.json.description : EventLine.text(event) + mark
    }

    /// Which downloads check no certificate, as far as was read: every line about one says so.
    private struct Marks {
        private var insecure: Set<DownloadID> = []

        /// What a line about an event ends in.
        mutating func mark(of event: Recorded) -> String {
            guard let id = event.id else { return "" }
            switch event.event {
            case .enqueued(let order, _, _), .changed(let order):
                if order.options.value.isInsecure { insecure.insert(id) } else { insecure.remove(id) }
            default: break
            }
            return insecure.contains(id) ? " " + ProgressLine.insecure : ""
        }
    }

    /// A reader that begins after an event, and reaches back as far as was asked.
    func reader(after: SequenceNumber, last: SequenceNumber) async throws(Problem) -> EventReader {
        let (home, fileSystem) = (session.home, session.context.world.fileSystem)
        let reader = try await session.blocking { () throws(LedgerError) in
            try EventReader(
                home: home, fileSystem: fileSystem, after: after, through: last, verifyingRoots: true,
                includingArchive: true)
        }
        let base = reader.baseSequence
        guard base > .zero else { return reader }
        let earlier = reader.stretches.last { $0.upperBound < base }
        if let earlier, after < base {
            let (first, last) = (earlier.lowerBound, earlier.upperBound)
            session.console.note("events \(first) to \(last) are in the archive: '--to \(last)' shows them")
        }
        if from != nil, after < base {
            // The first that is asked for and not there.
            let first = earlier.flatMap { $0.contains(after.next) ? $0.upperBound.next : nil } ?? after.next
            let away = reader.missing(of: first...max(first, min(last, base)))
            throw Problem(LedgerError.compacted(.sequence(first), through: base, missing: away))
        }
        if last > .zero, last <= base {
            let away = reader.missing(of: min(after.next, last)...last)
            throw Problem(LedgerError.compacted(.sequence(last), through: base, missing: away))
        }
        if from == nil {
            let away = Problem.words(away: reader.away(after: after, last: last))
            session.console.note("the log begins after event \(base): what came before was compacted" + away)
        }
        return reader
    }

    /// The event before the first to be read, and the last. A follower may begin with the event that comes next.
    func bounds() async throws(Problem) -> (after: SequenceNumber, last: SequenceNumber) {
        let reading = LedgerReading(home: session.home, world: session.context.world)
        let (from, to, follows) = (from, to, follows)
        return try await session.blocking { () throws(LedgerError) in
            let end = try reading.end()
            let after: SequenceNumber =
                switch from {
                case nil, .sequence(.zero)?: .zero
                case .sequence(let sequence)?: sequence.previous
                case .time(let time)?: try reading.sequence(before: time)
                }
            let last: SequenceNumber =
                switch to {
                case nil: SequenceNumber(.max)
                case .sequence(let sequence)?: sequence
                case .time(let time)?: try reading.sequence(at: time)
                }
            if case .sequence(let sequence)? = from, sequence > (follows ? end.next : end) {
                throw .pastEnd(.sequence(sequence), last: end)
            }
            if case .sequence(let sequence)? = to, sequence > end { throw .pastEnd(.sequence(sequence), last: end) }
            return (after, last)
        }
    }
}

extension EventReader {
    /// The files of the archive that are away and hold what was asked for before the first event that can be read.
    fileprivate func away(after: SequenceNumber, last: SequenceNumber) -> [String] {
        let end = min(last, baseSequence)
        return after < end ? missing(of: after.next...end) : []
    }
}
