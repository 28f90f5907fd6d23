package import CoreMetrics
package import LedgerSystem

/// Where disk, time, chance and threads come in: the real ones, or a test's.
package struct World: Sendable {
    /// Every touch of a disk.
    package let fileSystem: any FileSystem
    /// Every look at a clock.
    package let clock: any LedgerClock
    /// Every drawn number.
    package let random: @Sendable () -> UInt64
    /// Where calls that block are made.
    package let blocking: BlockingPool
    /// Where files are read to their end that may be of any length: nothing else waits there.
    package let readers: BlockingPool
    /// Who runs the ledger's jobs in place of a thread of its own; nil in the real world.
    package let taker: WorkTaker?
    /// Where work is counted: an app's own collector, or nowhere.
    package var metrics: any MetricsFactory & Sendable

    /// A world of these parts; without a pool for reading, files are read where the other calls are made.
    package init(
        fileSystem: any FileSystem, clock: any LedgerClock, random: @escaping @Sendable () -> UInt64,
        blocking: BlockingPool, readers: BlockingPool? = nil, handingTo taker: WorkTaker? = nil,
        metrics: any MetricsFactory & Sendable = NOOPMetricsHandler.instance
    ) {
        self.fileSystem = fileSystem
        self.clock = clock
        self.random = random
        self.blocking = blocking
        self.readers = readers ?? blocking
        self.taker = taker
        self.metrics = metrics
    }

    /// A number from 0 up to, but not including, 1.
    package func fraction() -> Double { Double(random() >> 11) * 0x1p-53 }
}

extension World {
    /// The machine this process runs on; work is counted by what `MetricsSystem` was given.
    package static func system() -> World {
        World(
            fileSystem: RealFileSystem(), clock: SteadyClock(SystemClock()),
            random: {
                var generator = SystemRandomNumberGenerator()
                return generator.next()
            }, blocking: BlockingPool(), readers: BlockingPool(threads: 2), metrics: MetricsSystem.factory)
    }
}
