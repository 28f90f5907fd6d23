import HTTPTypes
import Hummingbird
import LedgerAPI
import LedgerEngine
import LedgerHolder
import LedgerModel
import Logging
import NIOCore
import NIOHTTP1

/// What is known of a request besides the request.
struct APIContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The address that asks.
    let address: String

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        address = source.channel.remoteAddress?.ipAddress ?? "local"
    }
}

/// Answers every request: who may ask is settled first, then the route answers, and whatever is thrown becomes problem
/// details.
struct Responder: HTTPResponder {
    private let routes: [Route]
    private let router: any HTTPResponder<APIContext>
    private let browsers: Browsers
    private let logger: Logger
    private let bodyBytesMax: Int

    /// What does something more than once when it is asked for again.
    private static let unsafe: Set<HTTPRequest.Method> = [.post, .patch, .put, .delete]

    /// A responder for routes.
    init(_ routes: [Route], _ gate: Gate, _ backend: Backend) {
        self.routes = routes
        let configuration = backend.configuration
        browsers = Browsers(hosts: configuration.hosts, origins: configuration.origins)
        logger = configuration.logger
        bodyBytesMax = configuration.bodyBytesMax
        let (random, bodyBytesMax) = (backend.service.ledger.world.random, configuration.bodyBytesMax)
        let (usedKeys, budget) = (UsedKeys(), BodyBudget(bytesMax: configuration.bodiesBytesMax))
        let router = Router(context: APIContext.self)
        for route in routes {
            router.on(RouterPath(route.path), method: route.method) { request, context in
                let scope: AccessScope
                if let needed = route.scope {
                    guard let granted = try gate.scope(request.head, from: context.address) else {
                        throw Gate.unauthorized("this ledger is opened with a token")
                    }
                    guard granted >= needed else {
                        throw Refusal(
                            .forbidden,
                            Problem(
                                .refused, "the token is for '\(granted.name)', and this takes '\(needed.name)'",
                                next: "'ledger token NAME --scope \(needed.name)' issues one"))
                    }
                    scope = granted
                } else {
                    scope = .read
                }
                if Self.unsafe.contains(request.method) { try Self.requireNoVersion(request.headers) }
                var call = Call(
                    request: request, parameters: context.parameters, scope: scope, address: context.address,
                    bodyBytesMax: bodyBytesMax,
                    share: BodyBudget.Share(of: budget, isTrusted: route.scope != nil), random: random)
                guard route.scope != nil, Self.unsafe.contains(request.method), let name = try call.name() else {
                    return try await route.answer(call)
                }
                call.ahead = try await call.body()
                call.named = try await call.content()
                let isFirst = try usedKeys.claim(name, for: call.named)
                do { return try await route.answer(call) } catch {
                    if isFirst { usedKeys.release(name) }
                    throw error
                }
            }
        }
        self.router = router.buildResponder()
    }

    func respond(to request: Request, context: APIContext) async throws -> Response {
        guard request.method == .head else { return await answer(request, context) }
        // RFC 9110, section 9.3.2: as GET, and without a body, whatever it comes to.
        var request = request
        if !methods(of: request.uri.path, ofRoutes: true).contains("HEAD") {
            var head = request.head
            head.method = .get
            request = Request(head: head, body: request.body)
        }
        return await answer(request, context).createHeadResponse()
    }

    private func answer(_ request: Request, _ context: APIContext) async -> Response {
        var response: Response
        var foreign: HTTPFields?
        do {
            foreign = try browsers.admit(request.head, for: Self.purpose(of: request.uri.path))
            // What is never read is not waited for either.
            guard !request.head.announcesMore(than: bodyBytesMax) else { throw Refusal.tooLong(bytesMax: bodyBytesMax) }
            if request.method == .options {
                response = try preflight(request, isForeign: foreign != nil)
            } else {
                try requireRoute(request)
                response = try await router.respond(to: request, context: context)
            }
        } catch {
            let refusal = Self.refusal(of: error)
            // What there is too much of, and who is cut when the server ends, is no error of it: others could fill its
            // log.
            let isOfOthers = [.refused, .closed].contains(refusal.problem.code) || error is CancellationError
            if refusal.status.code >= 500, !isOfOthers {
                logger.error("\(request.method) \(request.uri.path): \(refusal.problem.message)")
            }
            response = Response(refusal)
        }
        for field in foreign ?? [:] { response.headers[field.name] = field.value }
        return response
    }

    /// Nothing that can be changed here has an entity tag: who asks for one means another version (RFC 9110, 13.1.1).
    private static func requireNoVersion(_ fields: HTTPFields) throws(Refusal) {
        guard let list = fields[.ifMatch], list != "*" else { return }
        throw Refusal(
            .preconditionFailed,
            Problem(
                .refused, "nothing here has the entity tag that 'If-Match' asks for",
                next: "leave it out; 'seq' in a row says what it takes in"))
    }

    private static func purpose(of path: String) -> Browsers.Purpose {
        if path == "/" { return .page }
        return Aria2Routes.paths.contains(path) ? .extensions : .data
    }

    /// Answers `OPTIONS`: what may be asked here.
    private func preflight(_ request: Request, isForeign: Bool) throws -> Response {
        let allowed = methods(of: request.uri.path)
        guard !allowed.isEmpty else { throw Self.nothingHere }
        var fields: HTTPFields = isForeign ? Browsers.preflight(request.head) : [:]
        fields[.allow] = allowed.joined(separator: ", ")
        return Response(status: isForeign ? .ok : .noContent, headers: fields)
    }

    /// The methods of a path; where there is GET there is HEAD, but not always a route of its own.
    private func methods(of path: String, ofRoutes: Bool = false) -> [String] {
        var methods = Set(routes.filter { $0.covers(path) }.map(\.method.rawValue))
        if methods.contains("GET"), !ofRoutes { methods.insert("HEAD") }
        return methods.sorted()
    }

    /// Refuses what nothing answers: 404 for a path that is none, 405 for a method that a path does not have.
    private func requireRoute(_ request: Request) throws(Refusal) {
        let allowed = methods(of: request.uri.path)
        guard !allowed.isEmpty else { throw Self.nothingHere }
        guard !allowed.contains(request.method.rawValue) else { return }
        throw Refusal(
            .methodNotAllowed, Problem(.usage, "\(request.method) is not answered here", exitCode: .usage),
            fields: [.allow: allowed.joined(separator: ", ")])
    }

    private static let nothingHere = Refusal(
        .notFound, Problem(.notFound, "there is nothing here", next: "'GET /v1/openapi.json' says what there is"))

    /// What an error means to a client.
    static func refusal(of error: any Error) -> Refusal {
        switch error {
        case let refusal as Refusal: refusal
        case let problem as Problem: Refusal(problem)
        case is HTTPParserError: Refusal.badRequest("the body is not what its head says")
        case let http as HTTPError:
            Refusal(http.status, Problem(.usage, http.body ?? http.status.reasonPhrase, exitCode: .usage))
        default:
            // What it says may hold what is secret: it goes nowhere.
            Refusal(Problem(.internal, "the request could not be answered", cause: "\(type(of: error))"))
        }
    }
}
