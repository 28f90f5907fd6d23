import LedgerAPI
import LedgerViews

/// What `get` says where no bars can be: a line whenever a download ends or will be tried again.
struct PlainProgress: Hashable, Sendable {
    /// How often a line about all is printed while nothing else happens.
    static let intervalSeconds = 15

    /// Whether files that are there are asked about, so that what could not be is told; else that is an old story.
    var isChecking = true

    /// The line for a download whose state changed; nil when there is nothing to say.
    func line(for move: ProgressBoard.Move) -> String? {
        words(for: move).map { move.row.insecure ? $0 + " " + ProgressLine.insecure : $0 }
    }

    private func words(for move: ProgressBoard.Move) -> String? {
        let (row, total) = (move.row, move.total)
        let count = "[\(total.ended)/\(total.downloads)]"
        let path = TextWidth.printable(row.path)
        switch row.state {
        case .completed where move.isUnchecked && isChecking:
            return "\(count) \(path) stays as it was: \(row.error?.message ?? "asking for a newer one was cancelled")"
        case .completed: return "\(count) \(path) (\(Figures.size(row.received)))"
        case .failed:
            return "\(count) download \(row.id) failed: \(row.error?.message ?? "no reason is known")"
        case .cancelled, .deleted: return "\(count) download \(row.id) was \(row.state.rawValue)"
        case .missing: return "\(count) \(path) is gone"
        case .altered: return "\(count) \(path) was changed by someone else"
        case .waiting:
            guard let retryAt = row.retryAt else { return nil }
            guard let error = row.error else { return "download \(row.id) waits until \(Figures.moment(retryAt)) UTC" }
            return "download \(row.id) is tried again at \(Figures.moment(retryAt)) UTC: \(error.message)"
        case .paused: return "download \(row.id) is paused; 'ledger resume \(row.id)' lets it go on"
        case .running:
            guard let from = row.resumedFrom, from > 0 else { return nil }
            return "\(path): resumed from \(Figures.size(from))"
        case .queued: return nil
        }
    }

    /// The line about downloads that only stand in the queue, when they are many.
    func line(standing count: Int) -> String {
        "\(Figures.counted(count, "download")) wait or are paused; 'ledger list' names them"
    }

    /// The line about all.
    func line(for total: ProgressTotal) -> String {
        var line = "\(total.ended) of \(Figures.counted(total.downloads, "download")) ended"
        line += ", \(Figures.size(total.received)) received, \(Figures.rate(total.rate))"
        if let left = total.secondsLeft { line += ", \(Figures.time(seconds: left)) left" }
        if total.states[.running] ?? 0 == 0, total.states[.queued] ?? 0 > 0 {
            line += "; none has its turn yet: 'ledger explain ID --why-waiting' says what is before it"
        }
        return line
    }

    /// The last line: how many brought their file, how the others stand, and where to look.
    func summary(of total: ProgressTotal) -> String {
        var line = "\(total.completed) of \(Figures.counted(total.downloads + total.refused, "download")) completed"
        if total.refused > 0 { line += ", \(Figures.count(UInt64(total.refused))) refused" }
        let others = DownloadState.allCases.filter { $0 != .completed && total.states[$0] ?? 0 > 0 }
        if total.unchecked > 0, isChecking {
            line += ", \(Figures.count(UInt64(total.unchecked))) of them could not be checked"
        }
        for state in others { line += ", \(Figures.count(UInt64(total.states[state] ?? 0))) \(state.rawValue)" }
        let failures = others.filter(ProgressTotal.failures.contains).map(\.rawValue)
        if !failures.isEmpty { line += "; 'ledger list --state \(failures.joined(separator: ","))' shows why" }
        return line
    }
}
