extension Queue {
    /// A stretch of the live downloads, in the order of the queue: a page of a long list costs what is on it, wherever
    /// it begins. O(count + skipped · log live).
    /// - Parameters:
    ///   - skipped: downloads that are passed over, and not counted: those that run.
    ///   - start: how many of the others come before it.
    ///   - count: how many it has at most.
    package func livePage(skipping skipped: Set<DownloadID>, from start: Int, count: Int) -> [Download] {
        // What is skipped before the start moves it on.
        var offset = start
        for place in skipped.compactMap(livePlace).sorted() where place <= offset { offset += 1 }
        guard count > 0, offset < live.count else { return [] }
        var page: [Download] = []
        for key in live[live.index(at: offset)...] where !skipped.contains(key.id) {
            if let download = downloads[key.id] { page.append(download) }
            if page.count == count { break }
        }
        return page
    }

    /// How many live downloads come before one; nil when it is not live.
    package func livePlace(of id: DownloadID) -> Int? {
        guard let download = downloads[id], download.phase.isLive else { return nil }
        return livePlace(of: download.key)
    }

    /// How many live downloads of its own priority come before one; nil when it is not live.
    package func livePlaceAmongEquals(of id: DownloadID) -> Int? {
        guard let download = downloads[id], let place = livePlace(of: id) else { return nil }
        return place - livePlace(of: QueueKey(priority: download.priority, rank: .min, id: DownloadID(0)))
    }

    private func livePlace(of key: QueueKey) -> Int { live.count(before: live.firstIndex(notBefore: key)) }
}
