import HTTPTypes
import Hummingbird
import LedgerAPI
import LedgerAria2
import LedgerHolder
import LedgerModel
import NIOHTTP1

/// `/jsonrpc`: aria2's JSON-RPC over POST and GET; `/rpc`: the same in XML-RPC. Over a WebSocket it is
/// ``WebSocketSession``.
struct Aria2Routes: Sendable {
    let endpoint: Aria2Endpoint
    let gate: Gate

    /// The routes: aria2's clients carry their token inside.
    var routes: [Route] {
        [
            Route(.post, Self.path, nil) { call in
                try Self.require(Self.path, call)
                let body = try await call.body()
                return Self.response(await endpoint.answer(body, from: call.address))
            },
            Route(.post, Self.xmlPath, nil) { call in
                try Self.require(Self.xmlPath, call)
                let body = try await call.body()
                return Self.response(await endpoint.answer(xml: body, from: call.address))
            },
            Route(.get, Self.path, nil) { call in
                try Self.require(Self.path, call)
                // A wish for a WebSocket that would have been granted, see `HeadGuard`.
                guard call.request.headers[.secWebSocketKey] == nil else { throw Self.crowded }
                let query = call.request.uri.queryParameters.map { (name: String($0.key), value: String($0.value)) }
                return Self.response(await endpoint.answer(query: query, from: call.address))
            },
        ]
    }

    private static let path = "/jsonrpc"
    private static let xmlPath = "/rpc"
    /// Where clients of aria2 call.
    static let paths: Set<String> = [path, xmlPath]

    /// aria2 answers at this very path alone; the router takes one with further slashes for the same.
    private static func require(_ path: String, _ call: Call) throws(Refusal) {
        guard call.request.uri.path == path else {
            throw Refusal(
                .notFound, Problem(.notFound, "there is nothing here", next: "aria2's endpoint is '\(path)'"))
        }
    }

    private static func response(_ answer: Aria2Answer) -> Response {
        .bytes(answer.body, HTTPResponse.Status(code: answer.status), type: answer.contentType)
    }

    private static let crowded = Refusal(
        .serviceUnavailable, Problem(.refused, "there are too many WebSockets", next: "try again in a moment"),
        fields: [.retryAfter: "10", .connection: "close"])

    private static let host = HTTPField.Name("Host")

    /// Whether a request may become a WebSocket: it asks for aria2's endpoint, and no page of another site does.
    static func mayUpgrade(_ head: HTTPRequestHead, _ browsers: Browsers) -> Bool {
        guard head.uri.prefix(while: { $0 != "?" }) == path else { return false }
        do throws(Refusal) { _ = try browsers.admit(request(head), for: .extensions) } catch { return false }
        return true
    }

    /// A head as everything but the wire sees it.
    static func request(_ head: HTTPRequestHead) -> HTTPRequest {
        var fields = HTTPFields()
        for (name, value) in head.headers {
            if let name = HTTPField.Name(name), name != Self.host { fields.append(HTTPField(name: name, value: value)) }
        }
        return HTTPRequest(
            method: .get, scheme: nil, authority: head.headers["Host"].first, path: head.uri, headerFields: fields)
    }
}
