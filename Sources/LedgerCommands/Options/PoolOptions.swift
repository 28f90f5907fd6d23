import ArgumentParser
import LedgerHolder
import LedgerModel
import LedgerTransfer
import LedgerViews

/// How much is done at once; up to whoever holds the ledger.
struct PaceOptions: ParsableArguments {
    @Option(
        name: .joined("j"), parsing: .unconditional,
        help: ArgumentHelp("Downloads at once (default: 4).", valueName: "n"),
        transform: Int.within(1...PoolOptions.runningMax))
    var jobs: Int?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Downloads at once from one host (default: 4).", valueName: "n"),
        transform: Int.within(1...PoolOptions.runningMax))
    var perHost: Int?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The highest rate of all downloads together, such as 10M.", valueName: "rate"),
        transform: ByteSize.parse)
    var maxRate: ByteSize?

    /// Whether any of them was given.
    var isAsked: Bool { jobs != nil || perHost != nil || maxRate != nil }
}

/// How the work is done, in `get` and `run`; up to whoever holds the ledger.
struct PoolOptions: ParsableArguments {
    /// The most downloads at once: beyond it connections and files only stand in each other's way.
    static let runningMax = 1024

    @OptionGroup
    var pace: PaceOptions

    @OptionGroup(title: "The queue")
    var queue: QueueOptions

    @OptionGroup(title: "After a failure")
    var retry: RetryOptions
}

/// How long the queue may be, in `get` and `run`.
struct QueueOptions: ParsableArguments {
    /// The longest queue: about as many as fit into memory.
    static let queuedMax = 10_000_000

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Downloads in the queue at most (default: ten million).", valueName: "n"),
        transform: Int.within(1...queuedMax))
    var queueMax: Int?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "What happens to one more: refuse it, or evict-oldest or evict-newest of the lowest priority.",
            valueName: "policy"),
        transform: QueuePolicy.parse)
    var queuePolicy: QueuePolicy?
}

/// How long is waited before an attempt that failed for a passing reason is made again, in `get` and `run`.
struct RetryOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The most that the first retry waits (default: 250ms, and 1s for the second).", valueName: "time"),
        transform: Silence.parse)
    var retryWait: Silence?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("How much longer each later one may wait (default: 2).", valueName: "factor"),
        transform: GrowthFactor.parse)
    var retryFactor: GrowthFactor?

    @Option(
        parsing: .unconditional, help: ArgumentHelp("The most that any retry waits (default: 5m).", valueName: "time"),
        transform: Silence.parse)
    var retryCap: Silence?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The longest Retry-After of an origin that is heeded (default: 1h).", valueName: "time"),
        transform: Silence.parse)
    var retryAfterCap: Silence?
}

extension PoolOptions {
    /// Whether any of them was given.
    var isAsked: Bool {
        let retries = [retry.retryWait, retry.retryCap, retry.retryAfterCap].contains { $0 != nil }
        return pace.isAsked || queue.queueMax != nil || queue.queuePolicy != nil || retry.retryFactor != nil || retries
    }

    /// How the ledger is held, by these flags over what is configured.
    func configuration(under settings: Settings) -> ServiceConfiguration {
        var configuration = ServiceConfiguration()
        configuration.limits = settings.limits
        configuration.trash = settings.trash
        if let compactAt = settings.compactAt { configuration.compaction.logBytesMin = compactAt.limit }
        if let jobs = pace.jobs { configuration.limits.runningMax = jobs }
        if let perHost = pace.perHost { configuration.limits.runningPerHostMax = perHost }
        configuration.bytesPerSecondMax = (pace.maxRate ?? settings.maxRate)?.limit
        if let most = queue.queueMax { configuration.limits.queuedDownloadsMax = most }
        if let policy = queue.queuePolicy { configuration.limits.queuePolicy = policy }
        configuration.transfer.retry = retryPolicy(under: settings)
        if let redirectsMax = settings.redirectsMax { configuration.transfer.redirectsMax = redirectsMax }
        if let cap = retry.retryAfterCap ?? settings.retryAfterCap {
            configuration.transfer.retryAfterSecondsMax = UInt32(cap.span.duration.components.seconds)
        }
        return configuration
    }

    /// The curve: with a first wait that was given, the second may be as much longer as any later one.
    private func retryPolicy(under settings: Settings) -> RetryPolicy {
        var policy = RetryPolicy()
        if let factor = retry.retryFactor ?? settings.retryFactor { policy.factor = factor.value }
        if let wait = retry.retryWait ?? settings.retryWait {
            policy.first = wait.span.duration
            policy.base = policy.first * policy.factor
        }
        if let cap = retry.retryCap ?? settings.retryCap { policy.cap = cap.span.duration }
        return policy
    }
}

extension Settings {
    /// What the trash may hold as it is configured, for whoever holds the ledger.
    var trash: TrashLimits {
        var limits = TrashLimits()
        if let trashSizeMax { limits.sizeBytesMax = trashSizeMax.bytes }
        if let trashDaysMax { limits.daysMax = trashDaysMax }
        return limits
    }

    /// The limits that are configured, for whoever holds the ledger.
    var limits: Limits {
        var limits = Limits()
        if let jobs { limits.runningMax = jobs }
        if let perHost { limits.runningPerHostMax = perHost }
        if let queueMax { limits.queuedDownloadsMax = queueMax }
        if let queuePolicy { limits.queuePolicy = queuePolicy }
        limits.window = window?.window
        return limits
    }
}
