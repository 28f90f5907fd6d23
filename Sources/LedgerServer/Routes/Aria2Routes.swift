import HTTPTypes
import Hummingbird
import LedgerAPI
import LedgerAria2
import LedgerHolder
import LedgerModel
import NIOHTTP1

/// `/jsonrpc`: aria2's JSON-RPC over POST and GET. Over a WebSocket it is ``WebSocketSession``.
struct Aria2Routes: Sendable {
    let endpoint: Aria2Endpoint
    let gate: Gate

    /// The routes: aria2's clients carry their token inside.
    var routes: [Route] {
        [
            Route(.post, "/jsonrpc", nil) { call in
                let body = try await call.body()
                return Self.response(await endpoint.answer(body, from: call.address))
            },
            Route(.get, "/jsonrpc", nil) { call in
                let query = call.request.uri.queryParameters.map { (name: String($0.key), value: String($0.value)) }
                return Self.response(await endpoint.answer(query: query, from: call.address))
            },
        ]
    }

    private static func response(_ answer: Aria2Answer) -> Response {
        .bytes(answer.body, HTTPResponse.Status(code: answer.status), type: answer.contentType)
    }

    private static let host = HTTPField.Name("Host")

    /// Whether a request may become a WebSocket: it asks for aria2's endpoint, and no page of another site does.
    static func mayUpgrade(_ head: HTTPRequestHead, _ browsers: Browsers) -> Bool {
        guard head.uri.prefix(while: { $0 != "?" }) == "/jsonrpc" else { return false }
        var fields = HTTPFields()
        for (name, value) in head.headers {
            if let name = HTTPField.Name(name), name != Self.host { fields.append(HTTPField(name: name, value: value)) }
        }
        let request = HTTPRequest(
            method: .get, scheme: nil, authority: head.headers["Host"].first, path: head.uri, headerFields: fields)
        do throws(Refusal) { _ = try browsers.admit(request, for: .extensions) } catch { return false }
        return true
    }
}
