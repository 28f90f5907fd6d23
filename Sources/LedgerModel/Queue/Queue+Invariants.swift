extension Queue {
    /// Names the first index or bound that does not agree with the downloads; nil when all do.
    ///
    /// Builds every index anew from the downloads: O(n log n), for tests and for assertions of debug builds.
    package func invariantViolation() -> String? {
        if !downloads.isWhole { return "the table of downloads is not in order" }
        for download in downloads {
            let id = download.id
            if id.sequence == .zero || id.sequence > sequence { return "download \(id) is not of this log" }
            if !(rankMin...rankMax).contains(download.rank) { return "the rank of download \(id) is out of bounds" }
            if let violation = download.invariantViolation() { return "download \(id): \(violation)" }
        }
        return indexViolation() ?? memoryViolation()
    }

    private func indexViolation() -> String? {
        let expected = Queue(image)
        if Array(live) != Array(expected.live) { return "the order of live downloads is not theirs" }
        if !ready.agrees(with: expected.ready) { return "the queued downloads by lane are not theirs" }
        if Array(waiting) != Array(expected.waiting) { return "the waiting downloads are not theirs" }
        if !waitingByLane.agrees(with: expected.waitingByLane) {
            return "the waiting downloads by lane are not theirs"
        }
        if windows != expected.windows { return "the hours are not those of the queued and waiting downloads" }
        if publishing != expected.publishing { return "the publishing downloads are not theirs" }
        if names != expected.names { return "the names are not those of the downloads" }
        if places != expected.places { return "the places are not those of the live downloads" }
        if counts != expected.counts { return "the counts of phases are not those of the downloads" }
        return nil
    }

    private func memoryViolation() -> String? {
        if undoable.count > Queue.undoEntriesMax { return "more is remembered to undo than the bound" }
        if zip(undoable, undoable.dropFirst()).contains(where: { $0.sequence >= $1.sequence }) {
            return "what can be undone is out of order"
        }
        if undoable.contains(where: { downloads[$0.id] == nil }) { return "what can be undone has no download" }
        if !answers.isWhole { return "the remembered commands are not those that have an answer" }
        return nil
    }
}

extension Download {
    /// Names the first fact that contradicts another; nil when none does.
    fileprivate func invariantViolation() -> String? {
        if phase.isFinished && file == nil { return "finished without a file" }
        if !sums.isEmpty, sums.count != durable.rangeCount { return "the sums are not those of the durable ranges" }
        if phase == .publishing && file == nil { return "publishing without a file" }
        if phase.isFinished && publishedIn == nil { return "finished without a publication" }
        if phase.isFinished && !durable.isEmpty { return "finished and still claims bytes of a part file" }
        if standing != nil && (!phase.isLive || publishedIn == nil) { return "a file stands that was not asked about" }
        if generation == 0 && !durable.isEmpty { return "claims bytes without a part file" }
        if phase == .failed && failure == nil { return "failed without a reason" }
        if phase == .deleted, deletion == nil { return "a deleted download does not say what became of its file" }
        return nil
    }
}

extension LaneIndex {
    /// Whether it holds the same downloads of the same lanes in the same order.
    func agrees(with other: Self) -> Bool {
        Array(heads) == Array(other.heads) && heads.allSatisfy { Array(self[$0.lane]) == Array(other[$0.lane]) }
    }
}
