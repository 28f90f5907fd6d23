import LedgerAPI
import LedgerHolder
import LedgerModel

extension Aria2Endpoint {
    /// The methods that steer downloads.
    func control(_ method: Method, _ parameters: Parameters) async throws(Fault) -> WireValue {
        switch method {
        case .pauseAll, .forcePauseAll: return try await pauseAll()
        case .unpauseAll: return try await actOnAll(.resume) { $0 == .paused }
        case .purgeDownloadResult: return try await purge()
        case .changePosition: return try await changePosition(parameters)
        default: break
        }
        let found = try await find(try parameters.text(0))
        switch method {
        case .removeDownloadResult: return try await removeResult(found)
        case .pause, .forcePause:
            guard case .download(let item) = found, item.status == .active || item.status == .waiting else {
                throw .about(found.gid) { "\($0) cannot be paused now" }
            }
            try await act(.pause, on: item) { "\($0) cannot be paused now" }
            // aria2 has what was active wait before all others.
            if item.status == .active { try await move(item.row.id, to: 0) }
        case .unpause:
            guard case .download(let item) = found, item.status == .paused else {
                throw .about(found.gid) { "\($0) cannot be unpaused now" }
            }
            try await act(.resume, on: item) { "\($0) cannot be unpaused now" }
        default: try await remove(found)
        }
        return .text(found.gid.description)
    }

    /// Removes a download. Of what was active a result stays; what waited is not found any longer. What was fetched
    /// stays on the disk either way, as with aria2.
    private func remove(_ found: Found) async throws(Fault) {
        guard case .download(let item) = found, !item.isStopped else {
            throw .about(found.gid) { "Active Download not found for \($0)" }
        }
        let action: Action = item.status == .active ? .cancel : .delete(.keep)
        try await act(action, on: item) { "\($0) cannot be removed now" }
    }

    /// Does something to one download.
    /// - Parameter words: aria2's for a refusal; without them the ledger's own are told.
    func act(_ action: Action, on item: Item, _ words: ((String) -> String)? = nil) async throws(Fault) {
        let (id, command) = (item.row.id, newCommand)
        let answers = try await asked { () throws(Problem) in
            try await client.act(action, on: .ids([id]), command: command)
        }
        guard let refusal = answers.first?.refusal else { return }
        throw words.map { Fault.about(item.gid, $0) } ?? Fault(refusal)
    }

    private func pauseAll() async throws(Fault) -> WireValue {
        let running = service.running
        let active = try await look { $0.queue.active(running).map(\.id) }
        let answer = try await actOnAll(.pause) { $0 != .paused && $0 != .publishing }
        // As when each is paused alone: the last of them is then the first that waits.
        for id in active { try await move(id, to: 0) }
        return answer
    }

    private func actOnAll(_ action: Action, where isMeant: @Sendable (Phase) -> Bool) async throws(Fault) -> WireValue {
        let ids = try await look { $0.queue.liveDownloads.filter { isMeant($0.phase) }.map(\.id) }
        try await actTogether(action, on: ids)
        return .ok
    }

    /// Does one thing to many, in one append.
    func actTogether(_ action: Action, on ids: [DownloadID]) async throws(Fault) {
        guard !ids.isEmpty else { return }
        let command = newCommand
        // One that is something else by now is refused alone, and nothing is lost by it.
        _ = try await asked { () throws(Problem) in try await client.act(action, on: .ids(ids), command: command) }
    }

    // MARK: Results

    // To aria2 a result is a line of a list in memory, and removing it does nothing to the file. Here it is the
    // download itself, which the catalog shows too. Hiding it from aria2's clients alone would need a mark that no
    // other program minds, and would bring it back to none of them; so the download is deleted, and its file is kept:
    // durably, for every client alike, and in one command, so that one `ledger undo` brings back all of a purge.
    // What it costs: a group counts a file no longer that was taken off the list, and will not make room with it.

    private func removeResult(_ found: Found) async throws(Fault) -> WireValue {
        switch found {
        case .foreign(let result): stopped.now { $0.forget(result.gid) }
        case .download(let item):
            guard item.isStopped else { throw .about(item.gid) { "Could not remove download result of \($0)" } }
            try await act(.delete(.keep), on: item) { "Could not remove download result of \($0)" }
        }
        return .ok
    }

    private func purge() async throws(Fault) -> WireValue {
        let ids = try await asked { () throws(Problem) in
            try await stopped.look { list, _ in
                list.newest(.max).compactMap { entry -> DownloadID? in
                    if case .download(let id) = entry { id } else { nil }
                }
            }
        }
        try await actTogether(.delete(.keep), on: ids)
        stopped.now { $0.forgetForeign() }
        return .ok
    }
}
