import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import NIOWebSocket

/// A connection of a client: HTTP/1.1, or a WebSocket (RFC 6455) after an upgrade of its first request.
struct APIChannel: HTTPChannelHandler {
    /// What became of a connection.
    enum Outcome: Sendable {
        case http(NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>)
        case webSocket(NIOAsyncChannel<WebSocketInput, WebSocketFrame>, BodyBudget.Share)
    }

    /// A connection that is not decided yet.
    struct Value: ServerChildChannelValue {
        let outcome: EventLoopFuture<Outcome>
        let channel: any Channel
    }

    /// The longest head of a request, in bytes.
    static let headBytesMax = 64 << 10

    let responder: HTTPChannelHandler.Responder
    /// How long clients may take.
    let patience: ConnectionPatience
    /// The longest body of a request, in bytes.
    let bodyBytesMax: Int
    /// Who may be connected.
    let places: Places
    /// Which requests become WebSockets, and what becomes of those.
    let webSockets: WebSockets

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(ConnectionPlace(places), position: .first)
            try channel.pipeline.syncOperations.addHandler(HeadDeadline(patience))
            let upgrader = NIOTypedWebSocketServerUpgrader<Outcome>(
                maxFrameSize: MessageReader.messageBytesMax,
                enableAutomaticErrorHandling: false,
                shouldUpgrade: { channel, _ in
                    // Before the client is told: from then on it counts on its place.
                    places.serve(channel)
                    return channel.eventLoop.makeSucceededFuture(HTTPHeaders())
                },
                upgradePipelineHandler: { channel, _ in
                    HeadDeadline.lift(from: channel).flatMapThrowing { try speakFrames(on: channel) }
                })
            let upgrade = NIOTypedHTTPServerUpgradeConfiguration<Outcome>(
                upgraders: [upgrader],
                notUpgradingCompletionHandler: { channel in
                    HeadDeadline.lift(from: channel).flatMapThrowing { try speakHTTP(on: channel, logger) }
                })
            var pipeline = NIOUpgradableHTTPServerPipelineConfiguration(upgradeConfiguration: upgrade)
            pipeline.enablePipelining = false
            // What is no HTTP is answered 400 and cut, before it is anything else's turn.
            pipeline.enableErrorHandling = true
            // Names and values are of swift-http-types, which can hold none that would break a head.
            pipeline.enableResponseHeaderValidation = false
            pipeline.decoderConfiguration.maxHeaderListSize = Self.headBytesMax
            pipeline.decoderConfiguration.maxHeaderFieldSize = Self.headBytesMax
            let outcome = try channel.pipeline.syncOperations.configureUpgradableHTTPServerPipeline(
                configuration: pipeline)
            let operations = channel.pipeline.syncOperations
            try operations.addHandler(
                HeadGuard(decide: webSockets.decide),
                position: .before(operations.handler(type: NIOTypedHTTPServerUpgradeHandler<Outcome>.self)))
            try operations.addHandler(ErrorEnd())
            return Value(outcome: outcome, channel: channel)
        }
    }

    private func speakHTTP(on channel: any Channel, _ logger: Logger) throws -> Outcome {
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: false))
        try pipeline.addHandler(StallWatch(patience))
        try pipeline.addHandler(ConnectionWatch(patience, places, bodyBytesMax: bodyBytesMax))
        try pipeline.addHandler(HTTPConnectionStateHandler(idleTimeout: nil, logger: logger))
        return .http(
            try NIOAsyncChannel(
                wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: true)))
    }

    private func speakFrames(on channel: any Channel) throws -> Outcome {
        let (pipeline, share) = (channel.pipeline.syncOperations, webSockets.share())
        let meter = FrameMeter(share)
        let decoder = try pipeline.handler(type: ByteToMessageHandler<WebSocketFrameDecoder>.self)
        try pipeline.addHandler(meter, position: .before(decoder))
        try pipeline.addHandlers(FrameFaults(meter), StallWatch(patience))
        return .webSocket(
            try NIOAsyncChannel(
                wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: true)),
            share)
    }

    func handle(value: Value, logger: Logger) async {
        do {
            // A server that stops waits for no head that may never be whole.
            let outcome = try await withTaskCancellationHandler {
                try await value.outcome.get()
            } onCancel: {
                value.channel.close(promise: nil)
            }
            switch outcome {
            case .http(let channel): await handleHTTP(asyncChannel: channel, logger: logger)
            case .webSocket(let channel, let share): await webSockets.converse(over: channel, share)
            }
        } catch {
            // The client left, or said what is not HTTP, before its first request was whole: there is nobody to answer.
            value.channel.close(promise: nil)
        }
    }
}
