import LedgerCoding
import LedgerEngine
import LedgerLog
import LedgerModel
import LedgerViews
import SystemPackage

/// What a repair does, for people and for scripts.
struct RepairView {
    /// When there is nothing to do.
    static let nothing =
        "nothing to repair: the log is whole, or opening it is enough ('ledger verify' says which); the archive is not "
        + "looked at ('ledger verify --archive' does)"

    private let plan: RepairPlan?
    private let quarantine: String

    /// A view of a plan; nil when an earlier repair only has to be recorded.
    init(_ plan: RepairPlan?, home: LedgerHome) {
        self.plan = plan
        quarantine = home.path.appending("quarantine").string
    }

    /// Whether a copy of what was there is kept.
    private var isAnythingKept: Bool {
        guard let plan else { return false }
        return plan.cutBytes > 0 || !plan.patches.isEmpty || !plan.mended.isEmpty || plan.past?.isAnyThere ?? false
    }

    /// What there is to ask before it is done.
    var question: String {
        guard let plan, !plan.losesNothing else { return "Do it?" }
        return plan.past == nil ? "Cut it off?" : "Go on without it?"
    }

    /// Before and after, for people who are asked.
    var lines: [String] {
        guard let plan else { return ["an earlier repair was cut short before it was recorded"] }
        var lines = ["damaged: \(plan.reason)"]
        let known = plan.isHeadUnknown ? " at least, as both heads are gone" : ""
        lines.append("  before: up to event \(plan.lastBefore)\(known)")
        lines.append("  after:  up to event \(plan.lastAfter), root \(plan.root)")
        if let past = plan.past {
            let records = past.records.map { "\($0.lowerBound) to \($0.upperBound)" }.joined(separator: ", ")
            if !records.isEmpty { lines.append("  gone:   what happened in events \(records), which can not be read") }
            lines.append(
                "  stays:  all that the ledger knows: the snapshot at \(past.snapshot) stands for what came up to "
                    + "event \(past.through); what can be read of that is in the archive then")
        }
        for segment in plan.mended { lines.append(mended(segment.mendedParts, segment.name)) }
        if !plan.patches.isEmpty { lines.append(mended(Figures.counted(plan.patches.count, "byte"), plan.segment)) }
        if plan.cutBytes > 0 {
            lines.append(
                "  cut:    \(Figures.counted(plan.cutBytes, "byte")) from byte \(plan.offset) of 'log/\(plan.segment)';"
                    + " kept in '\(quarantine)'")
        }
        if plan.recordsLost > 0 {
            lines.append("  lost:   at least \(Figures.counted(plan.recordsLost, "event")) of what was recorded")
        } else if plan.isHeadUnknown {
            lines.append("  not known: whether events are gone from the end of the log; only a checkpoint would tell")
        }
        for sequence in plan.snapshots { lines.append("  moved:  the snapshot at \(sequence), to '\(quarantine)'") }
        return lines
    }

    private func mended(_ parts: String, _ segment: String) -> String {
        "  mended: \(parts) of 'log/\(segment)', proven by its records; the segment as it was is kept in "
            + "'\(quarantine)'"
    }

    /// What was done.
    func sentence(_ done: LedgerRepair.Done) -> String {
        guard let plan, done.plan != nil else { return "the repair is recorded: event \(done.last)" }
        var what = plan.mendedBytes == 0 ? "" : "\(Figures.counted(plan.mendedBytes, "byte")) mended; "
        let seals = plan.mended.count(where: \.isSealNew)
        if seals > 0 { what += "\(Figures.counted(seals, "seal")) made anew; " }
        if plan.cutBytes > 0 { what += "\(Figures.counted(plan.cutBytes, "byte")) cut; " }
        if plan.mended.contains(where: { $0.patches.isEmpty && !$0.isSealNew }) {
            what += "what stood behind seals cut off; "
        }
        if let past = plan.past { what += "the log begins after event \(past.through) now; " }
        if isAnythingKept { what += "what was there is kept in '\(quarantine)'; " }
        return "repaired: \(what)the log went to event \(plan.lastBefore) and goes to \(plan.lastAfter); "
            + "recorded as event \(done.last)"
    }

    private static func json(_ records: ClosedRange<SequenceNumber>) -> JSONValue {
        ["from": JSONValue(records.lowerBound.rawValue), "to": JSONValue(records.upperBound.rawValue)]
    }

    /// The line of `--json`; `done` is nil when nothing was done.
    func json(done: LedgerRepair.Done?, isDryRun: Bool) -> JSONValue {
        [
            "summary": [
                "damaged": .bool(plan != nil), "repaired": .bool(done != nil), "dryRun": .bool(isDryRun),
                "segment": JSONValue(plan?.segment), "offset": JSONValue(plan?.offset),
                "cutBytes": JSONValue(plan?.cutBytes), "mendedBytes": JSONValue(plan.map { UInt64($0.mendedBytes) }),
                "lastBefore": JSONValue(plan?.lastBefore.rawValue),
                "lastAfter": JSONValue(plan?.lastAfter.rawValue), "root": JSONValue(plan?.root.description),
                "headKnown": JSONValue.bool(!(plan?.isHeadUnknown ?? false)), "reason": JSONValue(plan?.reason),
                "mended": plan.map { .array($0.mended.map { .string($0.name) }) } ?? .null,
                "unreadable": plan.map { .array(($0.past?.records ?? []).map(Self.json)) } ?? .null,
                "beginsAfter": JSONValue(plan?.past?.through.rawValue),
                "quarantine": isAnythingKept ? .string(quarantine) : .null,
                "last": JSONValue(done?.last.rawValue),
            ]
        ]
    }
}
