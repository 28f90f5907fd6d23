import LedgerAPI
import LedgerHolder
import LedgerModel

/// Where a download stands among those that wait, and who stands around the place that it is to have.
private struct Neighbourhood: Sendable {
    /// Its place.
    var place: Int
    /// How many others wait.
    var others: Int
    /// Its own priority.
    var priority: Int32
    /// Who comes before the place.
    var before: Download?
    /// Who comes after it, and how many live downloads of its priority are before that one, but for the download.
    var after: (download: Download, rank: Int)?
}

extension Aria2Endpoint {
    func changePosition(_ parameters: Parameters) async throws(Fault) -> WireValue {
        let (gid, offset, mode) = (
            try parameters.text(0), try parameters.number(1), try parameters.text(2)
        )
        let found = try await find(gid)
        guard ["POS_SET", "POS_CUR", "POS_END"].contains(mode) else { throw Fault("Illegal argument.") }
        guard case .download(let item) = found, item.status == .waiting || item.status == .paused,
            let now = try await neighbourhood(of: item.row.id, at: 0)
        else { throw .about(found.gid) { "\($0) not found in the waiting queue." } }
        let start =
            switch mode {
            case "POS_CUR": now.place
            case "POS_END": now.others
            default: 0
            }
        let wanted = Int64(start).addingReportingOverflow(offset)
        let index = wanted.overflow ? (offset < 0 ? 0 : now.others) : Int(clamping: wanted.partialValue)
        return .number(Int64(try await move(item.row.id, to: max(0, min(index, now.others)))))
    }

    /// Moves a download to a place among those that wait, from 0.
    /// - Returns: the place that it has.
    @discardableResult
    func move(_ id: DownloadID, to index: Int) async throws(Fault) -> Int {
        guard let around = try await neighbourhood(of: id, at: index) else { return index }
        let index = min(index, around.others)
        guard around.place != index else { return index }
        let own = around.priority
        // The queue goes by priority first: it takes that of a neighbour when neither has its own.
        let neighbours = [around.after?.download.priority, around.before?.priority].compactMap(\.self)
        if !neighbours.isEmpty, !neighbours.contains(own) {
            try await self.place(id, .priority(neighbours[0]))
            return try await move(id, to: index)
        }
        if let after = around.after, after.download.priority == own {
            try await self.place(id, index == 0 ? .first : .index(after.rank + 1))
        } else {
            try await self.place(id, .last)
        }
        return index
    }

    private func place(_ id: DownloadID, _ placement: Placement) async throws(Fault) {
        let command = newCommand
        let answers = try await asked { () throws(Problem) in
            try await client.act(.move(placement), on: .ids([id]), command: command)
        }
        if let refusal = answers.first?.refusal { throw Fault(refusal) }
    }

    private func neighbourhood(of id: DownloadID, at index: Int) async throws(Fault) -> Neighbourhood? {
        let running = service.running
        return try await look { Neighbourhood(of: id, at: index, in: $0.queue, running) }
    }
}

extension Neighbourhood {
    /// Nil for a download that does not wait.
    fileprivate init?(of id: DownloadID, at index: Int, in queue: Queue, _ running: Set<DownloadID>) {
        let active = Set(queue.active(running).map(\.id))
        guard let download = queue[id], !active.contains(id), let place = queue.livePlace(of: id) else { return nil }
        self.place = place - active.compactMap(queue.livePlace).count { $0 < place }
        others = queue.liveCount - active.count - 1
        priority = download.priority
        let index = min(index, others)
        let around = queue.livePage(skipping: active.union([id]), from: max(0, index - 1), count: 2)
        before = index == 0 ? nil : around.first
        guard let next = index == 0 ? around.first : around.dropFirst().first,
            let rank = queue.livePlaceAmongEquals(of: next.id)
        else { return }
        let isBehind = priority == next.priority && download.key < next.key
        after = (next, isBehind ? rank - 1 : rank)
    }
}
