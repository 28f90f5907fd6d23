import LedgerAPI
import LedgerCoding
import LedgerHolder
import LedgerModel

extension Aria2Endpoint {
    /// The methods that are about options and URLs.
    func settle(_ method: Method, _ parameters: Parameters) async throws(Fault) -> WireValue {
        switch method {
        case .getOption:
            switch try await find(try parameters.text(0)) {
            case .download(let item): return options(of: item.download).shown
            case .foreign(let result): return result.options.shown
            }
        case .changeOption:
            let found = try await find(try parameters.text(0))
            let object = try parameters.object(1)
            guard case .download(let item) = found, !item.isStopped else {
                throw .about(found.gid) { "Cannot change option for \($0)" }
            }
            let shown = options(of: item.download).withoutSecrets
            return try await change(item, try OptionValues(object, for: .changed, over: shown), shown)
        case .changeURI: return try await changeURIs(parameters)
        case .getGlobalOption: return try await globalOptions().shown
        default:
            let object = try parameters.object(0)
            return try await changeGlobally(
                try OptionValues(object, for: .changedForAll, over: try await globalOptions()))
        }
    }

    /// What holds for each download that is added, unless its client says otherwise.
    var globalValues: OptionValues {
        memory.global.over(.standard(service.transferDefaults, directory: configuration.directory))
    }

    private func options(of download: Download) -> OptionValues {
        OptionValues(download, remembered: memory.options(of: download.id), global: globalValues)
    }

    /// Options that an order holds and that stay as they are: it says where its bytes came from and where they went.
    private static let fixed: Set<String> = [
        "dir", "out", "header", "user-agent", "referer", "http-user", "http-passwd", "http-no-cache",
        "http-accept-gzip", "checksum", "remote-time", "conditional-get", "allow-overwrite", "auto-file-renaming",
        "no-proxy", "all-proxy", "all-proxy-user", "all-proxy-passwd", "http-proxy", "http-proxy-user",
        "http-proxy-passwd", "https-proxy", "https-proxy-user", "https-proxy-passwd",
    ]

    /// Changes a download that waits or runs. What runs is stopped and goes on by itself where that is needed: the
    /// plan follows the order.
    private func change(_ item: Item, _ values: OptionValues, _ now: OptionValues) async throws(Fault) -> WireValue {
        for name in values.values.keys.sorted() where Self.fixed.contains(name) && values[name] != now[name] {
            // aria2 would say OK and begin anew. To say so and do nothing would be worse than to refuse.
            throw .option(name)
        }
        var request = ChangeRequest()
        request.bytesPerSecondMax = values.number("max-download-limit")
        request.retriesMax = values.retriesMax
        request.silenceMillisecondsMax = values.silenceMillisecondsMax
        if values.rangesMax != nil { request.rangesMax = values.over(memory.options(of: item.row.id)).rangesMax }
        if !request.isEmpty { try await act(.change(request), on: item) }
        // How many connections it has is settled when an attempt begins.
        if request.rangesMax != nil {
            let id = item.row.id
            try await asked { () throws(Problem) in try await service.restart([id]) }
        }
        memory.remember(values, of: item.row.id)
        return .ok
    }
}
