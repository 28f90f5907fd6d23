import HTTPTypes
package import LedgerAPI
import LedgerAria2
import LedgerEngine
package import LedgerHolder
import LedgerModel
import LedgerSystem
import Logging
import NIOCore

/// The API of a ledger that this process holds, and the page people look at: REST, events, files, metrics and aria2's
/// RPC on one port.
package final class LedgerServer: Sendable {
    /// Where it listens, with the port that the system chose if it was left to it.
    package let address: ListenAddress
    private let serving: Task<Void, Never>
    private let news: Task<Void, Never>
    private let end: EndableLog.Switch
    private let service: LedgerService

    private init(
        _ service: LedgerService, address: ListenAddress, serving: Task<Void, Never>, news: Task<Void, Never>,
        end: EndableLog.Switch
    ) {
        self.service = service
        self.address = address
        self.serving = serving
        self.news = news
        self.end = end
    }

    /// Begins to serve.
    /// - Throws: a ``Problem``: the address is taken or can not be bound; it is open to others and there is no token; a
    ///   root can not be used.
    package static func start(
        _ service: LedgerService, _ configuration: ServerConfiguration
    ) async throws(Problem) -> LedgerServer {
        let world = service.ledger.world
        let ground = try ServerGround(configuration, service.ledger.home, world.fileSystem)
        let gate = Gate(ground.tokens, world.clock, isPrivate: configuration.address.isLoopback)
        let backend = Backend(
            service: service, client: service.acting(as: .api), configuration: configuration, roots: ground.roots,
            startedAt: world.clock.now())
        let feed = EventFeed(after: service.ledger.lastSequence)
        let endpoint = Aria2Endpoint(backend, gate)
        let responder = Responder(routes(backend, gate, feed, endpoint), gate, backend)
        let (bound, binding) = AsyncStream.makeStream(of: Result<Int, Problem>.self)
        let address = configuration.address
        let end = EndableLog.Switch()
        let serving = Task {
            var logger = Logger(label: "ledger") { _ in EndableLog(configuration.logger, until: end) }
            logger.logLevel = .warning
            let server = APIServer(
                responder: responder, configuration: configuration,
                webSockets: WebSockets(endpoint, gate, configuration), clock: world.clock, logger: logger)
            do {
                try await server.run { channel in
                    binding.yield(.success(channel.localAddress?.port ?? address.port))
                }
            } catch { binding.yield(.failure(.notListening(on: address, error))) }
            binding.finish()
        }
        var outcomes = bound.makeAsyncIterator()
        let port: Int
        switch await outcomes.next() {
        case .success(let chosen)?: port = chosen
        case .failure(let problem)?: throw problem
        case nil: throw Problem(.internal, "the server ended before it began")
        }
        var actual = address
        actual.port = port
        let newsroom = Newsroom(service, feed, backend.rows)
        service.serves(at: actual.description, into: ground.roots.first)
        return LedgerServer(
            service, address: actual, serving: serving, news: Task { await newsroom.run() }, end: end)
    }

    /// Ends every connection, those that follow events last, and returns once the port is free.
    package func stop() async {
        end.turnOff()
        news.cancel()
        serving.cancel()
        let (waits, ended) = AsyncStream.makeStream(of: Never.self)
        Task {
            await news.value
            await serving.value
            ended.finish()
        }
        let clock = service.ledger.world.clock
        let timer = Task {
            // A long look at the log hears of no end: its answer is given up, and its thread ends with the process.
            do { try await clock.sleep(until: clock.uptime() + Self.stopPatience) } catch { return }
            ended.finish()
        }
        for await _ in waits {}
        timer.cancel()
        service.servesNoMore(at: address.description)
    }

    /// How long requests may take to hear that the server ends.
    private static let stopPatience = Duration.seconds(2)

    /// Everything that is answered.
    static func routes(
        _ backend: Backend, _ gate: Gate, _ feed: EventFeed, _ endpoint: Aria2Endpoint
    ) -> [Route] {
        let stream = EventStream(
            service: backend.service, feed: feed, gate: gate, version: backend.configuration.version)
        var routes = Downloads(backend: backend).routes + Actions(backend: backend).routes
        routes += History(backend: backend).routes + Maintenance(backend: backend).routes
        routes += Listings(backend: backend, kind: .feed).routes + Listings(backend: backend, kind: .catalog).routes
        routes += LibraryItems(backend: backend).routes + Works(backend: backend).routes
        routes += Sessions(gate: gate, isEncrypted: backend.configuration.certificate != nil).routes
        routes += PageFiles().routes + FileRoute(backend: backend).routes + Health(backend: backend).routes
        routes += MetricsRoute(backend: backend, feed: feed).routes
        routes.append(Route(.get, "/v1/events/stream", .read) { call in try await stream.answer(call) })
        return routes + Aria2Routes(endpoint: endpoint, gate: gate).routes
    }
}
