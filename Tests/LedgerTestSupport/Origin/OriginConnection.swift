import NIOCore
import NIOPosix
import NIOSSL

/// One connection of an origin: reads heads, plays the steps of the answers.
final class OriginConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The first byte of a TLS record of the handshake (RFC 8446, 5.1).
    private static let tlsHandshake: UInt8 = 22

    private let server: OriginServer
    private let number = OriginServer.nextConnection()
    private var received: [UInt8] = []
    private var isAnswering = false

    init(_ server: OriginServer) { self.server = server }

    func channelActive(context: ChannelHandlerContext) {
        server.accepted()
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        server.finished(number)
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        received += Array(unwrapInboundIn(data).readableBytesView)
        if !isAnswering, received.first == Self.tlsHandshake {
            // As servers do that hear TLS at a port without it.
            isAnswering = true
            return play(OriginReply(400, [], framing: .close).steps[...], context)
        }
        answerNext(context)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func answerNext(_ context: ChannelHandlerContext) {
        guard !isAnswering, let end = endOfHead() else { return }
        let head = String(decoding: received[..<end], as: UTF8.self)
        received.removeFirst(end + 4)
        guard var request = OriginRequest(head: head) else {
            context.close(promise: nil)
            return
        }
        request.connection = number
        isAnswering = true
        let reply = server.reply(to: request)
        play((request.method == "HEAD" ? reply.headOnly : reply).steps[...], context)
    }

    private func endOfHead() -> Int? {
        let mark = Array("\r\n\r\n".utf8)
        guard received.count >= 4 else { return nil }
        return (0...received.count - 4).first { received[$0..<$0 + 4].elementsEqual(mark) }
    }

    private func play(_ steps: ArraySlice<OriginReply.Step>, _ context: ChannelHandlerContext) {
        guard let step = steps.first else {
            isAnswering = false
            server.finished(number)
            answerNext(context)
            return
        }
        let rest = steps.dropFirst()
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        switch step {
        case .bytes(let bytes):
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes))).whenSuccess {
                let (handler, context) = bound.value
                handler.play(rest, context)
            }
        case .gate(let gate):
            let loop = context.eventLoop
            Task {
                await gate.pass()
                loop.execute {
                    let (handler, context) = bound.value
                    handler.play(rest, context)
                }
            }
        case .wait(let gate, let millisecondsMax):
            context.eventLoop.scheduleTask(in: .milliseconds(millisecondsMax)) { gate.open() }
            play([.gate(gate)] + rest, context)
        case .close:
            context.close(promise: nil)
        case .reset:
            guard let socket = context.channel as? any SocketOptionProvider else { return }
            // On, with no time to linger: the close is then a reset.
            socket.getSoLinger().flatMap { linger in
                var linger = linger
                withUnsafeMutableBytes(of: &linger) { $0.storeBytes(of: 1, as: CInt.self) }
                return socket.setSoLinger(linger)
            }.whenComplete { _ in bound.value.1.close(promise: nil) }
        case .drop:
            let tls = context.pipeline.syncOperations
            do {
                // From there on towards the socket: TLS does not see it.
                try tls.context(handlerType: NIOSSLServerHandler.self).close(promise: nil)
            } catch { context.close(promise: nil) }
        case .drip(let bytes, let pause):
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes.prefix(1))), promise: nil)
            let left = bytes.dropFirst()
            context.eventLoop.scheduleTask(in: .milliseconds(pause)) {
                let (handler, context) = bound.value
                guard context.channel.isActive else { return }
                handler.play(left.isEmpty ? rest : [.drip(left, everyMilliseconds: pause)] + rest, context)
            }
        case .pause(let milliseconds, let gate):
            let milliseconds = gate?.isOpen == true ? 0 : milliseconds
            context.eventLoop.scheduleTask(in: .milliseconds(milliseconds)) {
                let (handler, context) = bound.value
                if context.channel.isActive { handler.play(rest, context) }
            }
        case .stall:
            break
        }
    }
}
