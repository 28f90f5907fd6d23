import NIOCore
import NIOEmbedded
import Synchronization
import Testing

@testable import LedgerHTTP

/// What a rate limit holds back is read in small lots.
@Suite struct HeldReadsTests {
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
