import LedgerAPI
import LedgerModel

/// What is said of downloads that were in the ledger already.
enum JoinedNotes {
    /// The most numbers in one line; the rest is counted.
    static let idsMax = 10

    /// What is to be warned of: that what was asked for is not what is done.
    /// - Parameter configured: what a request for the same says where no flag does.
    static func warnings(
        _ requests: [EnqueueRequest], _ answers: [EnqueueAnswer], configured: (EnqueueRequest) -> [AskedOption]
    ) -> [String] {
        ofOtherURLs(requests, answers) + ofOptions(requests, answers, configured)
    }

    /// A line for each state that some of them are in.
    static func lines(_ rows: [DownloadRow]) -> [String] {
        DownloadState.allCases.compactMap { state in
            let ids = Set(rows.filter { $0.state == state }.map(\.id)).sorted().map(\.description)
            return ids.isEmpty ? nil : line(state, ids)
        }
    }

    /// A line for each of what was asked for and joined the download of another URL, because that writes the same file:
    /// one file is one download, and what the other URL serves is not fetched.
    private static func ofOtherURLs(_ requests: [EnqueueRequest], _ answers: [EnqueueAnswer]) -> [String] {
        let lines = zip(requests, answers).compactMap { request, answer -> String? in
            guard case .accepted(let row, joined: true) = answer, let url = redacted(request.url), url != row.url
            else { return nil }
            return "'\(url)' is not fetched: '\(row.path)' comes from '\(row.url)' already, as \(row.id); another name "
                + "after '-o' keeps both"
        }
        return bounded(lines, "more are not fetched for the same reason")
    }

    /// A line for each of what was asked for otherwise than the download that it joined, which stays as it is.
    private static func ofOptions(
        _ requests: [EnqueueRequest], _ answers: [EnqueueAnswer], _ configured: (EnqueueRequest) -> [AskedOption]
    ) -> [String] {
        let lines = zip(requests, answers).compactMap { request, answer -> String? in
            guard case .accepted(let row, joined: true) = answer else { return nil }
            let names = request.unheeded(by: row) { configured(request) }
            guard !names.isEmpty else { return nil }
            let listed = names.map { "'--\($0)'" }.joined(separator: ", ")
            let change = names.compactMap { changeable[$0] }.map { "'--\($0)'" }.joined(separator: ", ")
            var ways = change.isEmpty ? [] : ["'ledger change \(row.id)' takes \(change)"]
            if names.contains(where: { changeable[$0] == nil }) {
                ways.append("'ledger cancel \(row.id)' and the same again begins it anew, with what is asked for now")
            }
            return "\(row.id) was asked for before and stays as it is, without heed to \(listed); "
                + ways.joined(separator: "; ")
        }
        return bounded(lines, "more stay as they are, asked for otherwise before")
    }

    /// What `change` calls the options that it has, too.
    private static let changeable = [
        "group": "to-group", "title": "title", "details": "details", "tag": "tags", "priority": "priority",
        "limit-rate": "limit-rate", "retries": "retries", "timeout": "timeout", "split": "split", "window": "window",
        "not-before": "not-before",
    ]

    private static func bounded(_ lines: [String], _ rest: String) -> [String] {
        lines.count > linesMax ? lines.prefix(linesMax) + ["\(lines.count - linesMax) \(rest)"] : lines
    }

    /// The most lines of one kind; the rest is counted.
    static let linesMax = 10

    private static func redacted(_ text: String) -> String? {
        do throws(URLProblem) { return try ResourceURL.parse(text).url.redacted.text } catch { return nil }
    }

    private static func line(_ state: DownloadState, _ ids: [String]) -> String {
        let more = ids.count > idsMax ? " and \(ids.count - idsMax) more" : ""
        let line = "asked for before, and \(state.rawValue): \(ids.prefix(idsMax).joined(separator: ", "))\(more)"
        switch state {
        case .paused:
            let selection = more.isEmpty ? ids.joined(separator: " ") : "--all"
            return line + "; 'ledger resume \(selection)' lets \(ids.count == 1 ? "it" : "them") go on"
        case .completed: return line + "; '--again' fetches \(ids.count == 1 ? "it" : "them") anew"
        case .queued, .running, .waiting, .failed, .cancelled, .deleted, .missing, .altered: return line
        }
    }
}
