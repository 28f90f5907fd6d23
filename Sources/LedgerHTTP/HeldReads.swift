import NIOCore

/// Starts with small reads again once the next one was held back for long, as a rate limit does: else each would bring
/// as much as the connection is fast, to be paid for in one long silence.
///
/// Stands next to the socket of one HTTP/1.1 connection. A read grows while it is paid for within ``heldMax``, so one
/// brings about a quarter of a second's worth, or the smallest there is.
final class HeldReads: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = NIOAny
    typealias OutboundOut = NIOAny

    /// How long a read may be held back, and the next one be larger nevertheless.
    static let heldMax = TimeAmount.milliseconds(125)

    private let reads: TransientReads
    private let now: () -> NIODeadline
    private var doneAt: NIODeadline

    /// A handler that starts again with `reads`, by a clock that tests move.
    init(_ reads: TransientReads, now: @escaping () -> NIODeadline = NIODeadline.now) {
        self.reads = reads
        self.now = now
        doneAt = now()
    }

    /// Puts a handler of this kind before all others of a connection.
    static func install(_ reads: TransientReads, in channel: any Channel) throws {
        try channel.pipeline.syncOperations.addHandler(HeldReads(reads), position: .first)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        context.fireChannelReadComplete()
        // What was read is written by now: only what comes after that is waiting.
        doneAt = now()
    }

    func read(context: ChannelHandlerContext) {
        if now() - doneAt > Self.heldMax {
            do { try context.channel.syncOptions?.setOption(ChannelOptions.recvAllocator, value: reads) } catch {
                // Closed: nothing is read any more.
            }
        }
        context.read()
    }
}
