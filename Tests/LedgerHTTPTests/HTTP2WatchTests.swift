import LedgerModel
import LedgerTestSupport
import LedgerTransfer
import NIOCore
import NIOEmbedded
import NIOHPACK
import NIOHTTP2
import Testing

@testable import LedgerHTTP

/// What an HTTP/2 origin may do without ending this process, or keeping it for ever.
@Suite struct HTTP2WatchTests {
    private let body = OriginEntity.pattern(100_000)

    private static func head(_ status: String?, end: Bool = false) -> HTTP2Frame.FramePayload {
        let fields = status.map { HPACKHeaders([(":status", $0)]) } ?? HPACKHeaders([("x-sum", "1")])
        return .headers(HTTP2Frame.FramePayload.Headers(headers: fields, endStream: end))
    }

    private static func data(end: Bool = false) -> HTTP2Frame.FramePayload {
        .data(HTTP2Frame.FramePayload.Data(data: .byteBuffer(ByteBuffer(string: "x")), endStream: end))
    }

    /// How many frames pass to the engine, and whether one was refused.
    private static func pass(_ frames: [HTTP2Frame.FramePayload]) throws -> (passed: Int, isRefused: Bool) {
        let channel = EmbeddedChannel(handler: StreamHead(nil))
        var isRefused = false
        for frame in frames {
            do { try channel.writeInbound(frame) } catch { isRefused = true }
        }
        var passed = 0
        while try channel.readInbound(as: HTTP2Frame.FramePayload.self) != nil { passed += 1 }
        return (passed, isRefused)
    }

    /// A download over HTTP/2 from another origin than the bench's own.
    private func assignment(
        _ bench: Bench, _ url: ResourceURL, silenceMillisecondsMax: UInt32
    ) throws -> Assignment {
        var assignment = try bench.assignment("/a.bin") { options in
            options.isInsecure = true
            options.prefersHTTP2 = true
            options.silenceMillisecondsMax = silenceMillisecondsMax
        }
        (assignment.order.url, assignment.url) = (url, url)
        return assignment
    }

    @Test(arguments: ["", "-1", "0", "2", "99", "1000", "+200", " 200", "20", "0x1", "\u{0662}\u{0660}\u{0660}"])
    func `a status that is none ends the stream`(_ status: String) throws {
        let result = try Self.pass([Self.head(status), Self.head("200"), Self.data(end: true)])
        #expect(result == (0, true))
    }

    @Test func `an answer passes with its trailers, without what came before it`() throws {
        let frames = [Self.head("103"), Self.head("101"), Self.head("200"), Self.data(), Self.head(nil, end: true)]
        #expect(try Self.pass(frames) == (3, false))
        #expect(try Self.pass([Self.head("204", end: true)]) == (1, false))
        #expect(try Self.pass([Self.head("200"), Self.data(end: true), Self.data()]) == (2, false))
    }

    @Test func `what no head came before is refused`() throws {
        for first in [Self.data(), Self.head(nil), Self.head("100", end: true)] {
            #expect(try Self.pass([first, Self.head("200")]) == (0, true))
        }
        #expect(try Self.pass([Self.head("100"), Self.data(end: true)]) == (0, true))
    }

    @Test func `a frame that can not be understood ends its connection`() throws {
        let channel = EmbeddedChannel(handler: NIOHTTP2Handler(mode: .client))
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 443)).wait()
        try HTTP2Watch.install(in: channel)
        // SETTINGS, which comes first.
        try channel.writeInbound(ByteBuffer(bytes: [0, 0, 0, 4, 0, 0, 0, 0, 0]))
        let watch = try channel.pipeline.syncOperations.handler(type: HTTP2Watch.self)
        // A PING of nine bytes (RFC 9113, section 6.7).
        #expect(throws: (any Error).self) {
            try channel.writeInbound(ByteBuffer(bytes: [0, 0, 9, 6, 0, 0, 0, 0, 0] + [UInt8](repeating: 0, count: 9)))
        }
        #expect(!channel.isActive)
        #expect(watch.problem?.code == .protocolViolation)
    }

    @Test(.timeLimit(.minutes(5))) func `a connection whose other end is gone is not asked again`() async throws {
        try await Bench.run(settings: RangeTests.oneRetry) { bench in
            let origin = try await OriginServer.start(isSecure: true, protocols: ["h2"])
            origin.serve("/lost/a.bin", OriginEntity(body))
            let assignment = try assignment(bench, origin.url("/lost/a.bin"), silenceMillisecondsMax: 4000)
            guard case .failed(let failure, .some) = await bench.run(assignment) else {
                return #expect(Bool(false), "it was answered")
            }
            #expect(failure.code == .silence)
            await bench.completes(assignment, as: "a.bin")
            #expect(origin.connectionCount == 2)
            try await origin.stop()
        }
    }

    @Test(.timeLimit(.minutes(5))) func `an origin that agrees to HTTP/2 and is silent keeps nobody`() async throws {
        try await Bench.run(settings: RangeTests.oneRetry) { bench in
            let origin = try await OriginServer.start(isSecure: true, protocols: ["h2"], muteConnections: 1)
            let assignment = try assignment(bench, origin.url("/a.bin"), silenceMillisecondsMax: 4000)
            guard case .failed(let failure, .some) = await bench.run(assignment) else {
                return #expect(Bool(false), "it was answered")
            }
            #expect(failure.code == .connectTimeout)
            // On another connection it talks: nobody waits for the one that it holds for as long as this lasts.
            origin.serve("/a.bin", OriginEntity(body))
            await bench.completes(assignment, as: "a.bin")
            await bench.transport.shutdown()
            try await origin.stop()
        }
    }
}
