import LedgerAPI
import LedgerHolder
import LedgerModel

// Options of all downloads.
extension Aria2Endpoint {
    /// What holds for all, and what is told of the server; without secrets.
    func globalOptions() async throws(Fault) -> OptionValues {
        let limits = try await asked { () throws(Problem) in try await client.limit(LimitChange()) }
        var values = globalValues.only(.shownOfAll, .changedForAll)
        values["max-concurrent-downloads"] = String(limits.runningMax)
        values["max-overall-download-limit"] = String(limits.bytesPerSecondMax ?? 0)
        for (name, value) in configuration.reported where OptionSpec.all[name]?.uses.contains(.shownOfAll) ?? false {
            values[name] = value
        }
        return values.withoutSecrets
    }

    /// Changes what holds for all. Limits hold at once; the rest for what is added from then on.
    func changeGlobally(_ values: OptionValues) async throws(Fault) -> WireValue {
        var values = values
        if let directory = values["dir"] {
            let place: (directory: String, name: String?)
            do throws(Problem) { place = try await configuration.confine(directory, nil) } catch {
                throw .option("dir")
            }
            values["dir"] = place.directory
        }
        try check(values)
        var change = LimitChange()
        if let most = values.number("max-concurrent-downloads").map({ Int(clamping: $0) }) {
            change.runningMax = most
            // aria2 knows no bound of one host's: as many as were asked for run.
            let limits = try await asked { () throws(Problem) in try await client.limit(LimitChange()) }
            change.runningPerHostMax = max(most, limits.runningPerHostMax)
        }
        change.bytesPerSecondMax = values.number("max-overall-download-limit")
        if change != LimitChange() {
            let wanted = change
            _ = try await asked { () throws(Problem) in try await client.limit(wanted) }
        }
        memory.change(values)
        return .ok
    }

    /// Whatever a request is made of is checked when it is changed, and not first when it is used.
    private func check(_ values: OptionValues) throws(Fault) {
        for url in ["http://example.org/", "https://example.org/"] {
            var probe = EnqueueRequest(
                url: url, directory: configuration.directory, command: CommandID(high: 0, low: 0))
            try values.over(memory.global).apply(to: &probe)
            configuration.prepare(&probe)
            do throws(RequestProblem) { _ = try probe.order() } catch { throw Fault(Problem(error)) }
        }
    }
}
