import NIOCore
import NIOPosix

/// Runs work, and cancels it when it takes longer than `seconds` of real time, so that a hang is a failure and not the
/// end of all tests.
package func limited<Answer: Sendable>(
    seconds: Int64, _ work: @escaping @Sendable () async -> Answer
) async -> Answer {
    let task = Task { await work() }
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    let alarm = loop.scheduleTask(in: .seconds(seconds)) { task.cancel() }
    defer { alarm.cancel() }
    return await task.value
}
