extension Queue {
    /// Use within this time of one on record is not recorded again, in seconds: a player that asks for its file at each
    /// step of a slider makes one event.
    package static let usePauseSeconds = 60

    /// Notes that a finished file is of use to someone.
    func use(_ id: DownloadID, at now: Timestamp) throws(Rejection) -> Decision {
        guard let download = downloads[id] else { throw .notFound(id) }
        guard download.phase.isFinished else { return Decision([]) }
        if let last = download.usedAt, last <= now, last.duration(to: now) < .seconds(Self.usePauseSeconds) {
            return Decision([])
        }
        return Decision([.init(id, .used)])
    }

    /// Lets a file stay whatever its group may hold, or no longer.
    func pin(_ id: DownloadID, _ isPinned: Bool) throws(Rejection) -> Decision {
        guard let download = downloads[id] else { throw .notFound(id) }
        guard download.phase != .deleted else { throw .alreadyDeleted(id) }
        return Decision(download.isPinned == isPinned ? [] : [.init(id, .pinned(isPinned))])
    }
}
