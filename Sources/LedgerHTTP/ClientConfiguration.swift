import AsyncHTTPClient
import LedgerModel
import LedgerTransfer
import NIOCore
import NIOSSL

/// How a client is set up: what was measured to be fast, and nothing done behind the caller's back.
enum ClientConfiguration {
    /// The largest read of a plain connection, in bytes. One buffer is alive for each event loop, not for each
    /// connection.
    static let plainReadBytesMax = 1 << 20
    /// The largest read of an encrypted connection, in bytes: more only makes TLS slower.
    static let secureReadBytesMax = 256 << 10
    /// The smallest read, in bytes.
    static let readBytesMin = 16 << 10
    /// Connections to one host: the queue limits how many run, so this must never be what makes one wait.
    static let connectionsPerHostMax = 1024
    /// How long an unused connection is kept, in seconds: less than the usual patience of origins.
    static let idleSecondsMax: Int64 = 30

    static func make(_ key: ClientKey) throws(Failure) -> HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration()
        configuration.redirectConfiguration = .disallow
        configuration.decompression = .disabled
        configuration.httpVersion = .http1Only
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = connectionsPerHostMax
        configuration.connectionPool.idleTimeout = .seconds(idleSecondsMax)
        // Silence after the connection stands is watched by the delegate, which knows when it was asked for.
        configuration.timeout = HTTPClient.Configuration.Timeout(
            connect: .milliseconds(Int64(key.route.silenceMillisecondsMax)), read: nil)
        let readBytesMax = key.isSecure ? secureReadBytesMax : plainReadBytesMax
        configuration.http1_1ConnectionDebugInitializer = { channel in
            // One read for each demand: the end of a connection is then seen after the bytes before it were written,
            // not in the same breath, which would drop them.
            channel.setOption(ChannelOptions.maxMessagesPerRead, value: 1).flatMap {
                channel.setOption(
                    ChannelOptions.recvAllocator,
                    value: AdaptiveRecvByteBufferAllocator(
                        minimum: readBytesMin, initial: 4 * readBytesMin, maximum: readBytesMax))
            }.flatMapThrowing { try HeadScreen.install(in: channel) }
        }
        if key.isSecure { configuration.tlsConfiguration = try tls(key.route) }
        if let proxy = key.route.proxy { configuration.proxy = try self.proxy(proxy) }
        return configuration
    }

    private static func tls(_ route: TransferRequest.Route) throws(Failure) -> TLSConfiguration {
        var tls = TLSConfiguration.makeClientConfiguration()
        if route.isInsecure { tls.certificateVerification = .none }
        if let file = route.certificateAuthorityFile {
            // Read now, so that a wrong file is this download's failure and says so.
            do {
                tls.trustRoots = .certificates(try NIOSSLCertificate.fromPEMFile(file))
            } catch {
                throw Failure(
                    .tls, "the file of authorities '\(file)' is not there or holds no certificate (PEM)",
                    isRetryable: false)
            }
        }
        return tls
    }

    private static func proxy(_ text: String) throws(Failure) -> HTTPClient.Configuration.Proxy {
        let isSocks = text.hasPrefix("socks5://") || text.hasPrefix("socks5h://")
        let address = isSocks ? "http" + text.drop { $0 != ":" } : text
        let parsed: ResourceURL.Parsed
        do throws(URLProblem) { parsed = try ResourceURL.parse(address) } catch {
            throw Failure(
                .unsupported, "the proxy is not a URL like http://host:port: \(error.reason)", isRetryable: false)
        }
        let (host, port) = (parsed.url.host, parsed.url.port)
        if isSocks { return .socksServer(host: host, port: port == 80 ? 1080 : port) }
        guard let user = parsed.userInformation else { return .server(host: host, port: port) }
        let name = user.prefix { $0 != ":" }
        return .server(
            host: host, port: port,
            authorization: .basic(username: String(name), password: String(user.dropFirst(name.count + 1))))
    }
}
