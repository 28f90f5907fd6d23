import LedgerModel
import LedgerSystem
import LedgerTestSupport
import NIOCore
import NIOPosix
import SystemPackage
import Testing

@testable import LedgerCommands

/// The real program, told to stop while others are in the middle of something with it.
struct StopTests {
    /// How long SIGTERM may take, as the program promises.
    static let stopMax = Duration.seconds(5)

    @Test(.timeLimit(.minutes(10))) func `SIGTERM ends it in time, whoever reads, writes or stands still`() async throws
    {
        let (shell, gate) = (try Shell(), OriginGate())
        let origin = try await OriginServer.start()
        origin.serve("/a.bin", OriginEntity(OriginEntity.pattern(300_000)), stoppingAt: 200_000, gate)
        let large = OriginEntity(OriginEntity.pattern(16 << 20))
        origin.serve("/large.bin", large)
        let urls = try ["/large.bin", "/a.bin"].map { try origin.url($0).text }
        #expect(await shell.run(["add", "-d", "out"] + urls).code == 0)
        let port = try await OriginServer.freePort()
        let process = try shell.start(["run", "--jobs", "8", "--listen", "127.0.0.1:\(port)"])
        defer { process.send(.kill) }
        try await shell.wait(for: "\"state\":\"completed\"", in: "list", "--json", from: process)
        try await shell.wait(for: "\"received\":200000", in: "list", "--json", from: process)

        var clients: [SlowClient] = []
        for request in [
            "GET /v1/events/stream HTTP/1.1\r\nHost: localhost\r\n\r\n",
            "GET /files/1 HTTP/1.1\r\nHost: localhost\r\n\r\n",
            """
            GET /jsonrpc HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
            Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n
            """,
            "POST /v1/downloads HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                + "Content-Length: 1000\r\n\r\n{",
            "GET /v1/sta",
            "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
        ] {
            clients.append(try await SlowClient(port: port, request))
        }
        // Each has the beginning of its answer, but for those that have not asked yet.
        for client in clients where client.request.hasSuffix("\r\n\r\n") { await client.answered() }

        // Its configuration is read anew by the first signal, which is not to end it.
        process.send(.hangUp)
        let start = ContinuousClock.now
        process.send(.terminate)
        #expect(await process.wait() == 0)
        let took = ContinuousClock.now - start
        #expect(took < Self.stopMax, "it took \(took)")
        for client in clients { await client.close() }
        let resumed = await shell.run("run", "--until-idle", "--no-api")
        #expect(resumed.code == 0, "\(resumed.errors)")
        #expect(origin.requests.last?.rangeStart == 200_000)
        gate.open()
        try await origin.stop()
    }

    /// How it is started where what ends it would be kept from it, and what ends it all the same.
    private static let deafStarts: [(arguments: [String], signal: Signal)] = {
        // What 'sh' does for a command with '&' behind it.
        var starts = [(["/bin/sh", "-c", #"trap "" INT; exec "$0" run --no-api"#], Signal.interrupt)]
        #if os(Linux)
            let blocking = ["/usr/bin/env", "--block-signal=TERM", "sh", "-c", #"exec "$0" run --no-api"#]
            starts.append((blocking, .terminate))
        #endif
        return starts
    }()

    @Test(.timeLimit(.minutes(5)), arguments: deafStarts.indices)
    func `it is ended where a shell ignored the signal, or whoever started it blocked it`(index: Int) async throws {
        let start = Self.deafStarts[index]
        let shell = try Shell()
        let origin = try await OriginServer.start()
        origin.serve("/a.bin", OriginEntity([1, 2, 3]))
        #expect(await shell.run("add", "-d", "out", try origin.url("/a.bin").text).code == 0)
        let program = try CurrentProcess.executable().removingLastComponent().appending("ledger").string
        let process = try ChildProcess(
            FilePath(start.arguments[0]), start.arguments.dropFirst() + [program],
            environment: shell.processEnvironment, output: .discarded)
        defer { process.send(.kill) }
        try await shell.wait(for: "\"state\":\"completed\"", in: "list", "--json", from: process)
        process.send(start.signal)
        #expect(await process.wait() == 0)
        try await origin.stop()
    }
}

/// A client that asks, reads the beginning of what it is answered, and then takes nothing.
private final class SlowClient: Sendable {
    let request: String
    private let channel: any Channel
    private let answer: EventLoopFuture<Void>

    init(port: Int, _ request: String) async throws {
        self.request = request
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let promise = loop.makePromise(of: Void.self)
        answer = promise.futureResult
        channel = try await ClientBootstrap(group: loop)
            .channelOption(ChannelOptions.autoRead, value: false)
            .channelOption(ChannelOptions.maxMessagesPerRead, value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(FirstBytes(promise))
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
        try await channel.writeAndFlush(ByteBuffer(string: request))
        channel.read()
    }

    /// Waits for the first bytes of the answer.
    func answered() async {
        do { try await answer.get() } catch { Issue.record("'\(request.prefix(30))' was not answered: \(error)") }
    }

    func close() async {
        do { try await channel.close() } catch ChannelError.alreadyClosed {
            // The server was quicker.
            return
        } catch { Issue.record("\(error)") }
    }
}

/// Tells of the first bytes, and reads no more.
private final class FirstBytes: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private var promise: EventLoopPromise<Void>?

    init(_ promise: EventLoopPromise<Void>) { self.promise = promise }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        promise?.succeed()
        promise = nil
    }

    func channelInactive(context: ChannelHandlerContext) {
        promise?.fail(ChannelError.eof)
        promise = nil
    }
}
