import NIOCore
import NIOWebSocket
import Synchronization

/// What is said over a WebSocket: nothing after its close (RFC 6455, section 5.5.1).
final class WebSocketOutlet: Sendable {
    private let writer: NIOAsyncChannelOutboundWriter<WebSocketFrame>
    private let channel: any Channel
    private let lingerMillisecondsMax: Int64
    private let closes = Atomic(false)

    /// The outlet of a connection.
    init(
        _ writer: NIOAsyncChannelOutboundWriter<WebSocketFrame>, _ channel: any Channel, _ patience: ConnectionPatience
    ) {
        self.writer = writer
        self.channel = channel
        lingerMillisecondsMax = patience.lingerMillisecondsMax
    }

    /// Whether all is said.
    var isClosing: Bool { closes.load(ordering: .acquiring) }

    /// Says something; nothing once all is said. A connection that takes nothing any longer is cut.
    func write(_ opcode: WebSocketOpcode, _ bytes: [UInt8]) async {
        guard !isClosing else { return }
        await send(opcode, bytes)
    }

    /// Says why all is said; what the client still sends is taken for a while, so that it gets to read it.
    func close(_ code: WebSocketErrorCode) async {
        let number = UInt16(webSocketErrorCode: code)
        await close([UInt8(number >> 8), UInt8(truncatingIfNeeded: number)])
    }

    /// The same with a code as its two bytes, or with none.
    func close(_ code: [UInt8]) async {
        guard !closes.exchange(true, ordering: .acquiringAndReleasing) else { return }
        let channel = channel
        let end = channel.eventLoop.scheduleTask(in: .milliseconds(lingerMillisecondsMax)) {
            channel.close(promise: nil)
        }
        channel.closeFuture.whenComplete { _ in end.cancel() }
        await send(.connectionClose, code)
        writer.finish()
    }

    private func send(_ opcode: WebSocketOpcode, _ bytes: [UInt8]) async {
        let data = channel.allocator.buffer(bytes: bytes)
        do { try await writer.write(WebSocketFrame(fin: true, opcode: opcode, data: data)) } catch {
            // The connection broke: the client asks again over a new one.
            channel.close(promise: nil)
        }
    }
}
