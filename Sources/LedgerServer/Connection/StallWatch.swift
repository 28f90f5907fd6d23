import NIOCore

/// Cuts a connection whose client takes nothing of what it is sent.
final class StallWatch: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = NIOAny

    private let millisecondsMax: Int64
    private var end: Scheduled<Void>?

    /// A watch with this much patience.
    init(_ patience: ConnectionPatience) { millisecondsMax = patience.stallMillisecondsMax }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        end?.cancel()
        end = nil
        if !context.channel.isWritable { watch(context, since: Self.left(context), looks: 0) }
        context.fireChannelWritabilityChanged()
    }

    func channelInactive(context: ChannelHandlerContext) {
        end?.cancel()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { end?.cancel() }

    /// How often it is looked in that time whether something of what is left was taken.
    private static let looksMax = 5

    private func watch(_ context: ChannelHandlerContext, since before: Int, looks: Int) {
        let bound = NIOLoopBound((watch: self, context: context), eventLoop: context.eventLoop)
        end = context.eventLoop.scheduleTask(in: .milliseconds(millisecondsMax / Int64(Self.looksMax))) {
            let (watch, context) = bound.value
            let now = Self.left(context)
            if now < before {
                watch.watch(context, since: now, looks: 0)
            } else if looks + 1 < Self.looksMax {
                watch.watch(context, since: before, looks: looks + 1)
            } else {
                context.close(promise: nil)
            }
        }
    }

    /// The bytes that the system has not taken yet.
    private static func left(_ context: ChannelHandlerContext) -> Int {
        do { return try context.channel.syncOptions?.getOption(.bufferedWritableBytes) ?? .max } catch {
            // A channel that does not say it, or is closed: nothing was seen to be taken.
            return .max
        }
    }
}
