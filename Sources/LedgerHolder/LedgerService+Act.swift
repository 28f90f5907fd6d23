package import LedgerAPI
import LedgerEngine
package import LedgerModel
import LedgerSystem
import SystemPackage

extension LedgerService {
    package func act(
        _ action: Action, on selection: Selection, command: CommandID
    ) async throws(Problem) -> [ActionAnswer] {
        try await act(action, on: selection, command: command, as: configuration.actor)
    }

    func act(
        _ action: Action, on selection: Selection, command: CommandID, as actor: EventActor
    ) async throws(Problem) -> [ActionAnswer] {
        let isExact = if case .ids = selection { true } else { false }
        // Who asks again, as the first answer was lost, is told what was done then, which is not done twice; what was
        // refused then, or was cut off, is decided now.
        let before = try await downloads(of: command)
        let done = before ?? []
        var answers: [ActionAnswer] = []
        try await eachRow(of: done) { _, row in if let row { answers.append(ActionAnswer(done: row)) } }
        var chosen = try await downloads(in: selection, besides: Set(done)).filter { _, download in
            switch action {
            // What was deleted before leaves the trash only where it is meant: by its number, or by '--state deleted'.
            case .delete: if case .all = selection { download?.phase != .deleted } else { true }
            case .relocate(let relocation): download?.stands(in: relocation) ?? true
            case .pause, .resume, .cancel, .retry, .move, .change, .pin: true
            }
        }
        let held = try await finishDeletions(before: action, of: &chosen)
        answers += held.sorted { $0.key < $1.key }.map { ActionAnswer(refused: $0, Problem(unfollowed: $0, $1)) }
        // Before the downloads: what repeats the command after a crash between the two does both, behind both neither.
        if before == nil, case .relocate(let relocation) = action {
            try await decided([.library(.relocate(relocation))], as: actor)
        }
        // Each goes before those that went there before it.
        if case .move(.first) = action { chosen.reverse() }
        if before != nil, chosen.isEmpty { return answers }
        var change = OrderChange()
        if case .change(let request) = action { change = try await orderChange(request, of: chosen) }
        defer { secrets.release([change.source?.secret]) }
        let submissions = await ledger.world.blocking.run { [change, chosen] in
            chosen.map { id, download in
                Submission(
                    self.command(for: action, change, on: id, download), id: before == nil ? command : nil,
                    actor: actor)
            }
        }
        let halted = chosen.filter { _, download in download.map { action.leavesPart(of: $0, change) } ?? false }
        let outcomes = try await execute(submissions, halting: Set(halted.map(\.id)))
        if outcomes.contains(where: \.isRepeated) {
            // It was still under way for the connection that was lost.
            return try await act(action, on: selection, command: command, as: actor)
        }
        let refused = try await settle(outcomes)
        switch action {
        case .delete(.trash): do throws(LedgerError) { try await expireTrash() } catch { throw Problem(error) }
        case .delete(.purge): await sweepSecrets(behind: chosen.compactMap(\.1))
        default: break
        }
        let notes = try await notes(on: action, chosen)
        try await eachRow(of: chosen.map(\.id)) { place, row in
            let id = chosen[place].id
            if case .refused(let rejection) = outcomes[place] {
                // What was not named one by one is passed over when the action does not apply to it.
                if isExact || !rejection.leavesNothingToDo(for: action) {
                    answers.append(ActionAnswer(refused: id, Problem(rejection)))
                }
            } else if let row {
                var answer = ActionAnswer(done: row)
                if let failure = refused[id] { answer.unfollowed = failure.message } else { answer.note = notes[id] }
                answers.append(answer)
            }
        }
        return answers
    }

    /// What a command was done to, with their files where the state says; nil for a command that is new.
    private func downloads(of command: CommandID) async throws(Problem) -> [DownloadID]? {
        guard let answer = try await read({ $0.queue.answer(to: command) }) else { return nil }
        let ids = try await Set(events(of: .repeated(answer)).compactMap(\.id)).sorted()
        // The answer may have been lost with the process, before the disk followed.
        do throws(LedgerError) { try await reconciler.look(at: ids) } catch { throw Problem(error) }
        return ids
    }

    /// Before it is said anew what becomes of files, what was said before is done.
    /// - Parameter chosen: the downloads that the action is for; behind this as they are now, without those that the
    ///   disk keeps from it.
    /// - Returns: what the disk refused.
    private func finishDeletions(
        before action: Action, of chosen: inout [(id: DownloadID, Download?)]
    ) async throws(Problem) -> [DownloadID: Failure] {
        guard case .delete = action else { return [:] }
        let held: [DownloadID: Failure]
        do throws(LedgerError) { held = try await reconciler.finishDeletions(of: chosen.map(\.id)) } catch {
            throw Problem(error)
        }
        let ids = chosen.map(\.id).filter { held[$0] == nil }
        chosen = try await read { state in ids.map { ($0, state.queue[$0]) } }
        return held
    }

