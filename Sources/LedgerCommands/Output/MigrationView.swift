import LedgerCoding
import LedgerEngine
import LedgerLog
import LedgerModel
import LedgerViews

/// What `migrate` found and did, for people and for scripts.
struct MigrationView {
    private let census: SchemaCensus
    private let saved: SequenceNumber?
    private let isDryRun: Bool

    /// A view of what was found; `saved` is the snapshot that was made.
    init(_ census: SchemaCensus, saved: SequenceNumber?, isDryRun: Bool) {
        self.census = census
        self.saved = saved
        self.isDryRun = isDryRun
    }

    /// For people: a line for each kind of event in each version, and what follows.
    var lines: [String] {
        var lines = ["format \(census.format), the present one; \(Figures.counted(total, "event"))"]
        lines += census.counts.map { count in
            let line = "  \(Self.name(count)) version \(count.version): \(Figures.count(count.records))"
            if count.isNewer { return line + ", newer than this program" }
            return count.isOlder ? line + ", lifted as they are read" : line
        }
        lines += census.snapshotsOfOtherVersions.map { "  the snapshot at \($0) is of another version of the fold" }
        return lines + [verdict]
    }

    private var verdict: String {
        if census.isTooNew { return "a newer release wrote this: update ledger; nothing was changed" }
        if let saved { return "nothing was rewritten; a snapshot at event \(saved) spares the next start what is old" }
        if census.needsSnapshot {
            return "nothing needs rewriting; 'ledger migrate' saves a snapshot, so that what is old is not read again"
        }
        return "nothing needs to be done"
    }

    private var total: UInt64 { census.counts.reduce(0) { $0 + $1.records } }

    /// The line that `migrate --json` prints.
    var json: JSONValue {
        [
            "summary": [
                "format": JSONValue(census.format), "last": JSONValue(census.last.rawValue),
                "events": JSONValue(total), "older": JSONValue(census.olderRecords),
                "versions": .array(
                    census.counts.map { count in
                        [
                            "type": .string(Self.name(count)), "version": JSONValue(count.version),
                            "current": JSONValue(count.kind.map(EventCoding.version)),
                            "events": JSONValue(count.records),
                        ]
                    }),
                "snapshot": JSONValue((saved ?? census.snapshot)?.rawValue),
                "savesSnapshot": .bool(census.needsSnapshot), "dryRun": .bool(isDryRun),
            ]
        ]
    }

    private static func name(_ count: SchemaCensus.Count) -> String {
        if let kind = count.kind { return kind.name }
        if count.type == LogBounds.hiddenType {
            return HiddenRecords.Reason(rawValue: count.version) == .redacted ? "content-redacted" : "content-thinned"
        }
        return count.type == EventCoding.gapType ? "gap" : "type-\(count.type)"
    }
}
