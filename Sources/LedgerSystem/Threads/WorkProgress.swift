import Synchronization

/// How far long work has come, in bytes: raised by whoever does it, read by whoever shows it.
package final class WorkProgress: Sendable {
    private let state = Mutex<(done: UInt64, total: UInt64)>((0, 0))

    /// Nothing to do yet.
    package init() {}

    /// The bytes that were read, and those that are to be, as far as is known.
    package var bytes: (done: UInt64, total: UInt64) { state.withLock { $0 } }

    /// Counts bytes that are to be read.
    package func expect(_ bytes: UInt64) { state.withLock { $0.total &+= bytes } }

    /// Counts bytes that were read.
    package func advance(_ bytes: UInt64) { state.withLock { $0.done += bytes } }
}
