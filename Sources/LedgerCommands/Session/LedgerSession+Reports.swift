import LedgerAPI
import LedgerCoding
import LedgerHolder
import LedgerModel
import LedgerViews
import Logging

extension LedgerSession {
    /// Shows an error to people; in a log it is one line.
    func report(_ problem: Problem) {
        guard console.log == nil else { return console.say(ErrorRendering.line(for: problem), .error) }
        for line in ErrorRendering.lines(for: problem) { console.writeError(line + "\n") }
    }

    /// Says which of several requests was refused, and why.
    func report(_ problem: Problem, of request: EnqueueRequest, among count: Int) {
        var named = problem
        if count > 1 { named.message = "'\(Redaction.redacted(request.url))': \(problem.message)" }
        report(named)
    }

    /// Does something to downloads and says what became of each.
    /// - Throws: ``Exit`` with ``ExitCode/failed`` when any of them was refused.
    func act(_ action: Action, on selection: Selection) async throws {
        let command = context.newCommand()
        let answers = try await withClient { client throws(Problem) in
            try await client.act(action, on: selection, command: command)
        }
        try report(answers, promise: action.promise, nothing: action.nothing, done: action.done)
    }

    /// Says what became of each download.
    /// - Parameters:
    ///   - promise: what is said besides where nothing speaks against it.
    ///   - nothing: what is said where there is no download.
    /// - Throws: ``Exit`` with ``ExitCode/failed`` when any was refused, or an undone deletion's file is not there, and
    ///   with ``ExitCode/disk`` when the files of any stayed as they were.
    func report(
        _ answers: [ActionAnswer], promise: String = "", nothing: String = Action.nothingToDo,
        done: (DownloadRow) -> String
    ) throws {
        let lost = answers.filter { $0.undone != nil && $0.row?.state == .missing }
        if isJSON {
            try console.printLast(answers.map(\.json.description))
        } else {
            try console.confirm(
                answers.compactMap { answer in
                    let event = answer.undone.map { " (event \($0))" } ?? ""
                    let rest = event + (answer.note == nil && answer.unfollowed == nil ? promise : "")
                    return answer.row.map { row in
                        "\(row.id) \(done(row))\(rest): " + (row.insecure ? ProgressLine.insecure + " " : "")
                            + TextWidth.printable(row.title ?? row.name)
                    }
                })
            if answers.isEmpty { console.note(nothing) }
        }
        for row in lost.compactMap(\.row) {
            console.warn(
                "the file of \(row.id) is not there: it was gone already, or it left the trash, or was changed in it; "
                    + "'ledger retry \(row.id)' fetches it again")
        }
        for answer in answers {
            guard let id = answer.id else { continue }
            if let note = answer.note { console.warn("\(id): \(note)") }
            if let why = answer.unfollowed {
                console.warn("\(id): its files stay as they are until the next 'ledger run': \(why)")
            }
        }
        let refusals = answers.compactMap(\.refusal)
        refusals.forEach(report)
        if !lost.isEmpty || refusals.contains(where: { $0.exitCode != .disk }) { throw Exit(code: .failed) }
        if !refusals.isEmpty || answers.contains(where: { $0.unfollowed != nil }) { throw Exit(code: .disk) }
    }
}

extension Action {
    /// What is said where there is no download for it.
    static let nothingToDo = "there is nothing that this can be done to"

    fileprivate var nothing: String {
        guard case .relocate(let relocation) = self else { return Self.nothingToDo }
        return "no download has its file in \(relocation.from); what feeds and catalogs are to bring there goes to "
            + relocation.to
    }

    /// The past participle, for a download as it is behind it.
    fileprivate func done(_ row: DownloadRow) -> String {
        switch self {
        case .pause: "paused"
        case .resume: "resumed"
        case .cancel: "cancelled"
        case .retry: "will be tried again"
        case .move: "moved"
        case .change: "changed"
        case .delete(.keep):
            row.completedAt == nil
                ? "deleted: it had no finished file, so nothing of it stays" : "deleted, its file kept"
        case .delete(.trash): "deleted"
        case .delete(.purge): "deleted for good"
        case .pin(true): "pinned: it stays, whatever its group may hold"
        case .pin(false): "pinned no longer"
        case .relocate(let relocation): "looked for in \(TextWidth.printable(relocation.to)) from now on"
        }
    }

    /// What can be done about it.
    fileprivate var promise: String { if case .delete(.trash) = self { "; 'ledger undo' brings it back" } else { "" } }
}
