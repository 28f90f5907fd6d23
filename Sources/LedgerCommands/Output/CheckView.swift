import LedgerAPI
import LedgerCoding
import LedgerEngine
import LedgerHolder
import LedgerModel
import LedgerViews

/// What `replay --check` found, for people and for scripts.
struct CheckView {
    private let report: StateCheck.Report

    /// What is wrong with the snapshot that stands for what was taken out of the log.
    private let lost: Problem?

    /// A view of a report.
    init(_ report: StateCheck.Report) {
        self.report = report
        lost = report.lost.map { Problem(LedgerError.log($0)) }
    }

    /// How the command ends: a state that diverges from a log whose checksums all hold is tampering.
    var exitCode: ExitCode { report.divergence == nil ? lost?.exitCode ?? .done : .tampering }

    /// `{"summary": {"events", "from", "last", "root", "digest", "agreeing", "unreadable", "foreign", "lost",
    /// "divergence"}}`.
    var json: JSONValue {
        let divergence: JSONValue =
            report.divergence.map { divergence in
                [
                    "what": .string(divergence.witness.name), "seq": JSONValue(divergence.witness.sequence.rawValue),
                    "digest": divergence.witness.digest.json, "agreedUpTo": JSONValue(divergence.agreed.rawValue),
                    "firstEvent": JSONValue(divergence.event?.sequence.rawValue),
                    "ids": .array(divergence.downloads.map { JSONValue($0.rawValue) }),
                ]
            } ?? .null
        return [
            "summary": [
                "events": JSONValue(report.events), "from": JSONValue(report.base.next.rawValue),
                "last": JSONValue(report.end.rawValue), "root": .string(report.root), "digest": report.digest.json,
                "agreeing": JSONValue(report.agreeing.map(\.name)), "unreadable": JSONValue(report.unreadable),
                "foreign": JSONValue(report.foreign), "lost": JSONValue(lost?.message),
                "divergence": divergence,
            ]
        ]
    }

    /// A line for each that was compared, the digest, and what was verified.
    var lines: [String] {
        var lines = report.agreeing.map { "agrees: \($0.name), event \($0.sequence)" }
        lines += report.foreign.map { "not compared: \($0) is of another version of this program" }
        lines += report.unreadable.flatMap {
            ["damaged-copy: \($0) can not be read", "  next:  it is a cache: opening the ledger folds the log instead"]
        }
        if let lost { lines += ErrorRendering.lines(for: lost) }
        if let divergence = report.divergence {
            lines += words(divergence)
        } else {
            lines.append("digest: \(report.digest)")
            if let other = report.agreeing.last(where: { $0.sequence == report.end && $0.digest != report.digest }) {
                let words = "what was redacted is counted on by \(other.name), and not by the log: "
                lines.append("note: \(words)digest \(other.digest) there, with the same downloads")
            }
        }
        let verdict = report.divergence != nil ? "diverged" : lost == nil ? "verified" : "damaged"
        var last = "\(verdict): \(Figures.counted(report.events, "event"))"
        if report.base > .zero { last += ", \(report.base.next) to \(report.end)" }
        last += ", root \(report.root)"
        if report.divergence == nil { last += ", unacknowledged tail \(Figures.counted(report.tailBytes, "byte"))" }
        return lines + [last]
    }

    private func words(_ divergence: StateCheck.Divergence) -> [String] {
        let witness = divergence.witness
        var lines = ["divergence: \(witness.name) is not what the log folds to at event \(witness.sequence)"]
        let ids = divergence.downloads
        if let event = divergence.event {
            let more = ids.count > 8 ? " and \(Figures.count(UInt64(ids.count - 8))) more" : ""
            let list = ids.prefix(8).map(\.description).joined(separator: ", ")
            lines.append("  cause: it differs in download \(list)\(more); the first event it can come from is")
            lines.append("         " + EventLine.text(event))
        } else {
            lines.append("  cause: they part after event \(divergence.agreed), and not in a download that can be named")
        }
        lines.append("  next:  the log is the truth: remove the snapshot, or start the process anew, and check again")
        return lines
    }
}
