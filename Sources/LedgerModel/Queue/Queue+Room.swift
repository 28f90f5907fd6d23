extension Queue {
    /// The events that make room for one download more: none while the queue is not full, else the eviction of one of
    /// the lowest priority. What runs, and what is getting its final name, is never evicted.
    /// - Throws: ``Rejection/queueFull(max:)`` when the limits say so, or when the newcomer has the lowest priority
    ///   itself.
    func makeRoom(
        for newcomer: DownloadID, priority: Int32, limits: Limits, running: Set<DownloadID>
    ) throws(Rejection) -> [Decision.Proposed] {
        let max = limits.queuedDownloadsMax
        guard live.count >= max else { return [] }
        guard let evicted = evictable(limits, upTo: priority, running) else { throw .queueFull(max: max) }
        let failure = Failure(
            .evicted, "the queue is full at \(max), and download \(newcomer) took this one's place", isRetryable: false)
        return [.init(evicted, .failed(failure, retryAt: nil))]
    }

    /// Looks at what runs, and at one download more.
    private func evictable(_ limits: Limits, upTo priority: Int32, _ running: Set<DownloadID>) -> DownloadID? {
        func mayGo(_ key: QueueKey) -> Bool { !running.contains(key.id) && !publishing.contains(key.id) }
        // In a queue that runs the newest first the oldest stands last.
        let isFirst = (limits.queuePolicy == .evictOldest) == (limits.queueOrder == .fifo)
        var end = live.endIndex
        while end > live.startIndex {
            let lowest = live[live.index(before: end)].priority
            guard limits.queuePolicy != .refuse, lowest <= priority else { return nil }
            let begin = live.firstIndex(notBefore: QueueKey(priority: lowest, rank: .min, id: DownloadID(0)))
            let equals = live[begin..<end]
            let key = isFirst ? equals.first(where: mayGo) : equals.last(where: mayGo)
            if let key { return key.id }
            end = begin
        }
        return nil
    }
}
