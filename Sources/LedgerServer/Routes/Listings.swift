import HTTPTypes
import Hummingbird
import LedgerAPI
import LedgerCoding
import LedgerHolder
import LedgerModel
import LedgerViews

/// `/v1/feeds` or `/v1/catalogs`: what is followed.
struct Listings: Sendable {
    let backend: Backend
    let kind: Listing.Kind

    private var name: String { kind == .feed ? "feeds" : "catalogs" }

    /// The routes.
    var routes: [Route] {
        [
            Route(.get, "/v1/\(name)", .read, list), Route(.post, "/v1/\(name)", .write, follow),
            Route(.get, "/v1/\(name)/{id}", .read, show), Route(.delete, "/v1/\(name)/{id}", .write, unfollow),
            Route(.post, "/v1/\(name)/{id}/refresh", .write, refresh),
            Route(.get, "/v1/\(name)/{id}/entries", .read, entries),
            Route(.post, "/v1/\(name)/{id}/take", .write, take),
        ]
    }

    private func list(_ call: Call) async throws -> Response {
        try call.query.require(only: [])
        let rows = try await backend.service.listings(of: kind)
        return .json(.object([name: .array(rows.map(\.json))]))
    }

    private func follow(_ call: Call) async throws -> Response {
        var members = try await call.members()
        guard let url = try members.text("url") else { throw Refusal.badRequest("'url' is missing") }
        let place = try backend.roots.place(directory: try members.text("dir"), output: nil)
        var request = FollowRequest(kind: kind, source: url, directory: place.directory)
        request.refusesPrivateAddresses = !backend.configuration.allowsPrivateAddresses
        request.refusesLinks = true
        request.group = try members.text("group")
        request.newestMax = try members.number("keep", 1...UInt32.max)
        request.filter = try members.text("filter")
        request.isAutomatic = try members.flag("auto")
        let period: Period? = try members.argument("every")
        if let period { request.intervalSeconds = UInt32(clamping: period.span.milliseconds / 1000) }
        try members.finish()
        // A path names a file of this machine, which no client may have read.
        guard url.lowercased().hasPrefix("http://") || url.lowercased().hasPrefix("https://") else {
            throw Refusal(
                .unprocessableContent,
                Problem(.badURL, "'url' is no http or https address", next: "'ledger feed add FILE' reads a file"))
        }
        guard case .listings(let rows) = try await backend.client.library(.follow(request)), let row = rows.first else {
            throw Problem(.internal, "the ledger gave no answer to this request")
        }
        return .json(row.json, .created, fields: [.location: "/v1/\(name)/\(row.id)"])
    }

    private func row(_ call: Call) async throws -> ListingRow {
        let id = try call.listing()
        guard let row = try await backend.service.listings(of: kind).first(where: { $0.id == id }) else {
            throw Problem(.noListing(ListingID(id)))
        }
        return row
    }

    private func show(_ call: Call) async throws -> Response {
        try call.query.require(only: [])
        return .json(try await row(call).json)
    }

    private func unfollow(_ call: Call) async throws -> Response {
        try call.query.require(only: [])
        _ = try await backend.client.library(.unfollow(try call.listing(), kind))
        return Response(status: .noContent)
    }

    private func refresh(_ call: Call) async throws -> Response {
        let row = try await row(call)
        try await call.members().finish()
        _ = try await backend.client.library(.refresh([row.id], kind))
        return .json(try await self.row(call).json)
    }

    private func entries(_ call: Call) async throws -> Response {
        let (row, query) = (try await row(call), call.query)
        try query.require(only: ["limit", "offset"])
        let limit = try query.number("limit", 1...Downloads.pageRowsMax) ?? Downloads.pageRowsDefault
        let offset = try query.number("offset", 0...Int(Int32.max)) ?? 0
        let rows = try await backend.service.entries(of: row.id)
        let part = rows.dropFirst(offset).prefix(limit)
        return .json([
            "entries": .array(part.map(\.json)),
            "next": rows.count > offset + limit ? JSONValue(UInt64(offset + limit)) : .null,
        ])
    }

    private func take(_ call: Call) async throws -> Response {
        let row = try await row(call)
        var members = try await call.members()
        let guids = try members.texts("guids") ?? []
        try members.finish()
        let command = try call.command()
        let answer = try await backend.client.library(.take(row.id, guids: guids, kind, command))
        guard case .taken(let answers) = answer else {
            throw Problem(.internal, "the ledger gave no answer to this request")
        }
        var (accepted, refused) = ([(row: DownloadRow, joined: Bool)](), [JSONValue]())
        for answer in answers {
            switch answer {
            case .accepted(let row, let joined): accepted.append((row, joined))
            case .refused(let problem): refused.append(.object(problem.members))
            }
        }
        let rows = try await backend.rows.json(ofAsked: accepted, in: backend.service)
        return .json(["downloads": .array(rows), "refused": .array(refused)])
    }
}
