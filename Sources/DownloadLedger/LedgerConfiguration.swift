public import FoundationEssentials
import LedgerAPI
import LedgerEngine
import LedgerHolder
import LedgerModel
package import LedgerTransfer
public import Logging

/// How a ledger is held. What is not set is as the program `ledger` has it.
///
/// ```swift
/// var configuration = LedgerConfiguration()
/// configuration.directory = files
/// configuration.retries = .fixed([.seconds(5), .seconds(15), .seconds(60)])
/// configuration.runningMax = 3
/// let ledger = try await DownloadLedger.open(at: directory, configuration: configuration)
/// ```
///
/// Nothing of it is recorded: it holds until the ledger is closed, and another one may hold then.
public struct LedgerConfiguration: Sendable {
    /// When an attempt that failed for a passing reason is made again. Attempts that brought bytes do not count; a
    /// longer wait that the origin asks for (`Retry-After`) is kept to, within bounds.
    ///
    /// ```swift
    /// configuration.retries = .exponential(base: .seconds(2), cap: .seconds(600), count: 10)
    /// ```
    public enum Retries: Hashable, Sendable {
        /// After these waits, one after the other; as many times as there are waits.
        case fixed([Duration])
        /// After `step`, twice `step`, three times and so on, at most `cap`, `count` times.
        case linear(step: Duration, cap: Duration = .seconds(300), count: UInt16 = 5)
        /// After up to `base`, `factor` times as much each time, at most `cap`, `count` times: by chance between
        /// nothing and that bound, so that many clients do not come back at once ("full jitter").
        case exponential(
            base: Duration = .seconds(1), factor: Double = 2, cap: Duration = .seconds(300), count: UInt32 = 5)
        /// Never.
        case never
    }

    /// Which of those that wait comes next, of one priority.
    ///
    /// ```swift
    /// configuration.order = .lifo
    /// ```
    public enum Order: String, Hashable, Sendable, Codable, CaseIterable {
        /// The one that was enqueued first.
        case fifo
        /// The one that was enqueued last.
        case lifo
    }

    /// What becomes of one download more than ``queuedMax``.
    ///
    /// ```swift
    /// (configuration.queuedMax, configuration.overflow) = (100, .evictOldest)
    /// ```
    public enum Overflow: String, Hashable, Sendable, Codable, CaseIterable {
        /// It is refused with `queue-full`.
        case refuse
        /// It takes the place of the oldest of the lowest priority that does not run, which fails with `evicted`.
        case evictOldest
        /// It takes the place of the newest of the lowest priority that does not run, which fails with `evicted`.
        case evictNewest
    }

    /// How much is said through ``logger``; each says what the one before it says, too.
    ///
    /// ```swift
    /// configuration.verbosity = .events
    /// configuration.logger = logger
    /// ```
    public enum Verbosity: Int, Hashable, Sendable, Codable, CaseIterable, Comparable {
        /// Nothing.
        case silent
        /// What goes wrong beside what anyone asked for, at the level `error`.
        case errors
        /// What happens to downloads, too: at the level `info`, retries at `notice`, failures at `warning`.
        case events

        public static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
    }

    /// Where files go that are given no destination. Nil: the directory `downloads` in the ledger's own.
    public var directory: URL?
    /// The directory that may be moved as a whole between two starts, with the ledger and all files in it: the app's
    /// container, which gets another path at an update of the app, or when a backup is restored to another device.
    ///
    /// What was in it when the ledger was last open is looked for where it is now: finished files, what is half there,
    /// the trash. On iOS, tvOS, watchOS and visionOS it is the app's home directory unless it is set, elsewhere nil,
    /// and nothing is looked for elsewhere. It is without effect where the ledger's own directory is not in it.
    ///
    /// ```swift
    /// configuration.container = container
    /// let ledger = try await DownloadLedger.open(
    ///     at: container.appending(path: "ledger"), configuration: configuration)
    /// ```
    public var container: URL? = usualContainer
    /// What files are called that are given no name; those of a ``Listing`` are called as it or their origin says.
    public var naming = NamingStrategy.name
    /// Downloads at once; with 0 nothing is begun.
    public var runningMax = 4
    /// Downloads at once from one host.
    public var runningPerHostMax = 4
    /// Downloads that have not ended, at most.
    public var queuedMax = 10_000_000
    /// What becomes of one more than ``queuedMax``.
    public var overflow = Overflow.refuse
    /// Which of those that wait comes next.
    public var order = Order.fifo
    /// When failed attempts are made again.
    public var retries = Retries.exponential()
    /// The highest rate of all downloads together in bytes a second; nil or 0 for no limit.
    public var bytesPerSecondMax: UInt64?
    /// The `User-Agent` to send.
    public var userAgent = "DownloadLedger"
    /// How bytes arrive; nil for HTTP of the ledger's own.
    public var provider: (any TransferProvider)?
    /// The longest silence of an origin: to connect, to the first byte, between bytes. To the millisecond. How long a
    /// ``provider`` may be silent is its own to bound.
    public var silenceMax = Duration.seconds(60)
    /// How many days deleted files stay in the trash, from which ``DownloadLedger/undo()`` brings them back.
    public var trashDaysMax: UInt32 = 30
    /// How many bytes the trash holds at most (10 GiB); the oldest go first.
    public var trashBytesMax: UInt64 = 10 << 30
    /// Whether the program `ledger` may work on this ledger too while the app holds it, over a socket beside the log
    /// that only this user can open.
    public var servesSocket = false
    /// How much is said through ``logger``.
    public var verbosity = Verbosity.errors
    /// Where it is said (swift-log); without secrets.
    public var logger = Logger(label: "DownloadLedger")
    /// Says why nothing is to be downloaded now, if so: no network, a metered one, low power.
    ///
    /// What runs is stopped, all but about its last second stays, and downloads are `waiting` with that reason. Asked
    /// whenever something may begin, and once a minute; ``DownloadLedger/networkChanged()`` has it asked at once.
    /// Called on any thread: answer from memory.
    ///
    /// ```swift
    /// configuration.policy = { [monitor] in monitor.isOnline ? nil : .offline }
    /// ```
    public var policy: @Sendable () -> NotNow? = { nil }
    /// Makes what bytes arrive by when there is no ``provider``; nil for the usual one.
    package var transport: (@Sendable () -> any Transport)?

