import LedgerModel
import NIOCore
import NIOSSL
import NIOTLS

/// Turns a connection to a proxy into one to an origin, and takes itself out of the pipeline.
///
/// It stands where the HTTP engine has its codec behind it, and lets nothing through until it is done: neither bytes
/// nor errors. Whatever goes wrong fails ``established`` and closes the connection.
final class TunnelHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// A thing to be done.
    enum Step {
        /// TLS with a peer; without a name its certificate is not checked for one.
        case secure(NIOSSLContext, serverName: String?, peer: String)
        case talk(any ProxyDialogue)
    }

    private var steps: ArraySlice<Step>
    private let peer: String
    private let patience: TimeAmount
    private let established: EventLoopPromise<Void>
    private var received: [UInt8] = []
    private var timer: Scheduled<Void>?
    private var isOver = false

    /// A handler that does `steps` one after the other.
    /// - Parameters:
    ///   - peer: the proxy, as failures name it.
    ///   - patience: how long all of it may take.
    ///   - established: succeeds once bytes go to and from the origin.
    init(_ steps: [Step], peer: String, patience: TimeAmount, established: EventLoopPromise<Void>) {
        self.steps = steps[...]
        self.peer = peer
        self.patience = patience
        self.established = established
    }

    func handlerAdded(context: ChannelHandlerContext) {
        guard context.channel.isActive else { return fail(closed, context) }
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: patience) { [self] in
            fail(Failure(.connectTimeout, "\(peer) did not answer in time", isRetryable: true), context)
        }
        begin(context)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isOver else { return }
        received += Array(unwrapInboundIn(data).readableBytesView)
        guard case .talk(var dialogue)? = steps.first else { return fail(early, context) }
        do throws(Failure) {
            switch try dialogue.answer(&received) {
            case .wait: steps[steps.startIndex] = .talk(dialogue)
            case .say(let words):
                steps[steps.startIndex] = .talk(dialogue)
                say(words, context)
            case .done:
                guard received.isEmpty else { return fail(early, context) }
                steps.removeFirst()
                begin(context)
            }
        } catch { fail(error, context) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted? = event as? TLSUserEvent, case .secure? = steps.first {
            steps.removeFirst()
            begin(context)
        } else {
            context.fireUserInboundEventTriggered(event)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        let name = if case .secure(_, _, let peer)? = steps.first { peer } else { peer }
        fail(Failure.of(error, peer: name, hasHead: false, patience: patience), context)
    }

    func channelInactive(context: ChannelHandlerContext) {
        fail(closed, context)
        context.fireChannelInactive()
    }

    private func begin(_ context: ChannelHandlerContext) {
        switch steps.first {
        case .secure(let tls, let serverName, let peer)?:
            do {
                let handler = try NIOSSLClientHandler(context: tls, serverHostname: serverName)
                try context.pipeline.syncOperations.addHandler(handler, position: .before(self))
            } catch {
                fail(Failure.of(error, peer: peer, hasHead: false, patience: patience), context)
            }
        case .talk(var dialogue)?:
            let words = dialogue.begin()
            steps[steps.startIndex] = .talk(dialogue)
            say(words, context)
        case nil:
            isOver = true
            timer?.cancel()
            context.pipeline.syncOperations.removeHandler(self, promise: nil)
            established.succeed()
        }
    }

    private func say(_ words: [UInt8], _ context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: words)), promise: nil)
    }

    private func fail(_ failure: Failure, _ context: ChannelHandlerContext) {
        guard !isOver else { return }
        isOver = true
        timer?.cancel()
        established.fail(failure)
        context.close(promise: nil)
    }

    private var closed: Failure {
        Failure(.connectionLost, "\(peer) closed the connection before it led anywhere", isRetryable: true)
    }

    private var early: Failure {
        Failure(.protocolViolation, "\(peer) sends bytes that nobody asked for", isRetryable: false)
    }
}
