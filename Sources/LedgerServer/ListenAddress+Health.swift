import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

extension ListenAddress {
    /// How long an answer is waited for, in seconds.
    private static let answerSecondsMax: Int64 = 2
    /// How much of an answer is read, in bytes.
    fileprivate static let answerBytesMax = 4096

    /// Asks `/healthz`, without a token: plain, and else over TLS.
    /// - Returns: the beginning of the answer, its head first; nil when there is none in time, or none of HTTP.
    /// - Throws: when nobody listens.
    package func health() async throws -> String? {
        if let plain = try await healthz(), plain.hasPrefix("HTTP/") { return plain }
        // Whether the certificate can be trusted is its clients' to say: it is asked only who is there.
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.certificateVerification = .none
        do { return try await healthz(try NIOSSLContext(configuration: tls)) } catch {
            // Neither the one nor the other: it is another program.
            return nil
        }
    }

    private func healthz(_ tls: NIOSSLContext? = nil) async throws -> String? {
        let answer = AnswerBeginning()
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connectTimeout(.seconds(Self.answerSecondsMax))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let tls {
                        try channel.pipeline.syncOperations.addHandler(
                            NIOSSLClientHandler(context: tls, serverHostname: nil))
                    }
                    try channel.pipeline.syncOperations.addHandler(answer.handler())
                }
            }
            .connect(host: host, port: port).get()
        let deadline = channel.eventLoop.scheduleTask(in: .seconds(Self.answerSecondsMax)) {
            channel.close(promise: nil)
        }
        try await channel.writeAndFlush(
            ByteBuffer(string: "GET /healthz HTTP/1.1\r\nHost: \(self)\r\nConnection: close\r\n\r\n"))
        try await channel.closeFuture.get()
        deadline.cancel()
        return answer.text
    }
}

/// What is read of an answer until its connection ends.
private final class AnswerBeginning: Sendable {
    private let bytes = Mutex<[UInt8]>([])

    /// The text; nil when nothing came.
    var text: String? { bytes.withLock { $0.isEmpty ? nil : String(decoding: $0, as: UTF8.self) } }

    func handler() -> any ChannelHandler & Sendable { Reader(self) }

    private func take(_ more: some Sequence<UInt8>) -> Bool {
        bytes.withLock { bytes in
            bytes += more
            return bytes.count < ListenAddress.answerBytesMax
        }
    }

    private final class Reader: ChannelInboundHandler, Sendable {
        typealias InboundIn = ByteBuffer

        private let answer: AnswerBeginning

        init(_ answer: AnswerBeginning) { self.answer = answer }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            if !answer.take(unwrapInboundIn(data).readableBytesView) { context.close(promise: nil) }
        }
    }
}
