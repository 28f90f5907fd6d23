import LedgerCoding
import LedgerHolder
import LedgerModel
import LedgerViews

extension LogImporter.Report {
    /// For people.
    var sentence: String {
        let what = "\(Figures.counted(summary.events, "event")) of \(Figures.counted(downloads, "download"))"
        guard let ledger, let root else { return "\(what) would be imported, digest \(summary.digest)" }
        return """
            \(what) imported, digest \(summary.digest) as exported
            the new ledger is \(ledger), its root \(root); passwords and tokens were not in the file
            """
    }

    /// The line that `import --json` ends with.
    var json: JSONValue {
        [
            "summary": [
                "events": JSONValue(summary.events), "gaps": JSONValue(summary.gaps), "downloads": JSONValue(downloads),
                "last": JSONValue(summary.last.rawValue), "digest": summary.digest.json, "source": .string(source),
                "ledger": JSONValue(ledger), "root": JSONValue(root), "dryRun": .bool(ledger == nil),
            ]
        ]
    }
}
