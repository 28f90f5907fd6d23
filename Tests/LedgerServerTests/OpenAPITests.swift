import HTTPTypes
import LedgerAPI
import LedgerCoding
import LedgerTestSupport
import Testing

@testable import LedgerServer

/// The document of the API held against what is answered.
@Suite(.timeLimit(.minutes(30))) struct OpenAPITests {
    private static let methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace"]

    /// An operation of the document.
    private struct Operation {
        let method: String
        let path: String
        let content: JSONValue

        /// A path that it covers.
        var sample: String { path.replacing("{id}", with: "1").replacing("{name}", with: "some") }

        /// The names of its parameters that stand somewhere.
        func parameters(_ place: String, _ document: JSONValue) -> [String] {
            (content["parameters"]?.list ?? []).map { parameter in
                guard let name = parameter["$ref"]?.text?.split(separator: "/").last else { return parameter }
                return document["components"]?["parameters"]?[String(name)] ?? .null
            }.filter { $0["in"]?.text == place }.compactMap { $0["name"]?.text }
        }
    }

    private static func document() throws -> JSONValue {
        // The parser for requests takes objects of at most 256 members, and the document has fewer everywhere.
        try JSONValue(parsing: PackageResources.openapi_json)
    }

    private static func operations() throws -> [Operation] {
        try document()["paths"]?.members.flatMap { path in
            path.value.members.filter { methods.contains($0.name) }.map { method in
                Operation(method: method.name.uppercased(), path: path.name, content: method.value)
            }
        } ?? []
    }

    @Test func `every route is in the document with its scope, and nothing else is`() async throws {
        let written = try Self.operations().map { operation in
            "\(operation.method) \(operation.path) \(operation.content["x-scope"]?.text ?? "everybody")"
        }
        try await ServerFixture.run { fixture in
            let routes = try fixture.routes().map { "\($0.method) \($0.path) \($0.scope?.name ?? "everybody")" }
            #expect(routes.sorted() == written.sorted())
            #expect(Set(routes).count == routes.count && routes.count > 50)
            let served = try await fixture.ask("GET", "/v1/openapi.json")
            #expect(served.body == PackageResources.openapi_json && served["content-type"] == "application/json")
        }
    }

    @Test func `operations have names of their own, scopes of ours, and references that lead somewhere`() throws {
        let (document, operations) = (try Self.document(), try Self.operations())
        let names = operations.compactMap { $0.content["operationId"]?.text }
        #expect(Set(names).count == operations.count)
        for operation in operations {
            let name = "\(operation.method) \(operation.path)"
            #expect(operation.content["summary"]?.text?.hasSuffix(".") == true, "\(name)")
            #expect((operation.content["x-scope"] == nil) == (operation.content["security"] == .array([])), "\(name)")
            let statuses = (operation.content["responses"]?.members ?? []).compactMap { Int($0.name) }
            #expect(statuses.contains { $0 < 300 } && statuses.contains(403), "\(name)")
            // What changes anything says what becomes of a request that comes twice, or does no harm then.
            let placed = operation.path.split(separator: "/").filter { $0.hasPrefix("{") }.map {
                $0.dropFirst().dropLast()
            }
            #expect(placed.map(String.init) == operation.parameters("path", document), "\(name)")
        }
        var missing: [String] = []
        func look(_ value: JSONValue) {
            if let reference = value["$ref"]?.text {
                let found = reference.split(separator: "/").dropFirst().reduce(Optional(document)) { $0?[String($1)] }
                if found == nil { missing.append(reference) }
            }
            for value in value.list { look(value) }
            for member in value.members { look(member.value) }
        }
        look(document)
        #expect(missing == [])
    }

    @Test func `queries are those of the document, and others are refused by name`() async throws {
        let document = try Self.document()
        // What takes any query: the page, which has its own, what supervisors ask, and aria2's endpoint.
        let open = ["/", "/app/{name}", "/v1/openapi.json", "/healthz", "/readyz", "/metrics", "/jsonrpc", "/rpc"]
        try await ServerFixture.run { fixture in
            let origin = fixture.origin
            origin.otherwise { OriginReplyMaker.feed($0) }
            _ = try await fixture.ask("POST", "/v1/feeds", ["url": .string(try fixture.url("/feed.xml"))])
            for operation in try Self.operations() where !open.contains(operation.path) {
                // Catalogs have no number 1: whether there is one is looked at first.
                guard !operation.path.hasPrefix("/v1/catalogs/{id}/") else { continue }
                let name = "\(operation.method) \(operation.path)"
                let answer = try await fixture.ask(operation.method, operation.sample + "?zz=1")
                #expect(answer.status == 400, "\(name): \(answer.status)")
                guard operation.method != "HEAD" else { continue }
                #expect(try answer.json["detail"]?.text == "'zz' means nothing here", "\(name)")
                let known = operation.parameters("query", document).sorted().joined(separator: ", ")
                let next = known.isEmpty ? "leave it out: nothing is asked for here" : "what does: \(known)"
                #expect(try answer.json["next"]?.text == next, "\(name)")
            }
        }
    }

    @Test func `a name of a query that is given twice is refused by name, whatever its values are`() async throws {
        try await ServerFixture.run(.idle) { fixture in
            let id = try await fixture.addPaused("/a")
            let last = fixture.last
            for (method, path, name) in [
                ("GET", "/v1/downloads?state=paused&state=queued", "state"),
                ("GET", "/v1/downloads?limit=1&sort=id&limit=1", "limit"),
                ("GET", "/v1/events?after=0&after=", "after"),
                ("GET", "/v1/downloads/\(id)?at=1&%61t=1", "at"), ("GET", "/v1/stats?by=host&by=day", "by"),
                ("GET", "/files/\(id)?download&download=0", "download"),
                ("DELETE", "/v1/downloads/\(id)?file=keep&file=purge", "file"),
            ] {
                let answer = try await fixture.ask(method, path)
                #expect(answer.status == 400, "\(path): \(answer.status)")
                #expect(try answer.json["detail"]?.text == "'\(name)' is given more than once", "\(path)")
            }
            #expect(fixture.last == last)
            #expect(try await fixture.ask("GET", "/v1/downloads?state=paused,queued&limit=1").status == 200)
        }
    }

    @Test func `what nothing answers is 404, a method that a path does not have 405 with those it has`() async throws {
        let operations = try Self.operations()
        try await ServerFixture.run { fixture in
            for path in ["/nothing", "/v1", "/v1/downloads/1/nothing", "/v1/downloads/1/explain/more", "/files"] {
                let answer = try await fixture.ask("GET", path)
                #expect(answer.status == 404 && answer["content-type"] == "application/problem+json", "\(path)")
                #expect(try answer.json["code"]?.text == "not-found" && answer.json["status"]?.number == 404)
            }
            for (path, own) in Dictionary(grouping: operations, by: \.path) {
                var methods = Set(own.map(\.method))
                // Where there is GET there is HEAD (RFC 9110, section 9.3.2), which the document says once for all.
                if methods.contains("GET") { methods.insert("HEAD") }
                let allowed = methods.sorted().joined(separator: ", ")
                let asked = try await fixture.ask("OPTIONS", own[0].sample)
                #expect(asked.status == 204 && asked["allow"] == allowed, "\(path): \(asked.status)")
                #expect(asked["access-control-allow-origin"] == nil)
                for method in ["GET", "POST", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND"]
                where !methods.contains(method) {
                    let answer = try await fixture.ask(method, own[0].sample)
                    #expect(answer.status == 405 && answer["allow"] == allowed, "\(method) \(path): \(answer.status)")
                    #expect(answer["content-type"] == "application/problem+json", "\(method) \(path)")
                    #expect(try answer.json["status"]?.number == 405, "\(method) \(path)")
                }
            }
        }
    }

    @Test func `HEAD is answered as GET is, without a body`() async throws {
        let operations = try Self.operations().filter { $0.method == "GET" }
        try await ServerFixture.run { fixture in
            for operation in operations {
                let looked = try await fixture.ask("HEAD", operation.sample)
                #expect(looked.body.isEmpty, "\(operation.path)")
                // What has no end is only looked at.
                guard operation.path != "/v1/events/stream" else {
                    #expect(looked.status == 200)
                    continue
                }
                let got = try await fixture.ask("GET", operation.sample)
                #expect(looked.status == got.status, "\(operation.path): \(looked.status)")
                #expect(looked["content-type"] == got["content-type"], "\(operation.path)")
            }
        }
    }
}
