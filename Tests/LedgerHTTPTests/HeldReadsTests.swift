import HTTPTypes
import LedgerModel
import LedgerTestSupport
import LedgerTransfer
import NIOCore
import NIOEmbedded
import Synchronization
import Testing

@testable import LedgerHTTP

/// What a rate limit holds back: it comes in small lots, and is read so.
@Suite struct HeldReadsTests {
    @Test func `a limit that is set in the middle of a body holds for what has arrived already`() async throws {
        let body = OriginEntity.pattern(6 << 20)
        let (origin, transport) = (try await OriginServer.start(), HTTPTransport())
        origin.on("/big.iso") { OriginEntity(body).reply(to: $0) }
        let sink = LimitedSink(after: 4 << 20)
        let request = TransferRequest(
            url: try origin.url("/big.iso"), fields: [:],
            route: TransferRequest.Route(silenceMillisecondsMax: 30_000))
        try await transport.fetch(request) { _ throws(Failure) in sink }
        let taken = sink.taken.withLock { $0 }
        #expect(taken.bytes == body)
        #expect(taken.largest == LimitedSink.lot)
        await transport.shutdown()
        try await origin.stop()
    }

    @Test func `a read is a small one again once it was held back for long`() throws {
        let now = Mutex(NIODeadline.uptimeNanoseconds(0))
        let handler = HeldReads(TransientReads(bytesMin: 16, bytesMax: 64)) { now.withLock { $0 } }
        let channel = EmbeddedChannel(handler: handler)
        try channel.connect(to: SocketAddress(unixDomainSocketPath: "/nowhere")).wait()
        var large = TransientReads(bytesMin: 16, bytesMax: 64)
        for bytes in [16, 32] { _ = large.record(actualReadBytes: bytes) }
        try channel.syncOptions?.setOption(ChannelOptions.recvAllocator, value: large)
        for (wait, bytes) in [(HeldReads.heldMax, 64), (HeldReads.heldMax + .milliseconds(1), 16)] {
            channel.pipeline.fireChannelReadComplete()
            now.withLock { $0 = $0 + wait }
            channel.read()
            let reads = try channel.syncOptions?.getOption(ChannelOptions.recvAllocator)
            #expect(reads?.buffer(allocator: ByteBufferAllocator()).capacity == bytes)
        }
    }
}

/// Takes all at first, and then little at once, with a pause after each.
private final class LimitedSink: BodySink {
    static let lot = 16 << 10

    struct Taken {
        var bytes: [UInt8] = []
        /// The most that was given at once since there is a limit.
        var largest = 0
    }

    let taken = Mutex(Taken())
    private let freeBytes: Int

    init(after freeBytes: Int) { self.freeBytes = freeBytes }

    var bytesAtOnceMax: Int { taken.withLock { $0.bytes.count } < freeBytes ? .max : Self.lot }

    func write(_ span: RawSpan) throws(Failure) -> Duration {
        let bytes = span.withUnsafeBytes { Array($0) }
        return taken.withLock { taken in
            let isLimited = taken.bytes.count >= freeBytes
            taken.bytes += bytes
            if isLimited { taken.largest = max(taken.largest, bytes.count) }
            return isLimited ? .microseconds(100) : .zero
        }
    }

    func pause() -> Duration { .zero }
}
