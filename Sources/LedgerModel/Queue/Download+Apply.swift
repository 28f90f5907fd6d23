extension Download {
    /// What undoes an event about this download, from the state before it; nil when nothing does.
    func inverse(of event: Event) -> UndoEntry.Inverse? {
        switch event {
        case .cancelled: standing == nil ? .restore(phase) : nil
        case .deleted(.keepFile), .deleted(.trash): .restore(standing == nil ? phase : .completed)
        case .paused: .resume
        case .resumed: .pause
        case .moved: .move(priority: priority, rank: rank)
        case .changed: .change(order)
        case .enqueued, .resolved, .progressed, .verified, .completed, .failed, .retried, .deleted(.purge),
            .deleted(.evicted), .deleted(.expired), .restored, .missing, .altered, .found, .compacted, .checkpointed,
            .repaired, .redacted, .blamed, .rechecked, .unchanged, .used, .pinned, .relocated, .library:
            nil
        }
    }

    /// Takes an event about this download into account.
    /// - Returns: the phase that it left thereby; nil when it stayed in its phase.
    mutating func phaseLeft(by event: Recorded) -> Phase? {
        let before = phase
        apply(event)
        return phase == before ? nil : before
    }

    /// Takes an event about this download into account.
    mutating func apply(_ event: Recorded) {
        let change = event.event
        switch change {
        case .resolved(let origin, let generation):
            self.origin = Shared(sharing(origin))
            if generation != self.generation {
                releasePart()
                isPoisoned = false
            }
            self.generation = generation
            if startedAt == nil { startedAt = origin.answeredAt ?? event.time }
            phase = .queued
        case .progressed(let ranges, let sums):
            // The first bytes of a part that was begun anew may be those of the part before it: no progress yet.
            if isExcused || !durable.isEmpty && ranges.count > durable.count { failuresInRow = 0 }
            (durable, self.sums) = (ranges, sums)
            failure = nil
            phase = .queued
        case .verified(let length, let sha256, let path):
            phase = .publishing
            failure = nil
            file = Shared(PublishedFile(path: path, length: length, sha256: sha256, identity: nil))
        case .completed(let identity):
            finish(identity, by: event)
        case .failed(let failure, let retryAt):
            fail(failure, retryAt: retryAt)
        case .blamed(let source, let failure):
            if !failure.isRetryable { blamed = Shared((blamed?.value ?? []) + [source]) }
        case .paused:
            phase = .paused
            epoch += 1
        case .resumed:
            wait(at: event.time)
            epoch += 1
        case .cancelled:
            if !stand() { leave(for: .cancelled) }
        case .deleted(let deletion):
            self.deletion = Shared(deletion)
            stand()
            leave(for: .deleted)
        case .rechecked:
            recheck(at: event.time)
        case .unchanged:
            failure = nil
            checkedAt = event.time
            stand()
        case .retried:
            retry(at: event.time)
        case .moved(let priority, let rank):
            (self.priority, self.rank) = (priority, rank)
        case .changed(let order):
            self.change(order, at: event.time)
        case .missing:
            phase = .missing
        case .altered(let identity, _):
            alter(identity)
        case .found(let identity, let sha256, let path, _):
            file = Shared(PublishedFile(path: path, length: identity.length, sha256: sha256, identity: nil))
            finish(identity, by: event)
        case .used:
            usedAt = event.time
        case .pinned(let isPinned):
            self.isPinned = isPinned
        case .relocated(let relocation):
            relocate(relocation)
        case .enqueued, .restored, .compacted, .checkpointed, .repaired, .redacted, .library:
            preconditionFailure("the queue folds these itself")
        }
    }

    /// The origin with the order's own URL where it has the same: most have, and a million texts are as many pieces of
    /// memory.
    private func sharing(_ origin: consuming Origin) -> Origin {
        if origin.url == order.url { origin.url = order.url }
        return origin
    }

    /// Stands in the queue again: ready, or waiting for the instant that its order names.
    mutating func wait(at now: Timestamp) {
        phase = .queued
        if let instant = order.options.value.notBefore, instant > now { phase = .waiting(until: instant) }
    }

    /// Takes another order; one that waits for a retry goes on waiting for it. A worker goes on when all that changes
    /// is what it can take up on its way.
    mutating func change(_ order: Order, at now: Timestamp) {
        let mayGoOn = self.order.mayGoOn(as: order)
        replaceOrder(by: order)
        if mayGoOn { return }
        blamed = nil
        epoch += 1
        switch phase {
        case .waiting(let until) where failure != nil:
            if let instant = order.options.value.notBefore { phase = .waiting(until: max(until, instant)) }
        case .queued, .waiting: wait(at: now)
        case .paused, .publishing, .completed, .missing, .altered, .failed, .cancelled, .deleted: break
        }
    }

    /// Whether the last attempt ended with what is no failure of its own.
    package var isExcused: Bool { failure?.value.isExcused ?? false }

    private mutating func fail(_ failure: Failure, retryAt: Timestamp?) {
        if isExcused, !failure.isExcused { failuresInRow = 0 }
        self.failure = Shared(failure)
        file = nil
        if failure.endsAttempt { (failuresInRow, failuresTotal) = (failuresInRow + 1, failuresTotal + 1) }
        epoch += 1
        // The part was moved aside as `.rejected`: nothing of it is held any longer. With hashes of its pieces, only
        // the wrong piece is missing.
        if failure.code == .digestMismatch, order.pieces == nil { releasePart() }
        isPoisoned = isPoisoned || failure.poisonsPart
        if let retryAt {
            phase = .waiting(until: retryAt)
        } else if !stand() {
            phase = .failed
        }
    }

    /// Queues a finished download for a question to its origin, its file kept.
    private mutating func recheck(at now: Timestamp) {
        guard let whole = file?.value else { return }
        standing = Shared(StandingFile(file: whole, origin: origin?.value))
        file = nil
        failure = nil
        renewRetries()
        epoch += 1
        wait(at: now)
    }

    /// Is again the finished download it was before its origin was asked for a newer file; returns whether it was one.
    @discardableResult
    private mutating func stand() -> Bool {
        guard let standing = standing?.value else { return false }
        file = Shared(standing.file)
        origin = standing.origin.map { Shared($0) }
        self.standing = nil
        releasePart()
        isPoisoned = false
        // The part of the newer file, if one was begun, is not the one that was published: it is to be cleared away.
        generation = generation.addingClamped(1)
        phase = .completed
        epoch += 1
        return true
    }

    private mutating func finish(_ identity: FileIdentity, by event: Recorded) {
        if var whole = file?.value {
            whole.identity = identity
            file = Shared(whole)
        }
        phase = .completed
        failure = nil
        releasePart()
        changePast { past in
            past.completedAt = past.standing == nil ? past.completedAt ?? event.time : event.time
            past.standing = nil
            past.publishedIn = event.sequence
        }
        epoch += 1
    }

    /// Nothing of the part file is claimed any longer.
    private mutating func releasePart() { (durable, sums) = (ByteRangeSet(), []) }

    /// Leaves the queue or the catalog. Its part file is unlinked, so nothing of it is claimed any longer.
    private mutating func leave(for next: Phase) {
        phase = next
        releasePart()
        epoch += 1
    }

    /// Queues again: now, if it waits, else when its order lets it begin. A failed download keeps what its part file
    /// holds; a finished one is fetched anew.
    private mutating func retry(at now: Timestamp) {
        if case .waiting = phase { phase = .queued } else { wait(at: now) }
        failure = nil
        blamed = nil
        renewRetries()
        epoch += 1
        if file != nil {
            file = nil
            releasePart()
            changePast { ($0.completedAt, $0.publishedIn) = (nil, nil) }
        }
    }

    /// Has all retries again, whatever failed and was begun anew before.
    private mutating func renewRetries() {
        failuresInRow = 0
        guard var known = origin?.value, known.beginnings > 0 else { return }
        known.beginnings = 0
        origin = Shared(known)
    }

    /// What was downloaded stays known; only what stands there now is another file.
    private mutating func alter(_ identity: FileIdentity) {
        phase = .altered
        guard var changed = file?.value else { return }
        changed.identity = identity
        file = Shared(changed)
    }
}
