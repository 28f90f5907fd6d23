import LedgerModel
import LedgerTransfer
import NIOCore
import NIOPosix

/// One connection of a proxy: hears what is wanted, dials, and passes bytes on.
final class ProxyConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private enum Stage { case fresh, password, destination, http, dialing, tunnel }

    private let server: ProxyServer
    private var stage = Stage.fresh
    private var received: [UInt8] = []
    private var user: String?
    private var upstream: (any Channel)?

    init(_ server: ProxyServer) { self.server = server }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        received += Array(unwrapInboundIn(data).readableBytesView)
        advance(context)
    }

    func channelInactive(context: ChannelHandlerContext) {
        upstream?.close(promise: nil)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func advance(_ context: ChannelHandlerContext) {
        switch stage {
        case .fresh:
            guard let first = received.first else { return }
            if first == 5 { greet(context) } else { begin(.http, context) }
        case .password: hearPassword(context)
        case .destination: hearDestination(context)
        case .http: hearRequest(context)
        case .dialing: return
        case .tunnel:
            upstream?.writeAndFlush(ByteBuffer(bytes: received), promise: nil)
            received = []
        }
    }

    private func begin(_ next: Stage, _ context: ChannelHandlerContext) {
        stage = next
        advance(context)
    }

    private func say(_ bytes: [UInt8], _ context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil)
    }

    // MARK: SOCKS 5

    private func greet(_ context: ChannelHandlerContext) {
        guard received.count >= 2, received.count >= 2 + Int(received[1]) else { return }
        let method: UInt8 = server.credentials == nil ? 0 : 2
        let isOffered = received[2..<2 + Int(received[1])].contains(method)
        received.removeFirst(2 + Int(received[1]))
        say([5, isOffered ? method : 255], context)
        if isOffered { begin(method == 0 ? .destination : .password, context) }
    }

    private func hearPassword(_ context: ChannelHandlerContext) {
        guard received.count >= 2, received.count >= 3 + Int(received[1]) else { return }
        let passwordAt = 3 + Int(received[1])
        let end = passwordAt + Int(received[passwordAt - 1])
        guard received.count >= end else { return }
        let name = String(decoding: received[2..<passwordAt - 1], as: UTF8.self)
        user = name + ":" + String(decoding: received[passwordAt..<end], as: UTF8.self)
        received.removeFirst(end)
        say([1, user == server.credentials ? 0 : 1], context)
        if user == server.credentials { begin(.destination, context) }
    }

    private func hearDestination(_ context: ChannelHandlerContext) {
        guard received.count >= 5 else { return }
        let length = received[3] == 1 ? 4 : received[3] == 4 ? 16 : 1 + Int(received[4])
        guard received.count >= 4 + length + 2 else { return }
        let address = received[4..<4 + length]
        let host =
            received[3] == 3
            ? String(decoding: address.dropFirst(), as: UTF8.self) : address.map(String.init).joined(separator: ".")
        let port = Int(received[4 + length]) << 8 | Int(received[5 + length])
        received.removeFirst(4 + length + 2)
        server.note(.init(line: "SOCKS \(host):\(port)", authorization: user))
        let reply: [UInt8] = [0, 1, 127, 0, 0, 1, 0, 0]
        dial(port, context, failing: [5, 5] + reply) { connection, context in
            connection.say([5, 0] + reply, context)
            connection.begin(.tunnel, context)
        }
    }

    // MARK: HTTP

    private func hearRequest(_ context: ChannelHandlerContext) {
        let mark = Array("\r\n\r\n".utf8)
        guard received.count >= mark.count,
            let end = (mark.count...received.count).first(where: { received[($0 - 4)..<$0].elementsEqual(mark) }),
            let request = OriginRequest(head: String(decoding: received[..<(end - 4)], as: UTF8.self))
        else { return }
        received.removeFirst(end)
        let authorization = request["proxy-authorization"]
        server.note(
            .init(line: request.method + " " + request.target, authorization: authorization, fields: request.fields))
        guard authorization == server.credentials.map({ "Basic " + base64(Array($0.utf8)) }) else {
            return say(
                Array("HTTP/1.1 407 Who\r\nProxy-Authenticate: Basic realm=x\r\nContent-Length: 0\r\n\r\n".utf8),
                context)
        }
        let isConnect = request.method == "CONNECT"
        guard !isConnect || server.connectStatus == 200 else {
            return say(Array("HTTP/1.1 \(server.connectStatus) No\r\nContent-Length: 0\r\n\r\n".utf8), context)
        }
        let rest = isConnect ? request.target : String(request.target.dropFirst("http://".count))
        let authority = rest.prefix { $0 != "/" }
        let port = authority.lastIndex(of: ":").flatMap { Int(authority[authority.index(after: $0)...]) } ?? 80
        let lines = ["\(request.method) \(rest.dropFirst(authority.count)) HTTP/1.1"]
        let fields = request.fields.filter { $0.name != "proxy-authorization" }.map { "\($0.name): \($0.value)" }
        let head = Array(((lines + fields).joined(separator: "\r\n") + "\r\n\r\n").utf8)
        stage = .dialing
        if let upstream, !isConnect {
            upstream.writeAndFlush(ByteBuffer(bytes: head), promise: nil)
            return begin(.http, context)
        }
        dial(port, context, failing: Array("HTTP/1.1 502 No\r\nContent-Length: 0\r\n\r\n".utf8)) {
            connection, context in
            if isConnect {
                connection.say(Array("HTTP/1.1 200 Go\r\n\r\n".utf8), context)
            } else {
                connection.upstream?.writeAndFlush(ByteBuffer(bytes: head), promise: nil)
            }
            connection.begin(isConnect ? .tunnel : .http, context)
        }
    }

    private func dial(
        _ port: Int, _ context: ChannelHandlerContext, failing answer: [UInt8],
        _ then: @escaping (ProxyConnection, ChannelHandlerContext) -> Void
    ) {
        stage = .dialing
        let client = context.channel
        let bound = NIOLoopBound((self, context, then), eventLoop: context.eventLoop)
        ClientBootstrap(group: context.eventLoop).channelInitializer { channel in
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandler(PassingOn(to: client))
            }
        }.connect(host: "127.0.0.1", port: port).whenComplete { result in
            let (connection, context, then) = bound.value
            switch result {
            case .success(let channel):
                connection.upstream = channel
                then(connection, context)
            case .failure: connection.say(answer, context)
            }
        }
    }
}

/// Passes what comes on to another connection, and its end.
private final class PassingOn: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let other: any Channel

    init(to other: any Channel) { self.other = other }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        other.writeAndFlush(unwrapInboundIn(data), promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        other.close(promise: nil)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
