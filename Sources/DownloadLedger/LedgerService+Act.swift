package import LedgerAPI
import LedgerEngine
package import LedgerModel
import LedgerSystem
import SystemPackage

extension LedgerService {
    package func act(
        _ action: Action, on selection: Selection, command: CommandID
    ) async throws(Problem) -> [ActionAnswer] {
        let isExact = if case .ids = selection { true } else { false }
        let chosen = try await downloads(in: selection)
        var change = OrderChange()
        if case .change(let request) = action { change = try await orderChange(request, of: chosen) }
        defer { secrets.release([change.source?.secret]) }
        let submissions = await ledger.world.blocking.run { [change] in
            chosen.map { id, download in
                Submission(self.command(for: action, change, on: id, download), id: command, actor: .cli)
            }
        }
        let outcomes = try await execute(submissions)
        try await settle(outcomes)
        let rows = try await rows(of: chosen.map(\.id))
        return zip(chosen, outcomes).compactMap { item, outcome in
            if case .refused(let rejection) = outcome {
                // What was not named one by one is passed over when the action does not apply to it.
                return isExact ? ActionAnswer(refused: item.id, Problem(rejection)) : nil
            }
            return rows[item.id].map { ActionAnswer(done: $0) }
        }
    }

    private func downloads(in selection: Selection) async throws(Problem) -> [(id: DownloadID, Download?)] {
        switch selection {
        case .ids(let ids):
            return try await read { state in ids.map { ($0, state.queue[$0]) } }
        case .all:
            return try await read { state in
                state.queue.downloads.values.sorted { $0.id < $1.id }.map { ($0.id, $0) }
            }
        case .matching(let filter):
            let maker = rowMaker
            return try await read { state in
                state.queue.downloads.values.filter { filter.matches(maker.row($0)) }
                    .sorted { $0.id < $1.id }.map { ($0.id, $0) }
            }
        }
    }

    private func command(
        for action: Action, _ change: OrderChange, on id: DownloadID, _ download: Download?
    ) -> Command {
        switch action {
        case .pause: .pause(id)
        case .resume: .resume(id)
        case .cancel: .cancel(id)
        case .retry: .retry(id)
        case .move(let placement): .move(id, placement)
        case .change: .change(id, change)
        case .delete(.keep): .delete(id, .keepFile)
        case .delete(.purge): .delete(id, .purge)
        case .delete(.trash): .delete(id, .trash(path: trashPath(of: id, download)))
        }
    }

    /// Where the file of a deleted download goes: into the home's trash, or, on another file system, beside itself, so
    /// that it is always a rename. Blocks.
    private func trashPath(of id: DownloadID, _ download: Download?) -> String {
        let home = ledger.home
        let directory = FilePath(download?.order.destination.directory ?? home.path.string)
        let file = download?.file.map { FilePath($0.value.path) }
        let name = "\(id)-" + (file?.lastComponent?.string ?? "nothing")
        let place = file?.removingLastComponent() ?? directory
        let trash = isOneFileSystem(home.path, place) ? home.trash : place.appending(".ledger-trash")
        return trash.appending(FileName.shortened(name, bytesMax: Destination.nameBytesMax)).string
    }

    private func isOneFileSystem(_ one: FilePath, _ other: FilePath) -> Bool {
        do throws(FileError) {
            let fileSystem = ledger.world.fileSystem
            return try fileSystem.status(of: one)?.device == fileSystem.status(of: other)?.device
        } catch {
            // What can not be looked at is not moved far.
            return false
        }
    }
}
