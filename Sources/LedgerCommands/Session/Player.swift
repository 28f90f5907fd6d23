import LedgerAPI
import LedgerCoding
import LedgerEngine
import LedgerModel
import LedgerSystem

/// Which events `replay` shows.
struct EventFilter: Hashable, Sendable {
    /// Of these downloads; of all when empty.
    var ids: Set<DownloadID> = []
    /// Of these types; of all when nil.
    var kinds: Set<Event.Kind>?
    /// Caused by this actor; by any when nil.
    var actor: EventActor?

    /// Whether an event is to be shown.
    func matches(_ event: Recorded<Event>) -> Bool {
        if !ids.isEmpty {
            guard let subject = event.subject, ids.contains(subject) else { return false }
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

    /// Shows the events.
    func run() async throws {
        let (after, last) = try await bounds()
        let (home, fileSystem) = (session.home, session.context.world.fileSystem)
        var reader = try await session.blocking { () throws(LedgerError) in
            try EventReader(home: home, fileSystem: fileSystem, after: after)
        }
        var (read, shown, seen) = (0, 0, after)
        while seen < last {
            let start = reader
            let (next, batches) = try await session.blocking { () throws(LedgerError) in
                var reader = start
                var batches: [EventReader.Batch] = []
                while batches.count < Self.batchesAtOnce, let batch = try reader.next() { batches.append(batch) }
                return (reader, batches)
            }
            reader = next
            guard let end = batches.last?.last else {
                guard follows else { break }
                try await session.wait(Self.pause)
                continue
            }
            seen = end
            let events = batches.flatMap(\.events).filter { $0.sequence <= last }
            let lines = events.filter(filter.matches).map(text)
            read += events.count
            shown += lines.count
            try session.console.print(lines)
        }
        let part = shown == read ? "" : ", shown \(Figures.count(UInt64(shown))) of \(Figures.count(UInt64(read)))"
        session.console.note("verified: \(Figures.count(UInt64(read))) events, up to \(min(seen, last))\(part)")
    }

    private func text(_ event: Recorded<Event>) -> String {
        session.isJSON ? event.json.description : EventLine.text(event)
    }

    /// The event before the first to be read, and the last.
    private func bounds() async throws(Problem) -> (after: SequenceNumber, last: SequenceNumber) {
        let reading = LedgerReading(home: session.home, world: session.context.world)
        let (from, to) = (from, to)
        return try await session.blocking { () throws(LedgerError) in
            let after: SequenceNumber =
                switch from {
                case nil, .sequence(.zero)?: .zero
                case .sequence(let sequence)?: sequence.previous
                case .time(let time)?: try reading.sequence(at: time.advanced(by: .milliseconds(-1)))
                }
            let last: SequenceNumber =
                switch to {
                case nil: SequenceNumber(.max)
                case .sequence(let sequence)?: sequence
                case .time(let time)?: try reading.sequence(at: time)
                }
            return (after, last)
        }
    }
}
