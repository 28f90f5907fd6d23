import LedgerAPI
import LedgerCoding
import LedgerHolder
import LedgerModel
import LedgerServer
import LedgerTestSupport

extension ServerFixture {
    /// The address as `Host` names it.
    var authority: String { server.address.description }

    /// A head as it goes over the wire; `Host` is the server's own unless it is among the fields.
    func head(_ method: String, _ path: String, _ fields: [(String, String)] = []) -> String {
        let isNamed = fields.contains { $0.0.lowercased() == "host" }
        let lines =
            ["\(method) \(path) HTTP/1.1"] + (isNamed ? [] : ["Host: \(authority)"])
            + fields.map { "\($0.0): \($0.1)" }
        return lines.joined(separator: "\r\n") + "\r\n\r\n"
    }

    /// A connection.
    func connect(readsNothing: Bool = false, staysOpen: Bool = false) async throws -> Wire {
        try await Wire.connect(to: server.address, readsNothing: readsNothing, staysOpen: staysOpen)
    }

    /// Asks over a connection of its own.
    /// - Throws: ``NoAnswer`` when the server closes without one.
    func ask(
        _ method: String, _ path: String, _ fields: [(String, String)] = [], bytes: [UInt8] = [],
        as scope: AccessScope? = nil
    ) async throws -> Answer {
        let wire = try await connect()
        var fields = fields
        if let token = scope.flatMap({ tokens[$0] }) { fields.append(("Authorization", "Bearer \(token)")) }
        if !bytes.isEmpty { fields.append(("Content-Length", "\(bytes.count)")) }
        try await wire.send(Array(head(method, path, fields + [("Connection", "close")]).utf8) + bytes)
        let answer = try await wire.answer(isHead: method == "HEAD")
        try await wire.close()
        guard let answer else { throw NoAnswer() }
        return answer
    }

    /// Asks with a body in JSON.
    func ask(
        _ method: String, _ path: String, _ body: JSONValue, _ fields: [(String, String)] = [],
        as scope: AccessScope? = nil
    ) async throws -> Answer {
        try await ask(
            method, path, fields + [("Content-Type", "application/json")], bytes: Array(body.description.utf8),
            as: scope)
    }

    /// The server closed the connection and said nothing.
    struct NoAnswer: Error {}
}

extension ServerFixture {
    /// A URL of the origin.
    func url(_ path: String) throws -> String { try origin.url(path).text }

    /// Asks for a download that waits for `resume`, and returns its number.
    @discardableResult func addPaused(_ path: String, _ more: JSONObject = [:]) async throws -> UInt64 {
        var form: JSONObject = ["url": .string(try url(path)), "paused": true]
        form.merge(more)
        return try await add(form)
    }

    /// Asks for a download, and returns its number.
    func add(_ form: JSONObject) async throws -> UInt64 {
        let answer = try await ask("POST", "/v1/downloads", .object(form))
        guard let id = try answer.json["downloads"]?.list.first?["id"]?.number else { throw Refused(answer: answer) }
        return id
    }

    /// Asks for downloads, and waits until each has ended well.
    func fetch(_ forms: [JSONObject]) async throws -> [UInt64] {
        var ids: [UInt64] = []
        for form in forms { ids.append(try await add(form)) }
        try await ended(ids)
        return ids
    }

    /// Waits until downloads have ended.
    func ended(_ ids: [UInt64]) async throws {
        try await service.watch(WatchQuery(ids: ids.map { DownloadID($0) }, untilEnd: true)) { _ in true }
    }

    /// What was to be done was refused.
    struct Refused: Error { let answer: Answer }
}
