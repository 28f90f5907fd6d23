import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// A proxy on a real loopback socket, for HTTP and for SOCKS 5 at one port, that remembers what it was asked.
///
/// It takes every name for this machine, so that a test can tell who looked a name up.
package final class ProxyServer: Sendable {
    /// A connection or a request that somebody asked for.
    package struct Request: Hashable, Sendable {
        /// `CONNECT HOST:PORT`, `SOCKS HOST:PORT`, or the request line of a request that was passed on.
        package var line: String
        /// `Proxy-Authorization`, or `user:password` of SOCKS.
        package var authorization: String?
        /// The fields of an HTTP request, names in lower case.
        package var fields: [OriginRequest.Field] = []
    }

    private let channel = Mutex<(any Channel)?>(nil)
    private let seen = Mutex<[Request]>([])
    /// `user:password` that it asks for; nil for none.
    let credentials: String?
    /// What it answers to `CONNECT`; 200 lets it happen.
    let connectStatus: Int

    private init(credentials: String?, connectStatus: Int) {
        self.credentials = credentials
        self.connectStatus = connectStatus
    }

    /// Starts a proxy on a free port of 127.0.0.1; over TLS under ``OriginCertificate`` when `isSecure`.
    package static func start(
        credentials: String? = nil, connectStatus: Int = 200, isSecure: Bool = false
    ) async throws -> ProxyServer {
        let server = ProxyServer(credentials: credentials, connectStatus: connectStatus)
        let context = isSecure ? try OriginCertificate.context(asksForCertificate: false, protocols: []) : nil
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(ChannelOptions.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let context {
                        try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
                    }
                    try channel.pipeline.syncOperations.addHandler(ProxyConnection(server))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
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

    /// What it was asked so far, in order.
    package var requests: [Request] { seen.withLock { $0 } }

    /// `127.0.0.1:PORT`.
    package var authority: String { "127.0.0.1:\(port)" }

    /// The port it listens on.
    package var port: Int { channel.withLock { $0?.localAddress?.port } ?? 0 }

    func note(_ request: Request) { seen.withLock { $0.append(request) } }
}
