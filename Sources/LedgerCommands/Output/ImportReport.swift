import LedgerAPI
import LedgerCoding
import LedgerHolder
import LedgerViews

/// What an import came to.
struct ImportReport {
    /// Where a download stood.
    struct Place {
        /// The file's name.
        let file: String
        /// The line, counted from 1.
        let line: Int
    }

    /// Whether nothing was done.
    let isDryRun: Bool
    /// How many are new.
    var fresh = 0
    /// How many the ledger had already.
    private(set) var joined = 0
    /// What could not be taken, and why.
    var refused: [(place: Place, problem: Problem)] = []
    private var rows: [JSONValue] = []

    /// Nothing was imported yet.
    init(isDryRun: Bool) { self.isDryRun = isDryRun }

    /// Takes the ledger's answer into account.
    mutating func take(_ answer: EnqueueAnswer, at place: Place) {
        switch answer {
        case .accepted(let row, let isJoined):
            if isJoined { joined += 1 } else { fresh += 1 }
            rows.append(row.json(joined: isJoined).placed(place))
        case .refused(let problem):
            refused.append((place, problem.located(at: "line \(place.line) of '\(place.file)'")))
        }
    }

    /// For people.
    var sentence: String {
        let verb = isDryRun ? "would be imported, or joined where the ledger has them" : "imported"
        var parts = ["\(Figures.counted(fresh, "download")) \(verb)"]
        if joined > 0 { parts.append("\(Figures.count(UInt64(joined))) joined") }
        if !refused.isEmpty { parts.append("\(Figures.count(UInt64(refused.count))) refused") }
        return parts.joined(separator: ", ")
    }

    /// A row for each download and each refusal with its place, then the summary.
    var jsonLines: [String] {
        let refusals = refused.map { $0.problem.json.placed($0.place) }
        let summary: JSONValue = [
            "summary": [
                "imported": JSONValue(fresh), "joined": JSONValue(joined), "refused": JSONValue(refused.count),
                "dryRun": .bool(isDryRun),
            ]
        ]
        return (rows + refusals + [summary]).map(\.description)
    }
}

extension JSONValue {
    /// The object with the place that it is about.
    fileprivate func placed(_ place: ImportReport.Place) -> JSONValue {
        guard case .object(var object) = self else { return self }
        object["file"] = .string(place.file)
        object["line"] = JSONValue(place.line)
        return .object(object)
    }
}