    /// What a deletion did not do to files, and what no undo brings back.
    /// - Parameter downloads: as they were before it.
    private func notes(
        on action: Action, _ downloads: [(id: DownloadID, before: Download?)]
    ) async throws(Problem) -> [DownloadID: String] {
        guard case .delete(let fate) = action else { return [:] }
        var notes: [DownloadID: String] = [:]
        for case (let id, let before?) in downloads where fate != .purge && before.hasPart {
            // With a finished file it is of a newer one, which the next look fetches.
            guard before.standing == nil else { continue }
            notes[id] = "what it had received is removed: 'ledger undo' lets it begin anew"
        }
        guard fate != .keep else { return notes }
        let ids = downloads.map(\.id)
        let deleted = try await read { state in
            ids.compactMap { id -> (Download, file: PublishedFile, other: DownloadID?)? in
                guard let download = state.queue[id], download.phase == .deleted, let file = download.file?.value else {
                    return nil
                }
                let other = state.publishers(of: file.path).first { other in
                    guard let other = state.queue[other], other.phase == .completed else { return false }
                    return file.identity.map { other.file?.value.identity == $0 } ?? false
                }
                return (download, file, other)
            }
        }
        let fileSystem = ledger.world.fileSystem
        do throws(FileError) {
            let ofFiles = try await ledger.world.blocking.run { () throws(FileError) in
                var notes: [DownloadID: String] = [:]
                for (download, file, other) in deleted {
                    if fate == .trash, case .expired? = download.deletion?.value {
                        notes[download.id] =
                            "its file is gone for good: the trash may hold no more ('trashSizeMax', 'trashDaysMax')"
                    } else if try fileSystem.status(of: FilePath(file.path)) != nil {
                        notes[download.id] =
                            other.map { "'\(file.path)' is the file of download \($0), too, and stays" }
                            ?? "what stands at '\(file.path)' is not what was fetched, and stays there"
                    } else if case .trash(let target)? = download.deletion?.value,
                        try fileSystem.status(of: FilePath(target)) == nil
                    {
                        notes[download.id] = "its file was gone already: no undo brings it back"
                    }
                }
                return notes
            }
            return notes.merging(ofFiles) { _, ofFile in ofFile }
        } catch { throw Problem(LedgerError.file(error)) }
    }

    private func downloads(
        in selection: Selection, besides done: Set<DownloadID>
    ) async throws(Problem) -> [(id: DownloadID, Download?)] {
        switch selection {
        case .ids(let ids):
            var seen = done
            let named = ids.filter { seen.insert($0).inserted }
            return try await read { state in named.map { ($0, state.queue[$0]) } }
        case .all:
            return try await read { state in
                state.queue.downloads.compactMap { done.contains($0.id) ? nil : ($0.id, $0) }
            }
        case .matching(let filter):
            let (maker, matcher) = (rowMaker, filter.matcher)
            return try await read { state in
                state.queue.downloads.compactMap {
                    !done.contains($0.id) && matcher.matches(maker.shown($0)) ? ($0.id, $0) : nil
                }
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
        case .pin(let isPinned): .pin(id, isPinned)
        case .relocate(let relocation): .relocate(id, relocation)
        case .delete(.keep): .delete(id, .keepFile)
        case .delete(.purge): .delete(id, .purge)
        case .delete(.trash): .delete(id, .trash(path: trashPath(id, download)))
        }
    }

    private func trashPath(_ id: DownloadID, _ download: Download?) -> String {
        assignments.trashPath(of: id, download, in: ledger.home, ledger.world)
    }
}

extension Action {
    /// Whether it takes a download from its worker, and leaves what that one received.
    fileprivate func leavesPart(of download: Download, _ change: OrderChange) -> Bool {
        guard download.phase.mayRun else { return false }
        return switch self {
        case .pause, .relocate: true
        case .change: change.interrupts(download.order)
        case .resume, .cancel, .retry, .move, .pin, .delete: false
        }
    }
}

extension Rejection {
    /// Whether a download is as the action would make it, or is none that it could be done to.
    fileprivate func leavesNothingToDo(for action: Action) -> Bool {
        switch self {
        case .notFound, .alreadyCompleted, .alreadyMissing, .alreadyAltered, .alreadyCancelled, .alreadyDeleted,
            .alreadyPaused, .alreadyFailed, .notPaused, .notRetryable, .notCompleted, .notInTrash, .notEvictable:
            true
        // In a moment there is a file, which is not deleted then.
        case .publishing: if case .delete = action { false } else { true }
        case .stale, .outOfOrder, .nothingToUndo, .notUndoable, .nothingToUndoOf, .expired, .notDeleted, .inTrash,
            .noEvent, .destinationTaken, .unchecked, .queueFull, .orderTooLarge, .noListing, .noEntry, .badFilter,
            .badLimit, .unrecordable, .tooMuch:
            false
        }
    }
}

extension Download {
    /// Whether there are bytes in a part file, which goes with the download when that is deleted.
    fileprivate var hasPart: Bool {
        switch phase {
        case .queued, .waiting, .paused, .failed: durable.count > 0
        case .publishing, .completed, .missing, .altered, .cancelled, .deleted: false
        }
    }
}
