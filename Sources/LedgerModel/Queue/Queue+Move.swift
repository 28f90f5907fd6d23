extension Queue {
    /// Resolves a placement into ranks. Neighbours that stand too close are moved along in the same decision.
    func move(_ id: DownloadID, to placement: Placement) throws(Rejection) -> Decision {
        let download = try requireLive(id)
        switch placement {
        case .priority(let priority):
            return Decision([.init(id, .moved(priority: priority, rank: rankAfterAll))])
        // What stands there already is not moved: an undo would take back nothing that can be seen.
        case .first where extent(of: download.priority).first?.id == id: return Decision([])
        case .last where extent(of: download.priority).last?.id == id: return Decision([])
        case .first:
            return Decision([.init(id, .moved(priority: download.priority, rank: rankBeforeAll))])
        case .last:
            return Decision([.init(id, .moved(priority: download.priority, rank: rankAfterAll))])
        case .index(let index):
            return move(download, toIndex: index, priority: download.priority)
        case .before(let other): return try move(download, beside: other, isBehind: false)
        case .after(let other): return try move(download, beside: other, isBehind: true)
        }
    }

    private func move(_ download: Download, beside id: DownloadID, isBehind: Bool) throws(Rejection) -> Decision {
        let other = try requireLive(id)
        // Beside itself it stands already.
        let before = peers(of: download, priority: other.priority).prefix { $0.rank < other.rank && $0.id != id }.count
        return move(download, toIndex: before + (isBehind && id != download.id ? 2 : 1), priority: other.priority)
    }

    /// The live downloads of a priority but one, in their order.
    private func peers(of download: Download, priority: Int32) -> some Sequence<QueueKey> {
        extent(of: priority).lazy.filter { $0.id != download.id }
    }

    /// The live downloads of a priority, in their order.
    private func extent(of priority: Int32) -> Slice<SortedList<QueueKey>> {
        let lowest = QueueKey(priority: priority, rank: .min, id: DownloadID(0))
        let highest = QueueKey(priority: priority, rank: .max, id: DownloadID(.max))
        return live[live.firstIndex(notBefore: lowest)..<live.firstIndex(after: highest)]
    }

    /// The rank behind every one that was ever given.
    var rankAfterAll: Rank { rankMax.addingClamped(Queue.rankStep) }

    /// The rank before every one that was ever given.
    var rankBeforeAll: Rank { rankMin.addingClamped(-Queue.rankStep) }

    private func move(_ download: Download, toIndex index: Int, priority: Int32) -> Decision {
        let highest = QueueKey(priority: priority, rank: .max, id: DownloadID(.max))
        var peers = peers(of: download, priority: priority).makeIterator()
        var previous: Rank?
        for _ in 1..<max(index, 1) {
            guard let peer = peers.next() else { break }
            previous = peer.rank
        }
        let next = peers.next()
        let isThere =
            priority == download.priority && (previous.map { $0 < download.rank } ?? true)
            && (next.map { download.rank < $0.rank } ?? true)
        if isThere { return Decision([]) }
        guard let next else {
            return Decision([.init(download.id, .moved(priority: priority, rank: rankAfterAll))])
        }
        let before = previous ?? next.rank.addingClamped(-2 * Queue.rankStep)
        let rank = before.addingClamped(max(1, next.rank / 2 - before / 2))
        var last = rank
        var shifted: [Decision.Proposed] = []
        // The download itself is shifted with the others when it stands behind, so that an undo finds its old place.
        for peer in live[live.firstIndex(notBefore: next)..<live.firstIndex(after: highest)] {
            guard peer.rank <= last else { break }
            last = last.addingClamped(Queue.rankStep / 1024)
            shifted.append(.init(peer.id, .moved(priority: priority, rank: last)))
        }
        // The farthest first, so that no shift passes another download; the move itself is the last thing to undo.
        return Decision(shifted.reversed() + [.init(download.id, .moved(priority: priority, rank: rank))])
    }
}
