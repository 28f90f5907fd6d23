import Hummingbird
import HummingbirdCore
import HummingbirdTLS
import LedgerModel
import LedgerSystem
import Logging
import NIOCore
import NIOHTTP1
import NIOPosix

/// Listens, and has every request answered: as Hummingbird's `Application`, which wakes up once a second to have the
/// date of its answers at hand. Here it is made for each.
struct APIServer: Sendable {
    let responder: Responder
    let configuration: ServerConfiguration
    let webSockets: WebSockets
    let clock: any LedgerClock
    let logger: Logger

    /// Serves until the task is cancelled; `begin` is told of the channel that listens.
    func run(_ begin: @escaping @Sendable (any Channel) async -> Void) async throws {
        let channel = APIChannel(
            responder: { [self] request, writer, channel in
                try await answer(request, on: channel, to: writer)
            }, patience: configuration.patience, bodyBytesMax: configuration.bodyBytesMax,
            places: Places(configuration.connectionsMax), webSockets: webSockets)
        if let certificate = configuration.certificate {
            try await serve(try TLSChannel(channel, tlsConfiguration: certificate.tls), begin)
        } else {
            try await serve(channel, begin)
        }
    }

    private func serve(
        _ channel: some ServerChildChannel, _ begin: @escaping @Sendable (any Channel) async -> Void
    ) async throws {
        let address = configuration.address
        try await Server(
            childChannelSetup: channel,
            configuration: HummingbirdCore.ServerConfiguration(
                address: .hostname(address.host, port: address.port), backlog: 1024,
                availableConnectionsDelegate: MaximumAvailableConnections(configuration.connectionsMax + 1)),
            onServerRunning: begin, eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: logger
        ).run()
    }

    @concurrent private func answer(
        _ request: Request, on channel: any Channel, to writer: consuming ResponseWriter
    ) async throws {
        let context = APIContext(source: ApplicationRequestContextSource(channel: channel, logger: logger))
        var response = try await responder.respond(to: request, context: context)
        response.headers[.date] = clock.now().httpDate
        response.headers[.server] = "ledger"
        do { try await writer.write(response: response.head, body: response.body) } catch is HTTPParserError {
            // What was sent of the answer can not be followed by another.
            throw CancellationError()
        }
    }
}
