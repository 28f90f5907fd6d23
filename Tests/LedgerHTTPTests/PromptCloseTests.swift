import LedgerTestSupport
import NIOCore
import NIOEmbedded
import NIOSSL
import Testing

@testable import LedgerHTTP

/// Leaving an encrypted connection whose other side does not listen.
@Suite struct PromptCloseTests {
    @Test(arguments: [true, false]) func `it is closed at once, after TLS has said so`(_ isPrompt: Bool) throws {
        let (client, server) = try (client(), server())
        let address = try SocketAddress(unixDomainSocketPath: "/nowhere")
        for channel in [server, client] { try channel.connect(to: address).wait() }
        while try Self.pass(from: client, to: server) || Self.pass(from: server, to: client) {}
        if isPrompt { try client.pipeline.syncOperations.addHandler(PromptClose()) }
        client.close(promise: nil)
        client.embeddedEventLoop.run()
        // Without it, TLS waits for the answer of a server that reads nothing.
        #expect(client.isActive == !isPrompt)
        let farewell = try #require(try client.readOutbound(as: ByteBuffer.self))
        #expect(farewell.readableBytes > 0)
        try server.writeInbound(farewell)
        server.embeddedEventLoop.run()
        #expect(!server.isActive, "what it was told is a proper end")
    }

    private func client() throws -> EmbeddedChannel {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.certificateVerification = .none
        return EmbeddedChannel(
            handler: try NIOSSLClientHandler(context: NIOSSLContext(configuration: configuration), serverHostname: nil))
    }

    private func server() throws -> EmbeddedChannel {
        let chain = try NIOSSLCertificate.fromPEMBytes(Array(OriginCertificate.certificate.utf8))
        let key = try NIOSSLPrivateKey(bytes: Array(OriginCertificate.key.utf8), format: .pem)
        let configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
        return EmbeddedChannel(handler: NIOSSLServerHandler(context: try NIOSSLContext(configuration: configuration)))
    }

    /// Hands on what one side has sent; whether there was something.
    private static func pass(from one: EmbeddedChannel, to other: EmbeddedChannel) throws -> Bool {
        guard let bytes = try one.readOutbound(as: ByteBuffer.self) else { return false }
        try other.writeInbound(bytes)
        return true
    }
}
