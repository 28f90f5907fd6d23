import LedgerServer
import NIOCore
import NIOPosix
import Synchronization

/// A connection to the server, byte by byte, so that it can say what no library would.
final class Wire: Sendable {
    private struct State {
        var bytes: [UInt8] = []
        var isClosed = false
        /// How often anything came.
        var arrivals = 0
        var waiting: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())
    private let channel = Mutex<(any Channel)?>(nil)

    private init() {}

    /// Connects.
    /// - Parameters:
    ///   - local: the address to come from; nil for the system's choice.
    ///   - readsNothing: whether nothing is taken until ``readOn()``; the system then holds as little as it can.
    ///   - staysOpen: whether it goes on sending when the other side says nothing more.
    static func connect(
        to address: ListenAddress, from local: String? = nil, readsNothing: Bool = false, staysOpen: Bool = false
    ) async throws -> Wire {
        let wire = Wire()
        var bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Receiver(wire))
                }
            }
        if let local { bootstrap = bootstrap.bind(to: try SocketAddress(ipAddress: local, port: 0)) }
        if staysOpen { bootstrap = bootstrap.channelOption(.allowRemoteHalfClosure, value: true) }
        if readsNothing {
            bootstrap = bootstrap.channelOption(.autoRead, value: false)
                .channelOption(.socketOption(.so_rcvbuf), value: 4096)
        }
        let channel = try await bootstrap.connect(host: address.host, port: address.port).get()
        wire.channel.withLock { $0 = channel }
        return wire
    }

    /// Sends a text as it stands.
    func send(_ text: String) async throws { try await send(Array(text.utf8)) }

    /// Sends bytes; what the other side has closed takes none, and says so when it is read from.
    func send(_ bytes: [UInt8]) async throws {
        guard let channel = channel.withLock({ $0 }) else { return }
        try await channel.writeAndFlush(ByteBuffer(bytes: bytes)).get()
    }

    /// Takes what comes from now on.
    func readOn() async throws { try await channel.withLock { $0 }?.setOption(.autoRead, value: true).get() }

    /// Hangs up.
    func close() async throws {
        let channel = channel.withLock { channel in
            defer { channel = nil }
            return channel
        }
        do { try await channel?.close() } catch ChannelError.alreadyClosed { return }
    }

    /// What `parse` makes of what came, which it takes from its front; waits until that is something. Nil when the
    /// other side closed before.
    func take<Value: Sendable>(_ parse: (inout [UInt8], _ isEnd: Bool) throws -> Value?) async throws -> Value? {
        while true {
            let (value, isClosed, arrivals) = try state.withLock { state in
                (try parse(&state.bytes, state.isClosed), state.isClosed, state.arrivals)
            }
            if let value { return value }
            if isClosed { return nil }
            await arrival(after: arrivals)
        }
    }

    /// Whether the other side closed.
    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// What came so far, and was not taken.
    var held: [UInt8] { state.withLock { $0.bytes } }

    /// Waits until the other side closes; returns what came until then.
    func end() async throws -> [UInt8] {
        try await take { bytes, isEnd in isEnd ? bytes : nil } ?? []
    }

    private func arrival(after arrivals: Int) async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if state.arrivals != arrivals { return true }
                state.waiting = continuation
                return false
            }
            if isOver { continuation.resume() }
        }
    }

    private func change(_ body: (inout State) -> Void) {
        let waiting = state.withLock { state in
            body(&state)
            state.arrivals += 1
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.resume()
    }

    /// Hands what arrives to a wire.
    private final class Receiver: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let wire: Wire

        init(_ wire: Wire) { self.wire = wire }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let bytes = unwrapInboundIn(data).readableBytesView
            wire.change { $0.bytes += bytes }
        }

        func channelInactive(context: ChannelHandlerContext) {
            wire.change { $0.isClosed = true }
            context.fireChannelInactive()
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            // A reset is an end like any other to a test.
            context.close(promise: nil)
        }
    }
}
