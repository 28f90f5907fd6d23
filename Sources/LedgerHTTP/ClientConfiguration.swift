import AsyncHTTPClient
import LedgerModel
import LedgerTransfer
import NIOCore
import NIOHTTP1
import NIOSSL

/// How a client is set up: what was measured to be fast, and nothing done behind the caller's back.
enum ClientConfiguration {
    /// The largest read of a plain connection, in bytes.
    static let plainReadBytesMax = 1 << 20
    /// The largest read of an encrypted connection, in bytes: TLS keeps what it unpacks of one, for each connection.
    static let secureReadBytesMax = 64 << 10
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
        // Whoever embeds this traces what it asked for, not each request, whose URL may hold a secret.
        configuration.tracing.tracer = nil
        configuration.httpVersion = key.offersHTTP2 ? .automatic : .http1Only
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = connectionsPerHostMax
        configuration.connectionPool.idleTimeout = .seconds(idleSecondsMax)
        // Silence after the connection stands is watched by the delegate, which knows when it was asked for.
        configuration.timeout = HTTPClient.Configuration.Timeout(
            connect: .milliseconds(Int64(key.route.silenceMillisecondsMax)), read: nil)
        let readBytesMax = key.isSecure ? secureReadBytesMax : plainReadBytesMax
        let proxy = try ProxyPath(key.route, target: key.target)
        let isGuarded = key.route.refusesPrivateAddresses && key.route.proxy == nil
        let sendsPathBytes = key.sendsPathBytes
        let reads = TransientReads(bytesMin: readBytesMin, bytesMax: readBytesMax)
        let admit: @Sendable (any Channel) -> EventLoopFuture<Void> = { channel in
            if isGuarded, let refusal = refusal(of: channel.remoteAddress) {
                // Closed a turn later, when the pool has given it up.
                channel.eventLoop.execute { channel.close(promise: nil) }
                return channel.eventLoop.makeFailedFuture(refusal)
            }
            return channel.setOption(ChannelOptions.recvAllocator, value: reads)
        }
        configuration.http2ConnectionDebugInitializer = { channel in
            admit(channel).flatMapThrowing { try HTTP2Watch.install(in: channel) }
        }
        configuration.http2StreamChannelDebugInitializer = { channel in
            channel.eventLoop.makeCompletedFuture { try HTTP2Watch.install(inStream: channel) }
        }
        configuration.http1_1ConnectionDebugInitializer = { channel in
            // One read for each demand: the end of a connection is then seen after the bytes before it were written,
            // not in the same breath, which would drop them.
            admit(channel).flatMap {
                channel.setOption(ChannelOptions.maxMessagesPerRead, value: 1)
            }.flatMapThrowing {
                try HeadScreen.install(in: channel)
                try PromptClose.install(in: channel)
                try HeldReads.install(reads, in: channel)
                if sendsPathBytes { try RequestHeads.install(in: channel, PathBytes.restore) }
            }.flatMap {
                proxy?.establish(on: channel) ?? channel.eventLoop.makeSucceededVoidFuture()
            }
        }
        if key.isSecure, proxy == nil { configuration.tlsConfiguration = try TLSSetup.configuration(key.route) }
        return configuration
    }

    /// Why a connection that stands is not used after all: what a name stands for can not change any more before the
    /// request is sent.
    static func refusal(of address: SocketAddress?) -> Failure? {
        let text = address?.ipAddress
        if let known = text.flatMap(NetworkAddress.init(literal:)), !known.isPrivate { return nil }
        return Failure(
            .redirect,
            "the way leads to '\(text ?? "nowhere")', inside a private network, which is refused", isRetryable: false)
    }
}