    /// The usual configuration.
    public init() {}

    #if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
        private static let usualContainer: URL? = URL.homeDirectory
    #else
        private static let usualContainer: URL? = nil
    #endif
}

extension LedgerConfiguration {
    /// - Throws: ``DownloadError``: `usage` for a bound that nothing could keep.
    func requireBounds() throws(DownloadError) {
        try Self.requireBound("runningMax", runningMax)
        try Self.requireBound("runningPerHostMax", runningPerHostMax)
        try Self.requireBound("queuedMax", queuedMax)
        guard silenceMax >= .milliseconds(1) else {
            throw DownloadError(
                "usage", "'silenceMax' is \(silenceMax), and a millisecond is the least", next: "set a longer one")
        }
    }

    /// - Throws: ``DownloadError``: `usage` for less than nothing.
    static func requireBound(_ name: String, _ bound: Int?) throws(DownloadError) {
        guard let bound, bound < 0 else { return }
        throw DownloadError("usage", "'\(name)' is \(bound), and 0 is the least", next: "set a bound from 0 on")
    }

    /// How the service is configured for it.
    func service() -> ServiceConfiguration {
        var service = ServiceConfiguration()
        service.actor = .api
        service.limits = Limits(
            runningMax: runningMax, runningPerHostMax: runningPerHostMax, queuedDownloadsMax: queuedMax,
            queuePolicy: overflow.policy)
        service.limits.queueOrder = order == .fifo ? .fifo : .lifo
        service.bytesPerSecondMax = bytesPerSecondMax == 0 ? nil : bytesPerSecondMax
        if let provider {
            service.transport = { ProvidedTransport(provider) }
        } else if let transport {
            service.transport = transport
        }
        service.transfer.userAgent = userAgent
        service.transfer.silenceMillisecondsMax = UInt32(clamping: silenceMax.milliseconds)
        service.transfer.retry = retries.policy
        service.trash = TrashLimits(sizeBytesMax: trashBytesMax, daysMax: trashDaysMax)
        service.servesSocket = servesSocket
        service.mayRun = { [policy] in policy().map { LedgerEngine.NotNow($0.reason) } }
        if verbosity >= .errors {
            service.notice = { [logger] problem in
                logger.error("\(problem.message)", metadata: ["code": "\(problem.code.rawValue)"])
            }
        }
        return service
    }
}

extension LedgerConfiguration.Overflow {
    fileprivate var policy: QueuePolicy {
        switch self {
        case .refuse: .refuse
        case .evictOldest: .evictOldest
        case .evictNewest: .evictNewest
        }
    }
}

extension LedgerConfiguration.Retries {
    fileprivate var policy: RetryPolicy {
        switch self {
        case .never: RetryPolicy(retriesMax: 0)
        case .fixed(let waits): RetryPolicy(waits: waits)
        case .linear(let step, let cap, let count):
            RetryPolicy(waits: (0..<count).map { min(cap, step * (Int($0) + 1)) })
        case .exponential(let base, let factor, let cap, let count):
            RetryPolicy(first: base, base: base * factor, cap: cap, factor: factor, retriesMax: count)
        }
    }
}

extension Duration {
    /// Whole milliseconds; saturates.
    var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        return Int64(clamping: Int128(seconds) * 1000 + Int128(attoseconds / 1_000_000_000_000_000))
    }
}
