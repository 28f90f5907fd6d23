import ArgumentParser
import DownloadLedger
import LedgerModel

/// How much is done at once, in `get` and `run`; up to whoever holds the ledger.
struct PoolOptions: ParsableArguments {
    /// The most downloads at once: beyond it connections and files only stand in each other's way.
    static let runningMax = 1024

    @Option(
        name: .shortAndLong, parsing: .unconditional,
        help: ArgumentHelp("Downloads at once (default: 4).", valueName: "n"), transform: Int.within(1...runningMax))
    var jobs: Int?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Downloads at once from one host (default: 4).", valueName: "n"),
        transform: Int.within(1...runningMax))
    var perHost: Int?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The highest rate of all downloads together, such as 10M.", valueName: "rate"),
        transform: ByteSize.parse)
    var maxRate: ByteSize?
}

extension PoolOptions {
    /// Whether any of them was given.
    var isAsked: Bool { jobs != nil || perHost != nil || maxRate != nil }

    /// How the ledger is held, by these flags over what is configured.
    func configuration(under settings: Settings) -> ServiceConfiguration {
        var configuration = ServiceConfiguration()
        if let jobs = jobs ?? settings.jobs { configuration.limits.runningMax = jobs }
        if let perHost = perHost ?? settings.perHost { configuration.limits.runningPerHostMax = perHost }
        configuration.bytesPerSecondMax = (maxRate ?? settings.maxRate)?.limit
        return configuration
    }
}
