import LedgerServer
import NIOCore
import NIOPosix
import Synchronization

/// The API: who answers at its address.
extension Examination {
    /// How long an answer is waited for, in seconds.
    static let answerSecondsMax: Int64 = 2
    /// How much of an answer is read, in bytes.
    static let answerBytesMax = 4096

    /// Asks `/healthz` at the address, without a token; only ever of this machine.
    func api(isHeld: Bool) async -> Finding {
        guard address.isLoopback else {
            return Finding("api", .ok, "'\(address)' is not asked: it is not of this machine alone")
        }
        let answer: String?
        do { answer = try await healthz() } catch {
            let words = "nobody answers at \(address)"
            guard isHeld else { return Finding("api", .ok, words) }
            return Finding(
                "api", .warn, words + ", though a process holds the ledger",
                next: "it may run with '--no-api' or listen elsewhere: 'ledger doctor --listen HOST:PORT'")
        }
        guard let answer, answer.lowercased().contains("\r\nserver: ledger\r\n") else {
            return Finding(
                "api", .warn, "another program answers at \(address)", next: "give another address with '--listen'")
        }
        guard answer.hasPrefix("HTTP/1.1 200 ") else {
            return Finding(
                "api", .bad, "the API at \(address) does not say that it is well: \(answer.prefix { !$0.isNewline })",
                next: "look at what 'ledger run' says")
        }
        return Finding("api", .ok, "the API answers at \(address)")
    }

    /// The beginning of the answer; nil when there is none in time.
    private func healthz() async throws -> String? {
        let answer = AnswerBeginning()
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connectTimeout(.seconds(Self.answerSecondsMax))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(answer.handler())
                }
            }
            .connect(host: address.host, port: address.port).get()
        let deadline = channel.eventLoop.scheduleTask(in: .seconds(Self.answerSecondsMax)) {
            channel.close(promise: nil)
        }
        try await channel.writeAndFlush(
            ByteBuffer(string: "GET /healthz HTTP/1.1\r\nHost: \(address)\r\nConnection: close\r\n\r\n"))
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
            return bytes.count < Examination.answerBytesMax
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
