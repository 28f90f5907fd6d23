import LedgerAria2
import NIOCore
import NIOWebSocket

/// A client of aria2's endpoint over a WebSocket: each text frame is a request, and between answers come
/// notifications.
struct WebSocketSession: Sendable {
    let endpoint: Aria2Endpoint

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
