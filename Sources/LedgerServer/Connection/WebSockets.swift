import LedgerAria2
import NIOCore
import NIOHTTP1
import NIOWebSocket

/// The WebSockets of aria2's endpoint: who gets one, and what becomes of it. They stay open, and who opens one needs no
/// token for that: whoever has shown none where one is needed gives way to the next.
struct WebSockets: Sendable {
    private let endpoint: Aria2Endpoint
    private let gate: Gate
    private let browsers: Browsers
    private let patience: ConnectionPatience
    private let places: Places
    private let budget: BodyBudget

    /// Those of an endpoint.
    init(_ endpoint: Aria2Endpoint, _ gate: Gate, _ configuration: ServerConfiguration) {
        self.endpoint = endpoint
        self.gate = gate
        browsers = Browsers(hosts: configuration.hosts, origins: configuration.origins)
        patience = configuration.patience
        places = Places(configuration.webSocketsMax)
        budget = BodyBudget(bytesMax: configuration.messagesBytesMax)
    }

    /// Whether a request may become a WebSocket; one that may has its place from then on.
    func decide(_ head: HTTPRequestHead, on channel: any Channel) -> HeadGuard.Wish {
        guard Aria2Routes.mayUpgrade(head, browsers) else { return .refused }
        let hasRoom = places.take(channel) { channel.close(promise: nil) }
        guard hasRoom else {
            places.free(channel)
            return .crowded
        }
        channel.closeFuture.whenComplete { _ in places.free(channel) }
        if isAdmitted(head, from: channel) { places.serve(channel) }
        return .granted
    }

    /// What a client may hold of all that clients send.
    func share() -> BodyBudget.Share { BodyBudget.Share(of: budget) }

    /// Talks over a WebSocket until it ends.
    func converse(
        over channel: NIOAsyncChannel<WebSocketInput, WebSocketFrame>, _ share: BodyBudget.Share
    ) async {
        let session = WebSocketSession(endpoint, patience, share) {
            places.serve(channel.channel)
            share.trust()
        }
        await session.run(channel)
    }

    private func isAdmitted(_ head: HTTPRequestHead, from channel: any Channel) -> Bool {
        let address = channel.remoteAddress?.ipAddress ?? "local"
        do throws(Refusal) { return try gate.scope(Aria2Routes.request(head), from: address) != nil } catch {
            // It may show a better one in its calls.
            return false
        }
    }
}
