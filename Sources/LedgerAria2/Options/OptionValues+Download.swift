import LedgerAPI
import LedgerModel
import LedgerTransfer

extension OptionValues {
    /// What aria2 shows when nobody said anything, where that is true here; for what is ours to say, what is so.
    static func standard(_ defaults: TransferSettings, directory: String) -> OptionValues {
        var values = OptionValues()
        for spec in OptionSpec.all.values { values[spec.name] = spec.standard }
        values["dir"] = directory
        values["user-agent"] = defaults.userAgent
        values["max-tries"] = tries(defaults.retry.retriesMax)
        values["timeout"] = String(max(1, defaults.silenceMillisecondsMax / 1000))
        return values
    }

    /// The options of a download: what its order says, over what its client said, over what is so for all.
    init(_ download: Download, remembered: OptionValues, global: OptionValues) {
        self = remembered.over(global).only(.shownOfOne, .added)
        let (order, options) = (download.order, download.order.options.value)
        self["dir"] = order.destination.directory
        self["out"] = order.destination.name
        self["max-download-limit"] = String(options.bytesPerSecondMax ?? 0)
        if let retries = options.retriesMax { self["max-tries"] = Self.tries(retries) }
        // What was asked for elsewhere may be more than aria2 knows; what is shown must be good to be given again.
        if let silence = options.silenceMillisecondsMax { self["timeout"] = String(min(max(1, silence / 1000), 600)) }
        if let ranges = options.rangesMax, remembered.rangesMax != ranges {
            self["split"] = String(ranges)
            self["max-connection-per-server"] = String(ranges)
        }
        self["user-agent"] = options.userAgent ?? global["user-agent"]
        self["remote-time"] = String(options.keepsRemoteTime)
        self["http-accept-gzip"] = String(options.decompresses)
        self["allow-overwrite"] = String(order.destination.collision == .overwrite)
        self["auto-file-renaming"] = String(![.skip, .refuse].contains(order.destination.collision))
        self["checksum"] = order.expected.map { $0.algorithm.rawValue + "=" + $0.hex }
        // Neither stands in the order as it was written; what is known of them is what is in memory.
        self["header"] = remembered["header"]
        self["no-proxy"] = options.noProxy ?? self["no-proxy"]
        self["pause"] = nil
        self["gid"] = nil
        self["check-certificate"] = options.isInsecure ? "false" : nil
    }

    private static func tries(_ retries: UInt32) -> String { retries == .max ? "0" : String(UInt64(retries) + 1) }

    /// Those that are shown for a use, and those that a client gave for it.
    func only(_ shown: OptionSpec.Uses, _ given: OptionSpec.Uses) -> OptionValues {
        var rest = self
        for (name, value) in values {
            guard let spec = OptionSpec.all[name] else { continue }
            let isShown = spec.uses.contains(shown) || spec.uses.contains(given) && value != spec.standard
            if !isShown { rest[name] = nil }
        }
        return rest
    }

    /// The options as an answer shows them.
    var shown: WireValue { .object(of: withoutSecrets.values.map { ($0.key, .text($0.value)) }) }
}
