import LedgerCoding
import LedgerModel
import LedgerViews

/// What can be undone, for people and for scripts.
struct UndoView {
    /// The state it is undone in.
    let queue: Queue
    /// What the trash may hold: a deletion whose file left it can not be undone.
    let limits: TrashLimits
    /// The deleted downloads whose files are not in the trash any more.
    let lost: Set<DownloadID>

    /// A table of entries, or a line that says there is nothing.
    func table(_ entries: [UndoEntry], width: Int?) -> [String] {
        guard !entries.isEmpty else { return ["nothing to undo"] }
        var table = Table([
            .init("EVENT", isRightAligned: true), .init("TIME"), .init("BY"), .init("ID", isRightAligned: true),
            .init("WHAT"), .init("NAME", isElastic: true), .init("UNTIL"),
        ])
        for entry in entries {
            table.add([
                entry.sequence.description, entry.time.map(Figures.moment) ?? "-", entry.actor?.name ?? "-",
                entry.id.description, what(entry), name(entry), until(entry).map(Figures.moment) ?? "-",
            ])
        }
        return table.lines(width: width)
    }

    /// What would be undone, in a sentence.
    func sentence(_ entry: UndoEntry) -> String {
        "\(entry.id) would be \(effect(entry)) (event \(entry.sequence), \(what(entry))): "
            + TextWidth.printable(name(entry))
    }

    /// A line of `--json`.
    func json(_ entry: UndoEntry) -> JSONValue {
        [
            "seq": JSONValue(entry.sequence.rawValue), "time": JSONValue(entry.time?.rfc3339),
            "type": .string(kind(entry).name), "id": JSONValue(entry.id.rawValue),
            "actor": JSONValue(entry.actor?.name), "what": .string(what(entry)), "effect": .string(effect(entry)),
            "until": JSONValue(until(entry)?.rfc3339),
        ]
    }

    private func name(_ entry: UndoEntry) -> String {
        guard let download = queue[entry.id] else { return "" }
        if let title = download.order.labels.value.title { return title }
        let file = download.shownFile.map { String($0.path[($0.path.lastIndex(of: "/") ?? $0.path.startIndex)...]) }
        return file.map { String($0.drop { $0 == "/" }) } ?? download.order.plannedName
    }

    private func kind(_ entry: UndoEntry) -> Event.Kind {
        switch entry.inverse {
        case .restore: queue[entry.id]?.phase == .cancelled ? .cancelled : .deleted
        case .resume: .paused
        case .pause: .resumed
        case .move: .moved
        case .change: .changed
        }
    }

    /// What was done.
    private func what(_ entry: UndoEntry) -> String {
        guard kind(entry) == .deleted, let download = queue[entry.id], let deletion = download.deletion?.value else {
            return kind(entry).name
        }
        switch deletion {
        case .keepFile: return "deleted, file kept"
        case .trash where download.file == nil: return "deleted"
        case .trash: return lost.contains(entry.id) ? "deleted, file gone from the trash" : "deleted, file in trash"
        case .purge, .expired, .evicted: return "deleted for good"
        }
    }

    /// What undoing it does.
    private func effect(_ entry: UndoEntry) -> String {
        switch entry.inverse {
        case .restore(.completed) where lost.contains(entry.id): "missing: its file is gone"
        case .restore(let phase): "\(words(phase)) again"
        case .resume: "resumed"
        case .pause: "paused again"
        case .move(let priority, _): "moved back to priority \(priority)"
        case .change(let order):
            "changed back to \(order.url.text) -> \(order.destination.path(of: order.destination.name ?? ""))"
        }
    }

    private func words(_ phase: Phase) -> String {
        switch phase {
        case .waiting: "waiting"
        case .queued, .paused, .publishing, .completed, .missing, .altered, .failed, .cancelled, .deleted: "\(phase)"
        }
    }

    /// Until when it can be undone, as far as the age of its file in the trash goes; nil for what has no file there.
    private func until(_ entry: UndoEntry) -> Timestamp? {
        guard kind(entry) == .deleted, let download = queue[entry.id], download.file != nil, let time = entry.time,
            case .trash? = download.deletion?.value
        else { return nil }
        return limits.end(ofDeletionAt: time)
    }
}
