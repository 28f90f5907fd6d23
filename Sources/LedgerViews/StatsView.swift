package import LedgerAPI
package import LedgerCoding
package import LedgerModel

/// What `stats` says, for people and for scripts.
package struct StatsView {
    /// The most rows of a table; the rest is counted in one line.
    package static let rowsMax = 40

    private let report: StatsReport
    private let base: SequenceNumber

    /// A view of a report whose reasons of failures reach back to the event after `base`.
    package init(_ report: StatsReport, reasonsAfter base: SequenceNumber) {
        self.report = report
        self.base = base
    }

    /// An object for all, and one for each group, host, day or state.
    package var json: [JSONValue] {
        var total: JSONObject = ["by": "total", "key": nil, "seq": JSONValue(report.sequence.rawValue)]
        total["reasonsFrom"] = JSONValue(base.next.rawValue)
        total.merge(Self.fields(report.total))
        return [.object(total)]
            + report.lines.map { line -> JSONValue in
                var object: JSONObject = ["by": .string(line.dimension.rawValue), "key": JSONValue(line.key)]
                object.merge(Self.fields(line.figures))
                if line.dimension == .day { object["retries"] = .null }
                return .object(object)
            }
    }

    /// The figures but for the retries of a day: on which an attempt was made again is not kept.
    private static func fields(_ figures: StatsFigures) -> JSONObject {
        var states: JSONObject = [:]
        for state in DownloadState.allCases { states[state.rawValue] = figures.states[state].map { .uint($0) } }
        var reasons: JSONObject = [:]
        for (code, count) in sorted(figures.reasons) { reasons[code.rawValue] = .uint(count) }
        return [
            "downloads": .uint(figures.downloads), "states": .object(states), "completed": .uint(figures.completed),
            "bytes": .uint(figures.bytes), "failures": .uint(figures.failures), "retries": .uint(figures.retries),
            "reasons": .object(reasons), "rate": JSONValue(figures.rate),
            "success": figures.success.map { .double($0) } ?? .null,
        ]
    }

    /// The figures of all, and a table for each dimension.
    package func lines(width: Int?) -> [String] {
        var lines = facts
        var rest = report.lines[...]
        while let dimension = rest.first?.dimension {
            let part = rest.prefix { $0.dimension == dimension }
            rest = rest.dropFirst(part.count)
            lines += [""] + table(Array(part), dimension).lines(width: width)
            let more = part.count - Self.rowsMax
            if more > 0 { lines.append("and \(Figures.counted(more, "row")) more: '--json' shows all") }
        }
        return lines
    }

    private var facts: [String] {
        let total = report.total
        let states = DownloadState.allCases.compactMap { state in
            total.states[state].map { "\(Figures.count($0)) \(state.rawValue)" }
        }
        let attempts = Figures.counted(total.failures, "attempt")
        var reasons = Self.words(total.reasons)
        if base > .zero, total.failures > 0 {
            reasons += (reasons.isEmpty ? "" : "; ") + "reasons before event \(base.next) were compacted away"
        }
        let facts: [(String, String?)] = [
            ("after event", "\(report.sequence)"),
            (
                "downloads",
                Figures.count(total.downloads) + (states.isEmpty ? "" : ": " + states.joined(separator: ", "))
            ),
            ("files", "\(Figures.count(total.completed)) completed, \(Figures.size(total.bytes))"),
            ("rate", total.rate.map(Figures.rate)), ("success", total.success.map(Self.percent)),
            ("failures", total.failures == 0 ? nil : attempts + (reasons.isEmpty ? "" : ": " + reasons)),
            ("retries", total.retries == 0 ? nil : Figures.count(total.retries)),
        ]
        return facts.compactMap { name, fact in fact.map { TextWidth.fitted(name, to: 13) + $0 } }
    }

    private func table(_ lines: [StatsReport.Line], _ dimension: StatsReport.Dimension) -> Table {
        var table = Table([
            .init(dimension.rawValue.uppercased(), isElastic: true), .init("DOWNLOADS", isRightAligned: true),
            .init("COMPLETED", isRightAligned: true), .init("BYTES", isRightAligned: true),
            .init("RATE", isRightAligned: true), .init("SUCCESS", isRightAligned: true),
            .init("RETRIES", isRightAligned: true), .init("FAILURES"),
        ])
        for line in lines.prefix(Self.rowsMax) {
            let figures = line.figures
            let reasons = Self.words(figures.reasons)
            table.add([
                line.key ?? "(none)", Figures.count(figures.downloads), Figures.count(figures.completed),
                Figures.size(figures.bytes), figures.rate.map(Figures.rate) ?? "-",
                figures.success.map(Self.percent) ?? "-",
                dimension == .day ? "-" : Figures.count(figures.retries),
                Figures.count(figures.failures) + (reasons.isEmpty ? "" : ": " + reasons),
            ])
        }
        return table
    }

    private static func percent(_ share: Double) -> String { "\(Int(share * 100)) %" }

    private static func words(_ reasons: [Failure.Code: UInt64]) -> String {
        sorted(reasons).map { "\(Figures.count($1)) \($0.rawValue)" }.joined(separator: ", ")
    }

    /// The most frequent first.
    private static func sorted(_ reasons: [Failure.Code: UInt64]) -> [(Failure.Code, UInt64)] {
        reasons.sorted { $0.value != $1.value ? $0.value > $1.value : $0.key.rawValue < $1.key.rawValue }
            .map { ($0.key, $0.value) }
    }
}
