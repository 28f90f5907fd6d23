import HTTPTypes
import Hummingbird
import LedgerAPI
import LedgerCoding
import LedgerEngine
import LedgerHolder
import LedgerLog
import LedgerModel
import LedgerSystem
import LedgerViews
import NIOCore

/// What happened, and what was the case at any point.
struct History: Sendable {
    let backend: Backend

    /// The most events of one answer.
    static let eventsMax = 10_000
    /// The events of an answer when nothing is said.
    static let eventsDefault = 1_000
    /// The most changes of one `diff`.
    static let changesMax = 1_000

    /// The routes.
    var routes: [Route] {
        [
            Route(.get, "/v1/events", .read, events), Route(.get, "/v1/log", .read, log),
            Route(.get, "/v1/state", .read, state), Route(.get, "/v1/diff", .read, diff),
            Route(.get, "/v1/stats", .read, stats), Route(.get, "/v1/downloads/{id}/explain", .read, explain),
        ]
    }

    /// Newline-delimited JSON, an event a line.
    private func events(_ call: Call) async throws -> Response {
        let query = call.query
        try query.require(only: ["after", "limit", "id", "type"])
        let after: UInt64 = try query.number("after", 0...UInt64(Int64.max)) ?? 0
        let limit = try query.number("limit", 1...Self.eventsMax) ?? Self.eventsDefault
        let id: UInt64? = try query.number("id", 1...UInt64(Int64.max))
        let kinds = try query["type"].map { text in
            try text.split(separator: ",", omittingEmptySubsequences: false).map { word in
                guard let kind = Event.Kind.allCases.first(where: { $0.name == word }) else {
                    throw Refusal.badRequest("'\(Problem.presentable(String(word)))' is no type of an event")
                }
                return kind
            }
        }
        let last = backend.service.ledger.lastSequence
        var (found, seen) = ([Recorded](), SequenceNumber(after))
        var batches = backend.service.ledger.events(after: seen).makeAsyncIterator()
        do throws(LedgerError) {
            while found.count < limit, seen < last, let batch = try await batches.next() {
                for event in batch where found.count < limit {
                    seen = event.sequence
                    if let id, event.id?.rawValue != id { continue }
                    if let kinds, !kinds.contains(event.event.kind) { continue }
                    found.append(event)
                }
            }
            // What was found until the server was stopped is not all there is.
            guard !Task.isCancelled else { throw .closed }
        } catch { throw Problem(error) }
        let lines = found.map { "\(Frames.json($0))\n" }.joined()
        return .text(lines, type: "application/x-ndjson")
    }

    private func log(_ call: Call) async throws -> Response {
        try call.query.require(only: [])
        let facts = try await backend.look { home, world, _ throws(LedgerError) in try LogFacts(home, world) }
        return .json(facts.json(identity: backend.service.ledger.identity))
    }

    private func state(_ call: Call) async throws -> Response {
        let query = call.query
        try query.require(only: ["at", "parts", "limit"])
        let parts: [StateView.Part] = query["parts"] == nil ? [.queue, .catalog] : try query.list("parts")
        let limit = try query.number("limit", 0...Downloads.pageRowsMax) ?? 200
        let point: LogPoint? = try query.value("at")
        let state =
            if let point { try await backend.state(at: point) } else { try await backend.service.read { $0 } }
        let view = StateView(state: state, rows: backend.rows, service: point == nil ? backend.service : nil)
        return .json(.object(view.json(parts, rowsMax: limit)))
    }

    private func diff(_ call: Call) async throws -> Response {
        let query = call.query
        try query.require(only: ["from", "to"])
        guard let from: LogPoint = try query.value("from"), let to: LogPoint = try query.value("to") else {
            throw Refusal.badRequest("'from' and 'to' are needed", next: "numbers of events, or times")
        }
        let (old, new) = (try await backend.state(at: from), try await backend.state(at: to))
        // One more tells whether there are more.
        let changes = Array(RowChange.between(old.queue, new.queue).prefix(Self.changesMax + 1))
        let list = changes.prefix(Self.changesMax).map { change -> JSONValue in
            guard case .object(var object) = change.json else { return change.json }
            object["name"] = .string(change.row.title ?? change.row.name)
            return .object(object)
        }
        return .json([
            "from": JSONValue(old.sequence.rawValue), "to": JSONValue(new.sequence.rawValue),
            "changes": .array(list), "more": .bool(changes.count > Self.changesMax),
        ])
    }

    private func stats(_ call: Call) async throws -> Response {
        let query = call.query
        try query.require(only: ["by", "at"])
        let dimensions: [StatsReport.Dimension] = try query.list("by")
        let point: LogPoint? = try query.value("at")
        let state =
            if let point { try await backend.state(at: point) } else { try await backend.service.read { $0 } }
        let last = state.sequence
        let tally = try await backend.look { home, world, isStopped throws(LedgerError) in
            try AttemptTally(home: home, world: world, through: last, isStopped: isStopped)
        }
        let report = StatsReport(
            state, .init(byDownload: tally.byDownload, byDay: tally.byDay),
            by: dimensions.isEmpty ? [.group, .host, .day] : dimensions)
        return .json(["rows": .array(StatsView(report, reasonsAfter: tally.base).json)])
    }

    private func explain(_ call: Call) async throws -> Response {
        let id = try call.download()
        try call.query.require(only: [])
        let story = try await backend.look { home, world, isStopped throws(LedgerError) in
            try Story.read(id, home: home, world: world, isStopped: isStopped)
        }
        guard let story else { throw Problem(.notFound(id)) }
        return .json([
            "id": JSONValue(id.rawValue), "lines": .array(Explanation(story).events),
            "ending": JSONValue(Ending(story).words),
        ])
    }
}
