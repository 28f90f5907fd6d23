import HTTPTypes
import Hummingbird
import LedgerAPI
import LedgerCoding
import LedgerHolder
import LedgerModel
import LedgerSystem
import LedgerViews

/// `/v1/downloads`: the queue and the catalog, and what is asked for.
struct Downloads: Sendable {
    let backend: Backend

    /// The most downloads of one request.
    static let requestsMax = 10_000
    /// The most rows of one page.
    static let pageRowsMax = 1_000
    /// The rows of a page when nothing is said.
    static let pageRowsDefault = 100

    /// The routes.
    var routes: [Route] {
        [
            Route(.get, "/v1/downloads", .read, list), Route(.post, "/v1/downloads", .write, create),
            Route(.get, "/v1/downloads/{id}", .read, show), Route(.patch, "/v1/downloads/{id}", .write, change),
            Route(.delete, "/v1/downloads/{id}", .write, delete),
        ]
    }

    private func list(_ call: Call) async throws -> Response {
        let query = call.query
        try query.require(
            only: ["state", "search", "kind", "group", "sort", "order", "limit", "cursor", "at"])
        let page = try Page(query)
        let state: LedgerState
        let shown: @Sendable (Download) -> ShownDownload
        if let at: LogPoint = try query.value("at") {
            state = try await backend.state(at: at)
            shown = { ShownDownload($0) }
        } else {
            state = try await backend.service.read { $0 }
            shown = backend.service.makeShown
        }
        let (downloads, next) = page.select(from: state.queue, shown: shown)
        return .json([
            "downloads": .array(downloads.map { backend.rows.json(DownloadRow($0), $0.download, at: state.sequence) }),
            "next": JSONValue(next), "seq": JSONValue(state.sequence.rawValue),
        ])
    }

    private func create(_ call: Call) async throws -> Response {
        let body = try await call.json()
        let items: [JSONValue]
        if case .array(let list) = body { items = list } else { items = [body] }
        guard !items.isEmpty else { throw Refusal.badRequest("there is no download in the list") }
        guard items.count <= Self.requestsMax else {
            throw Refusal(
                .contentTooLarge,
                Problem(
                    .usage, "there are \(items.count) downloads, and one request takes \(Self.requestsMax)",
                    next: "send them in parts", exitCode: .usage))
        }
        let surroundings = backend.surroundings
        var requests: [(index: Int, request: EnqueueRequest)] = []
        var refused: [(index: Int, refusal: Refusal)] = []
        for (index, item) in items.enumerated() {
            do {
                var form = try EnqueueForm(item)
                requests.append((index, try form.request(surroundings, command: try call.command(index))))
            } catch { refused.append((index, Responder.refusal(of: error))) }
        }
        let answers = try await backend.client.enqueue(requests.map(\.request))
        var accepted: [(row: DownloadRow, joined: Bool)] = []
        for (item, answer) in zip(requests, answers) {
            switch answer {
            case .accepted(let row, let joined):
                accepted.append((row, joined))
            case .refused(let problem): refused.append((item.index, Refusal(problem)))
            }
        }
        refused.sort { $0.index < $1.index }
        let list = refused.map { Self.refusal($0.refusal, items[$0.index], index: $0.index) }
        if accepted.isEmpty, let first = refused.first?.refusal {
            guard case .array = body else { throw first }
            // A list was read, whatever stands in it.
            var refusal = first.status == .badRequest ? Refusal(.unprocessableContent, first.problem) : first
            refusal.members["refused"] = .array(list)
            throw refusal
        }
        let rows = try await backend.rows.json(ofAsked: accepted, in: backend.service)
        let location = HTTPFields(
            accepted.count == 1 ? [HTTPField(name: .location, value: "/v1/downloads/\(accepted[0].row.id)")] : [])
        return .json(["downloads": .array(rows), "refused": .array(list)], .created, fields: location)
    }

    private static func refusal(_ refusal: Refusal, _ item: JSONValue, index: Int) -> JSONValue {
        var object: JSONObject = ["index": JSONValue(UInt64(index)), "status": JSONValue(refusal.status.code)]
        object.merge(refusal.problem.members)
        return .object(object)
    }

    private func show(_ call: Call) async throws -> Response {
        let (id, query) = (try call.download(), call.query)
        try query.require(only: ["at"])
        guard let at: LogPoint = try query.value("at") else {
            return .json(try await backend.rows.json(of: id, in: backend.service))
        }
        let state = try await backend.state(at: at)
        guard let download = state.queue[id] else { throw Problem(.notFound(id)) }
        return .json(backend.rows.json(DownloadRow(download), download, at: state.sequence))
    }

    private func change(_ call: Call) async throws -> Response {
        let id = try call.download()
        var members = try await call.members()
        var request = ChangeRequest()
        request.url = try members.text("url")
        let rate: ByteSize? = try members.argument("limitRate")
        request.bytesPerSecondMax = rate?.bytes
        request.retriesMax = try members.number("retries")
        let silence: Silence? = try members.argument("timeout")
        request.silenceMillisecondsMax = silence?.milliseconds
        request.rangesMax = try members.number("split", 1...TransferOptions.rangesMax)
        request.priority = try members.number("priority")
        request.window = try members.text("window")
        let start: Instant? = try members.argument("notBefore")
        request.notBefore = start?.resolved(now: backend.clock.now())
        request.group = try members.text("group")
        request.title = try members.text("title")
        request.details = try members.text("details")
        request.tags = try members.texts("tags")
        request.refusesPrivateAddresses = request.url != nil && !backend.configuration.allowsPrivateAddresses
        let isPinned = members.value("pinned") == nil ? nil : try members.flag("pinned")
        try members.finish()
        guard request.url != nil || !request.isEmpty || isPinned != nil else {
            throw Refusal.unprocessable("nothing is to be changed", next: "for example {\"priority\": 5}")
        }
        if !request.isEmpty { try await backend.act(.change(request), on: id, try call.command(0)) }
        if let isPinned { try await backend.act(.pin(isPinned), on: id, try call.command(1)) }
        return .json(try await backend.rows.json(of: id, in: backend.service))
    }

    private func delete(_ call: Call) async throws -> Response {
        let (id, query) = (try call.download(), call.query)
        try query.require(only: ["file"])
        let fate = try query["file"].map { text in
            guard let fate = Action.FileFate(rawValue: text) else {
                throw Refusal.badRequest("'file' is trash, keep or purge")
            }
            return fate
        }
        try await backend.act(.delete(fate ?? .trash), on: id, try call.command())
        return .json(try await backend.rows.json(of: id, in: backend.service))
    }
}
