import ArgumentParser
import DownloadLedger
import LedgerModel

/// How much is done at once, in `get` and `run`; up to whoever holds the ledger.
struct PoolOptions: ParsableArguments {
    @Option(name: .shortAndLong, help: ArgumentHelp("Downloads at once (default: 4).", valueName: "n"))
    var jobs: Int?

    @Option(help: ArgumentHelp("Downloads at once from one host (default: 4).", valueName: "n"))
    var perHost: Int?

    @Option(help: ArgumentHelp("The highest rate of all downloads together, such as 10M.", valueName: "rate"))
    var maxRate: ByteSize?

    func validate() throws {
        if let jobs, jobs < 1 { throw ValidationError("'--jobs' must be at least 1.") }
        if let perHost, perHost < 1 { throw ValidationError("'--per-host' must be at least 1.") }
    }
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
