import DequeModule

// What can be undone, and what undoing it brings back.
extension Queue {
    /// What undoing the event at `sequence`, or the last command that can be undone, amounts to: the last thing first.
    /// Never empty. When that event can not be undone, it is the last one about the download of that number, which a
    /// person may have meant.
    /// - Throws: `.nothingToUndo`, `.nothingToUndoOf`, `.noEvent`, `.notUndoable`, `.expired`, and `.destinationTaken`
    ///   when a download that would be live again writes where another one does now.
    package func undoing(_ sequence: SequenceNumber?) throws(Rejection) -> [UndoEntry] {
        do throws(Rejection) {
            return try undoing(event: sequence)
        } catch {
            guard case .notUndoable(let sequence) = error, downloads[DownloadID(sequence)] != nil else { throw error }
            let id = DownloadID(sequence)
            guard let meant = lastUndoable(of: id) ?? expiredDeletion(of: id) else { throw .nothingToUndoOf(id) }
            return try undoing(event: meant)
        }
    }

    private func undoing(event sequence: SequenceNumber?) throws(Rejection) -> [UndoEntry] {
        let newest = NewestUndo(undoable)
        let chosen: [UndoEntry]
        if let sequence {
            guard sequence <= self.sequence else { throw .noEvent(sequence, last: self.sequence) }
            guard let entry = undoable.last(where: { $0.sequence == sequence }) else { throw .notUndoable(sequence) }
            guard isUndoable(entry, newest) else {
                throw isExpired(entry) ? .expired(sequence, entry.id) : .notUndoable(sequence)
            }
            chosen = [entry]
        } else {
            guard let last = undoable.last(where: { isUndoable($0, newest) }) else { throw .nothingToUndo }
            // What one command did is undone together.
            let first = firstEvent(besides: last.sequence)
            chosen = undoable.reversed().prefix { $0.sequence >= first }.filter { isUndoable($0, newest) }
        }
        for case (let download?, .restore(let phase)) in chosen.map({ (downloads[$0.id], $0.inverse) })
        where phase.isLive { try requireFree(download) }
        return chosen
    }

    /// Everything that can be undone now, the last thing first.
    package var undoableNow: [UndoEntry] {
        let newest = NewestUndo(undoable)
        return undoable.reversed().filter { isUndoable($0, newest) }
    }

    /// The last event about a download that can be undone now; nil when there is none.
    package func lastUndoable(of id: DownloadID) -> SequenceNumber? {
        let newest = NewestUndo(undoable)
        return undoable.last { $0.id == id && isUndoable($0, newest) }?.sequence
    }

    /// The deletion of a download that can not be undone because its file left the trash; nil when there is none.
    private func expiredDeletion(of id: DownloadID) -> SequenceNumber? {
        undoable.last { $0.id == id && isExpired($0) }?.sequence
    }

    /// The secrets that some download may need again: of all but those that were deleted for good, and of orders that
    /// undoing brings back.
    package var ownedSecrets: Set<SecretReference> {
        let undoable = undoableNow
        let restorable = Set(undoable.map(\.id))
        var owned = Set(
            downloads.lazy.filter { $0.phase != .deleted || restorable.contains($0.id) }
                .compactMap(\.order.secret))
        for case .change(let order) in undoable.map(\.inverse) { if let secret = order.secret { owned.insert(secret) } }
        return owned
    }

    /// The first event of the command that made an event; the event itself when that command is not remembered.
    private func firstEvent(besides sequence: SequenceNumber) -> SequenceNumber {
        let answer = answers.all.last { $0.answer.first <= sequence }?.answer
        guard let answer, sequence.rawValue - answer.first.rawValue < answer.count else { return sequence }
        return answer.first
    }

    /// Whether the download still stands where the event left it, so that undoing it means something.
    private func isUndoable(_ entry: UndoEntry, _ newest: NewestUndo) -> Bool {
        guard let download = downloads[entry.id] else { return false }
        switch entry.inverse {
        case .restore:
            guard download.phase == .cancelled || download.phase == .deleted, download.deletion?.value.isFinal != true
            else { return false }
            return entry.sequence == newest.restoring[entry.id]
        case .resume: return download.phase == .paused
        case .pause: return download.phase.isLive && download.phase != .paused && download.phase != .publishing
        case .move: return download.phase.isLive || download.phase == .failed
        case .change(let order):
            // The order as it was before an older change knows nothing of the later ones.
            guard entry.sequence == newest.changing[entry.id] else { return false }
            // Only a retry changes that, and a retry is not undone.
            guard order.destination.collision == download.order.destination.collision else { return false }
            return download.phase == .failed || download.phase.isLive && download.phase != .publishing
                || download.phase.isThere && download.order.isSame(butForLabels: order.standing(where: download.order))
        }
    }

    /// Whether a deletion could be undone if its file had not left the trash.
    private func isExpired(_ entry: UndoEntry) -> Bool {
        guard entry.inverse.isRestoring, let download = downloads[entry.id], download.phase == .deleted,
            case .expired? = download.deletion?.value
        else { return false }
        return true
    }
}

/// The newest of those entries that an older one of the same download must not be undone before.
private struct NewestUndo {
    private(set) var restoring: [DownloadID: SequenceNumber] = [:]
    private(set) var changing: [DownloadID: SequenceNumber] = [:]

    init(_ entries: some Sequence<UndoEntry>) {
        for entry in entries {
            if entry.inverse.isRestoring { restoring[entry.id] = entry.sequence }
            if entry.inverse.isChange { changing[entry.id] = entry.sequence }
        }
    }
}

extension Deletion {
    /// Whether the file is gone for good, so that nothing brings it back.
    var isFinal: Bool {
        switch self {
        case .keepFile, .trash: false
        case .purge, .expired, .evicted: true
        }
    }
}
