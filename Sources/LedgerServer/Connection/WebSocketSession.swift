import LedgerAria2
import LedgerSystem
import NIOCore
import NIOWebSocket
import Synchronization

/// A client of aria2's endpoint over a WebSocket: each text frame is a request, and between answers come
/// notifications.
struct WebSocketSession: Sendable {
    let endpoint: Aria2Endpoint
    let clock: any LedgerClock
    private let heard = Heard()

    /// A session of an endpoint.
    init(endpoint: Aria2Endpoint, clock: any LedgerClock) {
        self.endpoint = endpoint
        self.clock = clock
    }

    /// How many clients there may be at once; more are answered as if they had not asked for a WebSocket.
    static let sessionsMax = 256
    /// How often a client is asked whether it is there (RFC 6455, section 5.5.2).
    private static let pingInterval = Duration.seconds(30)
    /// How long a client may say nothing, not even that.
    private static let silenceMax = Duration.seconds(90)

    /// The longest message, in bytes, of however many frames.
    static let messageBytesMax = 4 << 20

    /// Answers until the client leaves.
    func run(_ channel: NIOAsyncChannel<WebSocketFrame, WebSocketFrame>) async {
        do {
            try await channel.executeThenClose { inbound, outbound in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask {
                        for await notification in endpoint.notifications() {
                            try await outbound.write(Self.frame(.text, notification, in: channel.channel))
                        }
                        guard !Task.isCancelled else { return }
                        // Too far behind, or the ledger is closed: who is told nothing more is not kept waiting for it.
                        try await close(outbound, .goingAway, channel.channel)
                    }
                    group.addTask { try await answer(inbound, outbound, channel.channel) }
                    group.addTask { try await ask(outbound, channel.channel) }
                    try await group.next()
                    group.cancelAll()
                }
            }
        } catch {
            // The connection broke: the client asks again over a new one.
            channel.channel.close(promise: nil)
        }
    }

    private func answer(
        _ inbound: NIOAsyncChannelInboundStream<WebSocketFrame>,
        _ outbound: NIOAsyncChannelOutboundWriter<WebSocketFrame>, _ channel: any Channel
    ) async throws {
        let address = channel.remoteAddress?.ipAddress ?? "local"
        var message: [UInt8] = []
        for try await frame in inbound {
            heard.note(clock.uptime())
            let data = frame.unmaskedData
            switch frame.opcode {
            case .text, .binary, .continuation:
                guard message.count + data.readableBytes <= Self.messageBytesMax else {
                    return try await close(outbound, .messageTooLarge, channel)
                }
                message += data.readableBytesView
                guard frame.fin else { continue }
                let answer = await endpoint.answer(message, from: address)
                message = []
                try await outbound.write(Self.frame(.text, answer.body, in: channel))
            case .ping:
                try await outbound.write(WebSocketFrame(fin: true, opcode: .pong, data: data))
            case .pong: break
            case .connectionClose:
                return try await close(outbound, .normalClosure, channel)
            default:
                return try await close(outbound, .protocolError, channel)
            }
        }
    }

    /// Asks now and then whether the client is there, until it is not.
    private func ask(_ outbound: NIOAsyncChannelOutboundWriter<WebSocketFrame>, _ channel: any Channel) async throws {
        heard.note(clock.uptime())
        while clock.uptime() - heard.last < Self.silenceMax {
            try await clock.sleep(until: clock.uptime() + Self.pingInterval)
            try await outbound.write(Self.frame(.ping, [], in: channel))
        }
    }

    /// When the client was heard last.
    private final class Heard: Sendable {
        private let time = Mutex(Duration.zero)

        var last: Duration { time.withLock { $0 } }

        func note(_ now: Duration) { time.withLock { $0 = max($0, now) } }
    }

    private func close(
        _ outbound: NIOAsyncChannelOutboundWriter<WebSocketFrame>, _ code: WebSocketErrorCode, _ channel: any Channel
    ) async throws {
        var data = channel.allocator.buffer(capacity: 2)
        data.write(webSocketErrorCode: code)
        try await outbound.write(WebSocketFrame(fin: true, opcode: .connectionClose, data: data))
    }

    private static func frame(_ opcode: WebSocketOpcode, _ bytes: [UInt8], in channel: any Channel) -> WebSocketFrame {
        WebSocketFrame(fin: true, opcode: opcode, data: channel.allocator.buffer(bytes: bytes))
    }
}
