import NIOCore

/// Reads as large as a connection is fast, each into a buffer that lives no longer than its bytes.
///
/// The engine keeps a connection's first buffer, grown to the largest read, for as long as the connection stands: with
/// 256 connections that is 256 MiB. So the first one is small, and each later one is new, and free again once its bytes
/// are written: one is alive for each event loop, and malloc hands out the same pages each time.
struct TransientReads: RecvByteBufferAllocator {
    private var sizes: AdaptiveRecvByteBufferAllocator

    /// Reads of `bytesMin` at first, doubled up to `bytesMax` while they come back full.
    init(bytesMin: Int, bytesMax: Int) {
        sizes = AdaptiveRecvByteBufferAllocator(minimum: bytesMin, initial: bytesMin, maximum: bytesMax)
    }

    func buffer(allocator: ByteBufferAllocator) -> ByteBuffer { sizes.buffer(allocator: allocator) }

    /// Says that the next read may be larger, whether it is or not: the engine uses the kept buffer again otherwise.
    mutating func record(actualReadBytes: Int) -> Bool {
        _ = sizes.record(actualReadBytes: actualReadBytes)
        return true
    }
}
