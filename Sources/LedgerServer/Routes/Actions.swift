import HTTPTypes
import Hummingbird
import LedgerAPI
import LedgerCoding
import LedgerHolder
import LedgerModel
import LedgerViews

/// What users do to downloads: one, many, or all that match.
struct Actions: Sendable {
    let backend: Backend

    /// The routes.
    var routes: [Route] {
        let plain: [(String, Action)] = [
            ("pause", .pause), ("resume", .resume), ("cancel", .cancel), ("retry", .retry), ("pin", .pin(true)),
            ("unpin", .pin(false)),
        ]
        return plain.map { name, action in
            Route(.post, "/v1/downloads/{id}/\(name)", .write) { call in try await one(call, action) }
        } + [
            Route(.post, "/v1/downloads/{id}/undo", .write, undoOne),
            Route(.post, "/v1/downloads/{id}/move", .write, move),
            Route(.post, "/v1/actions", .write, many), Route(.post, "/v1/undo", .write, undo),
        ]
    }

    private func one(_ call: Call, _ action: Action) async throws -> Response {
        let id = try call.download()
        try await call.members().finish()
        try await backend.act(action, on: id, try call.command())
        return .json(try await backend.rows.json(of: id, in: backend.service))
    }

    private func move(_ call: Call) async throws -> Response {
        let id = try call.download()
        var members = try await call.members()
        let placement = try Self.placement(&members)
        try members.finish()
        guard let placement else {
            throw Refusal.unprocessable("it is not said where to", next: "{\"to\": \"first\"} or {\"priority\": 5}")
        }
        try await backend.act(.move(placement), on: id, try call.command())
        return .json(try await backend.rows.json(of: id, in: backend.service))
    }

    /// `"to"` counts from 0 through downloads of the same priority, as lists of programs do.
    private static func placement(_ members: inout Members) throws -> Placement? {
        let priority: Int32? = try members.number("priority")
        let before: UInt64? = try members.number("before", 1...UInt64(Int64.max))
        let after: UInt64? = try members.number("after", 1...UInt64(Int64.max))
        let places = [
            try place(&members), priority.map { .priority($0) }, before.map { .before(DownloadID($0)) },
            after.map { .after(DownloadID($0)) },
        ].compactMap(\.self)
        guard places.count < 2 else {
            throw Refusal.unprocessable(
                "it is said in \(places.count) ways where to", next: "give 'to', 'priority', 'before' or 'after'")
        }
        return places.first
    }

    private static func place(_ members: inout Members) throws -> Placement? {
        switch members.value("to") {
        case nil: return nil
        case .string("first")?: return .first
        case .string("last")?: return .last
        case _?:
            let index: Int? = try members.number("to", 0...Int(Int32.max))
            return index.map { .index($0 + 1) }
        }
    }

    /// Undoes the last thing that was done to this download.
    private func undoOne(_ call: Call) async throws -> Response {
        let id = try call.download()
        try await call.members().finish()
        // The number of a download stands for the last thing about it that can be undone; of any other event, for that.
        guard try await backend.service.read({ $0.queue[id] != nil }) else { throw Problem(.notFound(id)) }
        let answers = try await backend.client.undo(SequenceNumber(id.rawValue), command: try call.command())
        if let refusal = answers.first?.refusal { throw refusal }
        return .json(try await backend.rows.json(of: id, in: backend.service))
    }

    private func undo(_ call: Call) async throws -> Response {
        var members = try await call.members()
        let sequence: UInt64? = try members.number("seq", 1...UInt64(Int64.max))
        try members.finish()
        let answers = try await backend.client.undo(sequence.map { SequenceNumber($0) }, command: try call.command())
        if let refusal = answers.first?.refusal { throw refusal }
        return .json(Self.json(answers))
    }

    private func many(_ call: Call) async throws -> Response {
        var members = try await call.members()
        guard let name = try members.text("action") else { throw Refusal.badRequest("'action' is missing") }
        let action = try Self.action(name, &members)
        let selection = try Self.selection(&members)
        try members.finish()
        return .json(Self.json(try await backend.client.act(action, on: selection, command: try call.command())))
    }

    private static func action(_ name: String, _ members: inout Members) throws -> Action {
        switch name {
        case "pause": return .pause
        case "resume": return .resume
        case "cancel": return .cancel
        case "retry": return .retry
        case "pin": return .pin(true)
        case "unpin": return .pin(false)
        case "delete":
            let text = try members.text("file") ?? Action.FileFate.trash.rawValue
            guard let fate = Action.FileFate(rawValue: text) else {
                throw Refusal.badRequest("'file' is trash, keep or purge")
            }
            return .delete(fate)
        case "move":
            guard let placement = try placement(&members) else {
                throw Refusal.unprocessable("it is not said where to", next: "give 'to' or 'priority'")
            }
            return .move(placement)
        default:
            throw Refusal.badRequest(
                "'action' is none", next: "pause, resume, cancel, retry, delete, move, pin or unpin")
        }
    }

    private static func selection(_ members: inout Members) throws -> Selection {
        let ids = try members.value("ids").map { value -> [DownloadID] in
            guard case .array(let list) = value, list.count <= Downloads.requestsMax else {
                throw Members.bad("ids", "a list of at most \(Downloads.requestsMax) numbers of downloads")
            }
            return try list.map { value in
                guard let number = value.whole(UInt64.self), number > 0 else { throw Members.bad("ids", "numbers") }
                return DownloadID(number)
            }
        }
        let all = try members.flag("all")
        let filter = try members.members("filter").map { members throws in
            var (members, filter) = (members, Filter())
            filter.states = try members.words("state")
            filter.kinds = try members.words("kind")
            filter.search = try members.text("search")
            guard filter.search.map({ $0.utf8.count <= WordSearch.bytesMax }) ?? true else { throw Refusal.longWords }
            filter.group = try members.text("group")
            try members.finish()
            return filter
        }
        switch (ids, all, filter) {
        case (let ids?, false, nil): return .ids(ids)
        case (nil, true, nil): return .all
        case (nil, false, let filter?) where filter.selects: return .matching(filter)
        default:
            throw Refusal.unprocessable(
                "it is not clear which downloads are meant",
                next: "give one of 'ids', 'all' and a 'filter' that asks for something")
        }
    }

    /// What became of each.
    private static func json(_ answers: [ActionAnswer]) -> JSONValue {
        let done = answers.filter { $0.refusal == nil }.map(\.json)
        let refused = answers.compactMap { answer -> JSONValue? in
            guard let refusal = answer.refusal else { return nil }
            var object: JSONObject = ["id": JSONValue(answer.id?.rawValue)]
            object.merge(refusal.members)
            return .object(object)
        }
        return ["downloads": .array(done), "refused": .array(refused)]
    }
}
