import LedgerAPI
import LedgerCoding
import LedgerModel
import LedgerViews

/// Why a download does not run, for people and for scripts.
struct WaitingView {
    /// One reason.
    struct Reason: Hashable, Sendable {
        /// For scripts: a word that stays.
        let code: String
        /// For people, a clause.
        let words: String
        /// When it passes, if that is known.
        var until: Timestamp?
        /// What to type.
        var next: String?
    }

    private let look: WaitingLook

    /// A view of a look.
    init(_ look: WaitingLook) { self.look = look }

    /// `{"id", "state", "holder", "reasons": [{"reason", "words", "until", "next"}]}`.
    var json: JSONValue {
        [
            "id": JSONValue(look.row.id.rawValue), "state": .string(look.row.state.rawValue),
            "holder": JSONValue(look.holder?.processID),
            "reasons": .array(
                reasons.map { reason in
                    [
                        "reason": .string(reason.code), "words": .string(reason.words),
                        "until": JSONValue(reason.until?.rfc3339), "next": JSONValue(reason.next),
                    ]
                }),
        ]
    }

    /// A line for the download, and for each reason one or two.
    var lines: [String] {
        let name = TextWidth.printable(look.row.title ?? look.row.name)
        let reasons = reasons
        guard !reasons.isEmpty else {
            let words = look.row.state == .running ? "it runs" : "nothing stands before it: it starts in a moment"
            return ["\(look.row.id) \(name): \(words)"]
        }
        return ["\(look.row.id) \(name) is \(look.row.state.rawValue):"]
            + reasons.flatMap { reason in
                ["  " + TextWidth.printable(reason.words)] + (reason.next.map { ["    next:  \($0)"] } ?? [])
            }
    }

    /// What stands before it, and last that nobody runs it at all.
    private var reasons: [Reason] {
        var reasons = look.obstacles.map(reason)
        let hasEnded = look.obstacles.contains { if case .ended = $0 { true } else { false } }
        guard look.holder == nil, !hasEnded else { return reasons }
        reasons.append(
            look.isHeld
                ? Reason(
                    code: "not-answering", words: "the process that holds the ledger does not answer",
                    next: "'ledger doctor' looks at it")
                : Reason(
                    code: "not-running", words: "nobody works the queue off: no process holds the ledger",
                    next: "'ledger run' does"))
        return reasons
    }

    private func reason(_ obstacle: Obstacle) -> Reason {
        let id = look.row.id
        switch obstacle {
        case .paused: return Reason(code: "paused", words: "it is paused", next: "'ledger resume \(id)' lets it go on")
        case .ended(let phase): return ended(phase)
        case .retry(let instant, let failure):
            return Reason(
                code: "backoff",
                words: "it is tried again at \(Figures.moment(instant)) UTC: \(Storyteller.words(failure))",
                until: instant, next: "'ledger retry \(id)' tries it now")
        case .notBefore(let instant):
            return Reason(
                code: "not-before", words: "it is not to start before \(Figures.moment(instant)) UTC", until: instant,
                next: "'ledger change \(id) --not-before 0s' lets it start now")
        case .hours(let window, let isOfAll, let instant):
            let whose = isOfAll ? "downloads run" : "it runs"
            return Reason(
                code: "window",
                words: "\(whose) in the hours \(window) only, which open at \(Figures.moment(instant)) UTC",
                until: instant,
                next: isOfAll
                    ? "'window' in the configuration says so, which a holder reads anew on SIGHUP"
                    : "'ledger change \(id) --window \(ChangeRequest.always)' lets it run at all hours")
        case .host(let host, let max):
            return Reason(
                code: "per-host",
                words: "\(Figures.counted(max, "download")) from \(host) \(max == 1 ? "runs" : "run"), as many as may",
                next: "'ledger limit --per-host \(max + 1)' lets one more run")
        case .limit(let max):
            return Reason(
                code: "jobs", words: "\(Figures.counted(max, "download")) \(max == 1 ? "runs" : "run"), as many as may",
                next: "'ledger limit --jobs \(max + 1)' lets one more run")
        case .ahead(let count):
            return Reason(
                code: "queue",
                words:
                    "\(Figures.counted(count, "download")) \(count == 1 ? "stands" : "stand") before it in the queue",
                next: "'ledger move \(id) --to first' puts it first")
        case .noRoom(let bytes, let directory):
            return Reason(
                code: "no-room",
                words: "there is no room for the \(Figures.size(bytes)) that it still needs in '\(directory)'",
                next: "make room there: it goes on by itself")
        case .hindered(let words):
            return Reason(
                code: DownloadRow.Failing.notNow, words: words, next: "it goes on by itself when that is over")
        }
    }

    private func ended(_ phase: Phase) -> Reason {
        let state = look.row.state.rawValue
        let why = look.row.error.map { ": \($0.message) (\($0.code))" } ?? ""
        let next: String? =
            switch phase {
            case .failed, .cancelled, .missing, .altered: "'ledger retry \(look.row.id)' fetches it after all"
            case .deleted: "'ledger undo --list' shows what can be brought back"
            case .completed, .queued, .waiting, .paused, .publishing: nil
            }
        return Reason(code: "ended", words: "it waits for nothing: it is \(state)\(why)", next: next)
    }
}
