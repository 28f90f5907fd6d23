package import LedgerModel
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// An HTTP/1.1 origin on a real loopback socket, written by hand so that it can misbehave, that remembers what it saw.
package final class OriginServer: Sendable {
    /// Makes the answer to a request.
    package typealias Answer = @Sendable (OriginRequest) -> OriginReply

    private struct State {
        var scripts: [String: [Answer]] = [:]
        var otherwise: Answer?
        var entities: [String: OriginEntity] = [:]
        var seen: [OriginRequest] = []
        var connections = 0
        var mute = 0
        /// The connections on which an answer is under way.
        var answering: Set<Int> = []
    }

    private static let lastConnection = Atomic(0)

    private let state = Mutex(State())
    private let channel = Mutex<(any Channel)?>(nil)
    private let isSecure: Bool

    private init(isSecure: Bool) { self.isSecure = isSecure }

    /// Starts an origin on a port of `address`, by default a free one; over TLS under ``OriginCertificate`` when
    /// `isSecure`, and only for those who show that certificate themselves when `asksForCertificate`.
    ///
    /// With `protocols` it takes only those, of `h2` and `http/1.1`, in TLS (RFC 7301); on the first `muteConnections`
    /// it agrees to them, and says nothing more.
    package static func start(
        port: Int = 0, isSecure: Bool = false, address: String = "127.0.0.1", asksForCertificate: Bool = false,
        protocols: [String] = [], muteConnections: Int = 0
    ) async throws -> OriginServer {
        let server = OriginServer(isSecure: isSecure)
        let context =
            isSecure
            ? try OriginCertificate.context(asksForCertificate: asksForCertificate, protocols: protocols) : nil
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(ChannelOptions.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let context {
                        try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
                    }
                    if server.isMute(muteConnections) { return }
                    if protocols.isEmpty {
                        try channel.pipeline.syncOperations.addHandler(OriginConnection(server))
                    } else {
                        try channel.pipeline.syncOperations.addHandler(OriginStream.negotiate(server))
                    }
                }
            }
            .bind(host: address, port: port).get()
        server.channel.withLock { $0 = channel }
        return server
    }

    /// Stops listening. Harmless when it has stopped.
    package func stop() async throws {
        let open = channel.withLock { channel in
            defer { channel = nil }
            return channel
        }
        try await open?.close()
    }

    /// Answers every request for `path`.
    package func on(_ path: String, _ answer: @escaping Answer) { script(path, [answer]) }

    /// Serves a file at `path`, also over HTTP/2.
    package func serve(_ path: String, _ entity: OriginEntity) {
        on(path) { entity.reply(to: $0) }
        state.withLock { $0.entities[path] = entity }
    }

    /// Answers the requests for `path` one after the other; the last answer is given again and again.
    package func script(_ path: String, _ answers: [Answer]) { state.withLock { $0.scripts[path] = answers } }

    /// Answers every request for a path that has no answer of its own.
    package func otherwise(_ answer: @escaping Answer) { state.withLock { $0.otherwise = answer } }

    /// What was asked for so far, in order.
    package var requests: [OriginRequest] { state.withLock { $0.seen } }

    /// How many connections were accepted.
    package var connectionCount: Int { state.withLock { $0.connections } }

    /// The port it listens on.
    package var port: Int { channel.withLock { $0?.localAddress?.port } ?? 0 }

    /// The URL of a path here, under the name or address `host`.
    package func url(_ path: String, host: String = "127.0.0.1") throws -> ResourceURL {
        try ResourceURL.parse("\(isSecure ? "https" : "http")://\(host):\(port)\(path)").url
    }

    /// Whether an answer is under way on a connection, however slowly.
    package func isAnswering(on connection: Int) -> Bool { state.withLock { $0.answering.contains(connection) } }

    static func nextConnection() -> Int { lastConnection.add(1, ordering: .relaxed).newValue }

    /// No answer is under way on a connection any more.
    func finished(_ connection: Int) { state.withLock { _ = $0.answering.remove(connection) } }

    private func isMute(_ count: Int) -> Bool {
        state.withLock { state in
            guard state.mute < count else { return false }
            state.mute += 1
            return true
        }
    }

    func accepted() { state.withLock { $0.connections += 1 } }

    func response(to request: OriginRequest) -> (status: Int, fields: [(String, String)], body: [UInt8]) {
        let entity = state.withLock { state in
            state.seen.append(request)
            return state.entities[request.path]
        }
        return entity?.response(to: request) ?? (404, [], [])
    }

    func reply(to request: OriginRequest) -> OriginReply {
        let answer = state.withLock { state -> Answer? in
            state.seen.append(request)
            state.answering.insert(request.connection)
            guard var script = state.scripts[request.path], let first = script.first else { return state.otherwise }
            if script.count > 1 {
                script.removeFirst()
                state.scripts[request.path] = script
            }
            return first
        }
        return answer?(request) ?? OriginReply(404, [("Content-Type", "text/html")], body: Array("nothing".utf8))
    }
}
