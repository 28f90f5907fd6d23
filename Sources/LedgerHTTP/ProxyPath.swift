import LedgerModel
import LedgerTransfer
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// The way through one proxy to one origin: what is done to a fresh connection before the first request goes out on it.
///
/// The HTTP engine is told to connect to the proxy in plain, and finds, once this is done, the origin at the other end.
struct ProxyPath: Sendable {
    private let proxy: Proxy
    private let target: ResourceURL
    private let patience: TimeAmount
    /// TLS with a proxy that is spoken to over it.
    private let outer: NIOSSLContext?
    /// TLS with an origin of https.
    private let inner: NIOSSLContext?

    /// A way over `route` to the origin of `target`; nil when no proxy is on it.
    /// - Throws: a ``Failure`` when the files of TLS can not be used, or a certificate could not be checked.
    init?(_ route: TransferRequest.Route, target: ResourceURL?) throws(Failure) {
        guard let proxy = route.proxy, let target else { return nil }
        self.proxy = proxy
        self.target = target
        patience = .milliseconds(Int64(route.silenceMillisecondsMax))
        outer = proxy.kind == .https ? try TLSSetup.context(route.towardsProxy) : nil
        inner = target.isSecure ? try TLSSetup.context(route) : nil
        // TLS compares an address with the one it is connected to, which is the proxy's.
        if inner != nil, IPAddress(parsing: target.host) != nil, !route.isInsecure {
            throw Failure(
                .tls,
                "the certificate of the address '\(target.host)' can not be checked through a proxy: use its name",
                isRetryable: false)
        }
    }

    /// Makes a connection to the proxy one to the origin. Called on the channel's loop, with the HTTP codec in place.
    func establish(on channel: any Channel) -> EventLoopFuture<Void> {
        guard proxy.kind == .socks5, IPAddress(parsing: target.host) == nil else {
            return establish(on: channel, host: target.host)
        }
        let (host, port) = (target.host, target.port)
        return NIOThreadPool.singleton.runIfActive(eventLoop: channel.eventLoop) {
            // The system's resolver blocks.
            try SocketAddress.makeAddressResolvingHost(host, port: port)
        }.flatMapErrorThrowing { _ in
            throw Failure(.nameNotResolved, "the name '\(host)' is not known", isRetryable: true)
        }.flatMap { address in
            establish(on: channel, host: address.ipAddress ?? host)
        }
    }

    private func establish(on channel: any Channel, host: String) -> EventLoopFuture<Void> {
        let established = channel.eventLoop.makePromise(of: Void.self)
        do {
            let pipeline = channel.pipeline.syncOperations
            let encoder = try pipeline.context(handlerType: HTTPRequestEncoder.self)
            if isForwarding {
                try RequestHeads.install(in: channel, AbsoluteForm(proxy: proxy, target: target).apply)
            }
            let handler = TunnelHandler(
                try steps(host), peer: "the proxy '\(proxy.authority)'", patience: patience, established: established)
            try pipeline.addHandler(handler, position: .before(encoder.handler))
        } catch {
            established.fail(error)
            channel.close(promise: nil)
        }
        return established.futureResult
    }

    private var isForwarding: Bool { proxy.isForwarding(isSecure: target.isSecure) }

    private func steps(_ host: String) throws(Failure) -> [TunnelHandler.Step] {
        var steps: [TunnelHandler.Step] = []
        if let outer {
            steps.append(.secure(outer, serverName: name(proxy.host), peer: "the proxy '\(proxy.authority)'"))
        }
        switch proxy.kind {
        case .http, .https: if !isForwarding { steps.append(.talk(ConnectDialogue(proxy, target: target))) }
        case .socks5, .socks5h: steps.append(.talk(try SocksDialogue(proxy, host: host, port: target.port)))
        }
        if let inner { steps.append(.secure(inner, serverName: name(target.host), peer: "'\(target.host)'")) }
        return steps
    }

    private func name(_ host: String) -> String? { IPAddress(parsing: host) == nil ? host : nil }
}

extension Proxy {
    /// Whether the proxy itself asks an origin, rather than passing bytes on to it.
    func isForwarding(isSecure: Bool) -> Bool {
        switch kind {
        case .http, .https: !isSecure
        case .socks5, .socks5h: false
        }
    }
}
