extension Queue {
    /// Turns a command into events, or refuses it. Changes nothing.
    /// - Parameter running: the downloads that run, or are about to: none of them makes room for another.
    package func decide(
        _ command: Command, at now: Timestamp, limits: Limits = Limits(), running: Set<DownloadID> = []
    ) throws(Rejection) -> Decision {
        switch command {
        case .enqueue(let order, let priority, let again):
            return try enqueue(order, priority: priority, again: again, limits: limits, running)
        case .refresh(let order, let priority):
            // What an order that asks for no look would join is looked at, too, though it was named otherwise.
            let equal = equal(to: order)
            let isLive = equal?.phase.isLive ?? false
            if !isLive, let completed = completed(like: order) ?? (equal?.phase == .completed ? equal : nil) {
                try requireChecked(order, joining: completed)
                let room = try makeRoom(
                    for: completed.id, priority: completed.priority, limits: limits, running: running)
                return Decision(
                    [.init(completed.id, .rechecked)] + makingWay(for: completed) + room, joined: completed.id)
            }
            return try enqueue(order, priority: priority, again: false, limits: limits, running)
        case .hold(let command):
            var decision = try decide(command, at: now, limits: limits, running: running)
            // The event that enqueues gets the next number but those before it, and is the download it makes.
            if let index = decision.events.firstIndex(where: { $0.event.kind == .enqueued }) {
                let number = SequenceNumber(sequence.rawValue + UInt64(index) + 1)
                decision.events.append(.init(DownloadID(number), .paused))
            } else if let joined = decision.joined, !decision.events.isEmpty {
                // It is to be fetched after all, or its origin to be asked.
                decision.events.append(.init(joined, .paused))
            }
            return decision
        case .pause(let id): return try pause(id)
        case .resume(let id): return try resume(id)
        case .cancel(let id): return try cancel(id)
        case .retry(let id): return try retry(id, limits, running)
        case .move(let id, let placement): return try move(id, to: placement)
        case .change(let id, let change): return try self.change(id, change)
        case .delete(let id, let deletion): return try delete(id, deletion)
        case .expire(let id): return try expire(id)
        case .redact(let id, let reason): return try redact(id, reason)
        case .use(let id): return try use(id, at: now)
        case .pin(let id, let isPinned): return try pin(id, isPinned)
        case .relocate(let id, let relocation): return try relocate(id, relocation)
        case .library: preconditionFailure("the whole state decides this")
        case .undo(let sequence):
            return Decision(try undoing(sequence).map { .init($0.id, .restored(undoing: $0.sequence)) })
        case .report(let lease, let reports): return try accept(reports, under: lease)
        case .observe(let id, let observation): return try accept(observation, of: id)
        case .maintain(let maintenance): return Decision([.init(nil, maintenance.event)])
        }
    }

    /// What is fetched after all goes beside a file that stood there before it was asked for: what the download was
    /// told once to do with that was to fetch nothing.
    private func makingWay(for download: Download) -> [Decision.Proposed] {
        guard download.hasForeignFile, download.order.destination.collision == .skip else { return [] }
        return [.init(download.id, .changed(download.order.onTaken(.number)))]
    }

    private func enqueue(
        _ order: Order, priority: Int32, again: Bool, limits: Limits, _ running: Set<DownloadID>
    ) throws(Rejection) -> Decision {
        if !again, let equal = equal(to: order) {
            switch equal.phase {
            case .queued, .waiting, .paused, .publishing, .completed:
                try requireChecked(order, joining: equal)
                return Decision([], joined: equal.id)
            case .missing, .altered, .failed, .cancelled:
                if equal.origin != nil { try requireChecked(order, joining: equal) }
                // As it is asked for now: what it failed with may be what is asked for otherwise.
                let renewed = equal.order.renewed(by: order)
                try requireBounded(renewed)
                let change = renewed == equal.order ? [] : [Decision.Proposed(equal.id, .changed(renewed))]
                return Decision(try revive(equal, limits, running) + change, joined: equal.id)
            case .deleted:
                break
            }
        }
        try requireBounded(order)
        // What is asked for again on purpose gets a name of its own.
        if !again, let writer = writer(of: order.destination) {
            // One file is one download, wherever it comes from; who asks for certain bytes, or as somebody, is not
            // told that others are those.
            guard order.expected == nil || order.expected == writer.order.expected,
                writer.serves(order.options.value), writer.heeds(order.destination.collision), writer.asks(like: order)
            else { throw .destinationTaken(path: order.destination.path ?? "", by: writer.id) }
            try requireChecked(order, joining: writer)
            return Decision([], joined: writer.id)
        }
        // In one decision with what it makes room for: no crash comes between the two.
        let room = try makeRoom(
            for: DownloadID(sequence.next), priority: priority, limits: limits, running: running)
        let rank = limits.queueOrder == .fifo ? rankAfterAll : rankBeforeAll
        return Decision([.init(nil, .enqueued(order, priority: priority, rank: rank))] + room)
    }

    /// Who has certificates checked is not given what came, or comes, without.
    private func requireChecked(_ order: Order, joining download: Download) throws(Rejection) {
        guard order.options.value.isInsecure || !download.order.options.value.isInsecure else {
            throw .unchecked(by: download.id)
        }
    }

    /// Fetches after all what has left the queue.
    private func revive(
        _ download: Download, _ limits: Limits, _ running: Set<DownloadID>
    ) throws(Rejection) -> [Decision.Proposed] {
        try requireFree(download)
        let room = try makeRoom(for: download.id, priority: download.priority, limits: limits, running: running)
        return [.init(download.id, .retried)] + room
    }

