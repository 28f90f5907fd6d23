import LedgerCoding
import LedgerSystem
import LedgerTestSupport
import SystemPackage
import Testing

@testable import LedgerAria2

/// What was asked of an aria2 1.36.0, and what it answered.
struct GoldenExchange: Sendable {
    /// The port of the origin that its requests name, and the directory that its answers do.
    static let (port, directory) = (18779, "/downloads/goldt9kli_w1")

    /// Its place in the file, and what is asked for: how exceptions name it.
    let name: String
    let request: String
    /// HTTP's status; nil for what was no request.
    let status: Int?
    let contentType: String?
    let body: String

    /// All of the file, in its order.
    static func all() throws -> [GoldenExchange] {
        let folder = FilePath(#filePath).removingLastComponent()
        let bytes = try #require(try RealFileSystem().contents(of: folder.appending("aria2-golden.json")))
        return try JSONValue.read(bytes).list.enumerated().map { try GoldenExchange($1, at: $0) }
    }

    private init(_ value: JSONValue, at index: Int) throws {
        request = try #require(value["request"]?.string)
        body = try #require(value["body"]?.string)
        contentType = value["ctype"]?.string
        status = if case .int(let status)? = value["http"] { Int(status) } else { nil }
        name = "\(index) " + Self.name(of: request)
    }

    private static func name(of request: String) -> String {
        do throws(JSONProblem) {
            return try JSONValue(parsing: Array(request.utf8))["method"]?.string ?? request
        } catch { return request }
    }

    /// The request for another origin and another directory.
    func request(_ fixture: Aria2Fixture) -> String {
        request.replacing(":\(Self.port)", with: ":\(fixture.origin.port)")
            .replacing(Self.directory, with: fixture.endpoint.configuration.directory)
    }
}

extension Aria2Fixture {
    /// Answers what was asked of an aria2: the body of a POST, or a GET.
    /// - Returns: nil for what is no request to the endpoint.
    func answer(to exchange: GoldenExchange, _ endpoint: Aria2Endpoint) async throws -> Aria2Answer? {
        let request = exchange.request(self)
        guard request.hasPrefix("GET ") else {
            return exchange.status == nil ? nil : await endpoint.answer(Array(request.utf8))
        }
        let parts = request.dropFirst(4).split(separator: "?", maxSplits: 1)
        guard parts[0] == "/jsonrpc" else { return nil }
        let query = parts.dropFirst().flatMap { $0.split(separator: "&") }.map {
            pair -> (name: String, value: String) in
            let sides = pair.split(separator: "=", maxSplits: 1).map { String($0).replacing("%3D", with: "=") }
            return (name: sides[0], value: sides.count > 1 ? sides[1] : "")
        }
        return await endpoint.answer(query: query)
    }

    /// The text of an answer as that aria2 would have given it: with its origin and directory, and without what is
    /// another one each time.
    func masked(_ text: String) -> String {
        func escaped(_ path: String) -> String { path.replacing("/", with: "\\/") }
        return text.replacing(":\(origin.port)", with: ":\(GoldenExchange.port)")
            .replacing(escaped(endpoint.configuration.directory), with: escaped(GoldenExchange.directory))
            .replacing(/"sessionId":"[0-9a-f]{40}"/, with: "\"sessionId\":\"...\"")
            .replacing(/"downloadSpeed":"[0-9]+"/, with: "\"downloadSpeed\":\"...\"")
    }
}
