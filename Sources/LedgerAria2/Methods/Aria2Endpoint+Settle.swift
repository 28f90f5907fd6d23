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
            return try await change(item, try OptionValues(object, for: .changed))
        case .changeURI: return try await changeURIs(parameters)
        case .getGlobalOption: return try await globalOptions()
        default: return try await changeGlobally(try OptionValues(try parameters.object(0), for: .changedForAll))
        }
    }

    /// What holds for each download that is added, unless its client says otherwise.
    var globalValues: OptionValues {
        memory.global.over(.standard(service.transferDefaults, directory: configuration.directory))
    }

    private func options(of download: Download) -> OptionValues {
        OptionValues(download, remembered: memory.options(of: download.id), global: globalValues)
    }

    // MARK: Of one download

    /// Options that an order holds and that stay as they are: it says where its bytes came from and where they went.
    private static let fixed: Set<String> = [
        "dir", "out", "header", "user-agent", "referer", "http-user", "http-passwd", "http-no-cache",
        "http-accept-gzip", "checksum", "remote-time", "conditional-get", "allow-overwrite", "auto-file-renaming",
        "no-proxy", "all-proxy", "all-proxy-user", "all-proxy-passwd", "http-proxy", "http-proxy-user",
        "http-proxy-passwd", "https-proxy", "https-proxy-user", "https-proxy-passwd",
    ]

    /// Changes a download that waits or runs. What runs is stopped and goes on by itself where that is needed: the
    /// plan follows the order.
    private func change(_ item: Item, _ values: OptionValues) async throws(Fault) -> WireValue {
        let now = options(of: item.download)
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
        memory.remember(values, of: item.row.id)
        return .ok
    }

    // MARK: URLs

    private func changeURIs(_ parameters: Parameters) async throws(Fault) -> WireValue {
        let (gid, index) = (try parameters.text(0), try parameters.number(1, min: 1))
        let (removed, added) = (try parameters.texts(2), try parameters.texts(3))
        let position = try parameters.optionalPosition(4)
        let found = try await find(gid)
        guard case .download(let item) = found, !item.isStopped else {
            throw .about(found.gid) { "Cannot remove URIs from \($0)" }
        }
        guard index == 1 else { throw Fault("fileIndex is out of range") }
        let before = item.sources.map(\.url)
        var sources = before
        for text in removed {
            guard let url = Self.url(text), let place = sources.firstIndex(of: url.redacted.text) else { continue }
            sources.remove(at: place)
        }
        let removedCount = before.count - sources.count
        let new = added.filter { Self.url($0) != nil }
        sources.insert(contentsOf: new, at: min(position ?? .max, sources.count))
        // An order without a URL is none; aria2 keeps it, to fail.
        guard let main = sources.first else { throw .noSource }
        if sources != before {
            var request = ChangeRequest()
            request.refusesPrivateAddresses = isConfined
            if main != before[0] { request.url = main }
            request.mirrors = Array(sources.dropFirst())
            try await act(.change(request), on: item)
        }
        return .list([.number(Int64(removedCount)), .number(Int64(new.count))])
    }

    /// A URL that can be fetched; nil for any other text.
    static func url(_ text: String) -> ResourceURL? {
        do throws(URLProblem) { return try ResourceURL.parse(text).url } catch { return nil }
    }

    /// Whether clients may not reach private networks.
    private var isConfined: Bool {
        var probe = EnqueueRequest(url: "", directory: "/", command: CommandID(high: 0, low: 0))
        configuration.prepare(&probe)
        return probe.refusesPrivateAddresses
    }

    // MARK: Of all

    private func globalOptions() async throws(Fault) -> WireValue {
        let limits = try await asked { () throws(Problem) in try await client.limit(LimitChange()) }
        var values = globalValues.only(.shownOfAll, .changedForAll)
        values["max-concurrent-downloads"] = String(limits.runningMax)
        values["max-overall-download-limit"] = String(limits.bytesPerSecondMax ?? 0)
        for (name, value) in configuration.reported where OptionSpec.all[name]?.uses.contains(.shownOfAll) ?? false {
            values[name] = value
        }
        return values.shown
    }

    /// Changes what holds for all. Limits hold at once; the rest for what is added from then on.
    private func changeGlobally(_ values: OptionValues) async throws(Fault) -> WireValue {
        var values = values
        if let directory = values["dir"] {
            let place: (directory: String, name: String?)
            do throws(Problem) { place = try await configuration.confine(directory, nil) } catch {
                throw .option("dir")
            }
            values["dir"] = place.directory
        }
        // Whatever a request is made of is checked when it is changed, and not first when it is used.
        var probe = EnqueueRequest(
            url: "http://example.org/", directory: configuration.directory, command: CommandID(high: 0, low: 0))
        try values.apply(to: &probe)
        var change = LimitChange()
        change.runningMax = values.number("max-concurrent-downloads").map { Int(clamping: $0) }
        change.bytesPerSecondMax = values.number("max-overall-download-limit")
        if change != LimitChange() {
            let wanted = change
            _ = try await asked { () throws(Problem) in try await client.limit(wanted) }
        }
        memory.change(values)
        return .ok
    }
}