    /// Changes a download that is live, or has failed and may be retried with the change; its labels for as long as it
    /// is there.
    private func change(_ id: DownloadID, _ change: OrderChange) throws(Rejection) -> Decision {
        let download =
            if let known = downloads[id], known.phase == .failed || change.isOfLabels && known.phase.isThere {
                known
            } else {
                try requireLive(id)
            }
        let order = change.applied(to: download.order)
        try requireBounded(order)
        var decision = Decision(order == download.order ? [] : [.init(id, .changed(order))])
        if let priority = change.priority, priority != download.priority {
            decision.events.append(.init(id, .moved(priority: priority, rank: rankAfterAll)))
        }
        return decision
    }

    private func pause(_ id: DownloadID) throws(Rejection) -> Decision {
        let download = try requireLive(id)
        if download.phase == .paused { throw .alreadyPaused(id) }
        return Decision([.init(id, .paused)])
    }

    private func resume(_ id: DownloadID) throws(Rejection) -> Decision {
        guard let download = downloads[id] else { throw .notFound(id) }
        guard download.phase == .paused else { throw .notPaused(id) }
        return Decision([.init(id, .resumed)])
    }

    private func cancel(_ id: DownloadID) throws(Rejection) -> Decision {
        if downloads[id]?.phase != .failed { try requireLive(id) }
        return Decision([.init(id, .cancelled)])
    }

    private func retry(
        _ id: DownloadID, _ limits: Limits, _ running: Set<DownloadID>
    ) throws(Rejection) -> Decision {
        guard let download = downloads[id] else { throw .notFound(id) }
        switch download.phase {
        case .waiting: return Decision([.init(id, .retried)])
        case .failed, .cancelled: return Decision(try revive(download, limits, running))
        case .missing, .altered:
            // What it was once told to do with a file in its place was not about one that came there since.
            let isRefusing = download.order.destination.collision == .refuse
            let order = isRefusing ? download.order : download.order.onTaken(.number)
            let change = order == download.order ? [] : [Decision.Proposed(id, .changed(order))]
            return Decision(try revive(download, limits, running) + change)
        case .queued, .paused, .publishing, .completed, .deleted: throw .notRetryable(id)
        }
    }

    private func delete(_ id: DownloadID, _ deletion: Deletion) throws(Rejection) -> Decision {
        guard let download = downloads[id] else { throw .notFound(id) }
        if deletion == .evicted, !download.mayBeEvicted { throw .notEvictable(id) }
        switch download.phase {
        case .queued, .waiting, .paused, .completed, .missing, .failed, .cancelled:
            return Decision([.init(id, .deleted(deletion))])
        // What someone else made of the file is not the ledger's to take away.
        case .altered: return Decision([.init(id, .deleted(.keepFile))])
        case .publishing: throw .publishing(id)
        // What is deleted can be brought back, until its file is removed for good after all.
        case .deleted where deletion == .purge && download.isInTrash: return try expire(id)
        case .deleted: throw .alreadyDeleted(id)
        }
    }

    /// The longest reason of a redaction, in bytes; a longer one is refused.
    private static let reasonBytesMax = 4096

    /// A file in the trash would stay there unknown: it leaves it first.
    private func redact(_ id: DownloadID, _ reason: String) throws(Rejection) -> Decision {
        guard let download = downloads[id] else { throw .notFound(id) }
        guard download.phase == .deleted else { throw .notDeleted(id) }
        if download.isInTrash { throw .inTrash(id) }
        guard reason.utf8.count <= Self.reasonBytesMax else {
            throw .tooMuch("the bytes of a reason", max: Self.reasonBytesMax)
        }
        return Decision([.init(id, .redacted(id.sequence, reason: reason))])
    }

    /// The live download that was told to write the same file: with another one there would be two writers of it.
    private func writer(of destination: Destination) -> Download? {
        guard let path = destination.path else { return nil }
        return places.values(of: path.hashValue).lazy.compactMap { downloads[$0] }
            .first { $0.order.destination.path.map(DiskName.init) == DiskName(path) }
    }

    /// Lets a download that has ended become live again only when no other one writes its file.
    func requireFree(_ download: Download) throws(Rejection) {
        let destination = download.order.destination
        if let writer = writer(of: destination) {
            throw .destinationTaken(path: destination.path ?? "", by: writer.id)
        }
    }

    func requireBounded(_ order: Order) throws(Rejection) {
        let bytes = order.textBytes
        if bytes > Order.textBytesMax { throw .orderTooLarge(bytes: bytes, max: Order.textBytesMax) }
    }

    @discardableResult
    func requireLive(_ id: DownloadID) throws(Rejection) -> Download {
        guard let download = downloads[id] else { throw .notFound(id) }
        switch download.phase {
        case .queued, .waiting, .paused: return download
        case .publishing: throw .publishing(id)
        case .completed: throw .alreadyCompleted(id)
        case .missing: throw .alreadyMissing(id)
        case .altered: throw .alreadyAltered(id)
        case .failed: throw .alreadyFailed(id)
        case .cancelled: throw .alreadyCancelled(id)
        case .deleted: throw .alreadyDeleted(id)
        }
    }
}

extension Order {
    /// The same but for what happens where its name is taken.
    fileprivate func onTaken(_ collision: Destination.Collision) -> Order {
        var order = self
        order.destination = Destination(directory: destination.directory, name: destination.name, collision: collision)
        return order
    }
}

extension Maintenance {
    /// The event that records this.
    fileprivate var event: Event {
        switch self {
        case .compacted(let through, let archived): .compacted(through: through, archived: archived)
        case .checkpointed(let size, let root): .checkpointed(size: size, root: root)
        case .repaired(let cut, let reason): .repaired(cut: cut, reason: reason)
        case .redacted(let sequence, let reason): .redacted(sequence, reason: reason)
        }
    }
}
