import LedgerAPI
import LedgerCoding
import LedgerEngine
import LedgerHolder
import LedgerModel
import LedgerSystem
import LedgerViews

/// What `replay --step` does: shows one event at a time with the row that it changed, and waits for Enter in between.
struct Stepper: Sendable {
    /// Which events, and where to show them.
    let player: Player

    private var session: LedgerSession { player.session }

    /// Shows the events, and says at the end what was verified.
    func run() async throws {
        let (after, last) = try await player.bounds()
        var reader = try await player.reader(after: after, last: last)
        var state = try await before(max(after, reader.baseSequence))
        let end = try await end()
        var tally = Player.Tally()
        while reader.end < last {
            let start = reader
            let (next, batch) = try await session.blocking { () throws(LedgerError) in
                var reader = start
                let batch = try reader.next()
                return (reader, batch)
            }
            reader = next
            guard let batch else {
                tally.reachedEnd = true
                break
            }
            for (sequence, event) in batch.entries(through: last) {
                let old = event?.id.flatMap { state.queue[$0] }
                // A state that a later snapshot begins with has the events before it already.
                if sequence > state.sequence {
                    do throws(LedgerError) { try state.take(event, at: sequence) } catch { throw Problem(error) }
                }
                tally.count(sequence...sequence)
                if let event, player.filter.matches(event) {
                    tally.shown += 1
                    try show(event, old, event.id.flatMap { state.queue[$0] })
                    if sequence < min(last, end), !(try await goesOn()) { return }
                }
            }
        }
        try player.say(tally.words(reader, isFiltered: player.filter != EventFilter()))
    }

    /// The state before the first event.
    private func before(_ sequence: SequenceNumber) async throws(Problem) -> LedgerState {
        let reading = LedgerReading(home: session.home, world: session.context.world)
        return try await session.blocking { () throws(LedgerError) in try reading.start(after: sequence) }
    }

    /// The last event there is now: behind it nobody is asked to go on.
    private func end() async throws(Problem) -> SequenceNumber {
        let reading = LedgerReading(home: session.home, world: session.context.world)
        return try await session.blocking { () throws(LedgerError) in try reading.end() }
    }

    private func show(_ event: Recorded, _ old: Download?, _ new: Download?) throws {
        let row = new.map { DownloadRow($0) }
        if session.isJSON {
            guard case .object(var object) = event.json else { return }
            object["row"] = row?.json ?? .null
            return try session.console.print(JSONValue.object(object).description)
        }
        let change = RowChange(from: old, to: new)?.lines ?? []
        let still = row.map { "= \($0.id)  \($0.state.rawValue)  " + TextWidth.printable($0.title ?? $0.name) }
        let lines = change.isEmpty ? [still ?? "no row is about it"] : change
        try session.console.print([EventLine.text(event)] + lines.map { "          " + $0 })
    }

    /// Waits for Enter; false for `q`, or at the end of what is typed. On no terminal there is nobody to wait for.
    private func goesOn() async throws -> Bool {
        guard let readLine = session.context.readLine, !session.isJSON else { return true }
        session.console.writeError("-- Enter: the next, q: end -- ")
        let line = try await session.blocking { () throws(LedgerError) in
            do throws(FileError) { return try readLine() } catch { throw .file(error) }
        }
        guard let line else { return false }
        return line.lowercased() != "q"
    }
}
