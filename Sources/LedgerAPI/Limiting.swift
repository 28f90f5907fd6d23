package import LedgerModel

/// What `limit` asks of the holder of a ledger; what is nil stays as it is. None of it is recorded: the next holder
/// begins with its own flags.
package struct LimitChange: Hashable, Sendable, Codable {
    /// Downloads at once.
    package var runningMax: Int?
    /// Downloads at once from one host.
    package var runningPerHostMax: Int?
    /// The highest rate of all downloads together in bytes a second; 0 for no limit.
    package var bytesPerSecondMax: UInt64?

    /// No change.
    package init() {}
}

/// The limits that the holder of a ledger works under now.
package struct LimitReport: Hashable, Sendable, Codable {
    /// Downloads at once.
    package var runningMax: Int
    /// Downloads at once from one host.
    package var runningPerHostMax: Int
    /// The highest rate of all downloads together in bytes a second; nil for no limit.
    package var bytesPerSecondMax: UInt64?
    /// Live downloads in the queue.
    package var queuedDownloadsMax: Int
    /// What becomes of one more: the name of a ``QueuePolicy``.
    package var queuePolicy: String
    /// The hours of the day in which any download may run; nil for all of them.
    package var window: String?
    /// How many downloads run now.
    package var running: Int
    /// How many live downloads there are.
    package var queued: Int

    /// The limits as they are.
    package init(_ limits: Limits, bytesPerSecondMax: UInt64?, running: Int, queued: Int) {
        runningMax = limits.runningMax
        runningPerHostMax = limits.runningPerHostMax
        self.bytesPerSecondMax = bytesPerSecondMax
        queuedDownloadsMax = limits.queuedDownloadsMax
        queuePolicy = limits.queuePolicy.rawValue
        window = limits.window?.description
        self.running = running
        self.queued = queued
    }
}
