import DequeModule
import LedgerAPI
import LedgerEngine
import LedgerModel
import LedgerSystem
import LedgerTransfer

/// Makes what is followed, enqueued and kept equal to what the library's plan says.
///
/// Like the pool it remembers only what is on its way: a start after a crash is the same as any other moment.
actor LibraryKeeper {
    /// How many listings are read at once, whoever asks.
    static let readsMax = 4
    /// How long it sleeps at most while something waits for an instant, so that a wall clock that was set does not make
    /// it late.
    static let pauseMax = Duration.seconds(60)
    /// How long it waits before the next look when the queue was full.
    static let pauseAfterRefusal = Duration.seconds(10)
    /// How long an entry is let be that was refused for a reason of its own.
    static let refusalSecondsMax = 600
    /// How many of those are remembered; beyond it all are tried again.
    static let refusalsMax = 10_000
    /// How many entries are enqueued in one step.
    static let takesMax = 1000

    /// An entry that was refused.
    private struct Refused: Hashable {
        let listing: ListingID
        let guid: String
    }

    let ledger: Ledger
    private let reconciler: Reconciler
    let secrets: SecretStore
    let fetch: ListingFetch
    private let notice: @Sendable (Problem) -> Void
    private nonisolated let wakeup = Wakeup()
    private var reading: [ListingID: Task<Result<Void, LedgerError>, Never>] = [:]
    /// Whose turn to read it is not yet.
    private var waiting: Deque<CheckedContinuation<Void, Never>> = []
    private var reads = 0
    /// Until when listings are let be that were read and could not be recorded, by the clock that only goes on.
    private var resting: [ListingID: Duration] = [:]
    /// Until when entries are let be, by the same clock.
    private var refused: [Refused: Duration] = [:]

    init(
        ledger: Ledger, reconciler: Reconciler, secrets: SecretStore, fetch: ListingFetch,
        notice: @escaping @Sendable (Problem) -> Void
    ) {
        self.ledger = ledger
        self.reconciler = reconciler
        self.secrets = secrets
        self.fetch = fetch
        self.notice = notice
    }

    /// Keeps the library until the task is cancelled or the ledger is closed.
    func run() async {
        let waking = Task { await follow() }
        while !Task.isCancelled {
            // Nothing waits for an instant: whatever else changes the plan raises the flag.
            var pause: Duration?
            do throws(LedgerError) {
                let plan = try await settle()
                let uptime = ledger.world.clock.uptime()
                for id in plan.read where resting[id] ?? .zero <= uptime { _ = read(id) }
                if let wakeAt = plan.wakeAt {
                    let due = ledger.world.clock.now().duration(to: wakeAt) + .milliseconds(1)
                    pause = min(Self.pauseMax, max(.zero, due))
                } else if !plan.read.isEmpty || refused.values.contains(where: { $0 > uptime }) {
                    pause = Self.pauseMax
                }
                if !plan.take.isEmpty { pause = min(pause ?? Self.pauseMax, Self.pauseAfterRefusal) }
            } catch {
                // One that closed itself has failed whoever runs the workers, too, and they say why.
                if await ledger.isClosed { break }
                pause = Self.pauseMax
                notice(Problem(error))
            }
            await withTaskCancellationHandler {
                await wakeup.wait(atMost: pause, ledger.world.clock)
            } onCancel: {
                wakeup.raise()
            }
        }
        waking.cancel()
        await stop()
        await waking.value
    }

    /// Ends what is being read: nothing of it is recorded.
    func stop() async {
        let tasks = reading.values
        for task in tasks { task.cancel() }
        for task in tasks { _ = await task.value }
    }

    /// Reads every listing that is due, and does what follows.
    func catchUp() async throws(LedgerError) {
        await refresh(try await plan().read)
        try await settle()
    }

    /// Reads listings now, or waits for who does already.
    /// - Returns: why what was read of one is not on record; nil when all of it is.
    @discardableResult
    func refresh(_ ids: [ListingID]) async -> LedgerError? {
        var trouble: LedgerError?
        for task in ids.map(read) {
            if case .failure(let error) = await task.value { trouble = trouble ?? error }
        }
        return trouble
    }

    /// Evicts what is too much and enqueues what is wanted.
    /// - Returns: what is left to do: listings to be read, and what the queue has no room for.
    @discardableResult
    func settle() async throws(LedgerError) -> LibraryPlan {
        var plan = try await plan()
        let held = try await reconciler.finishDeletions(of: plan.evict)
        plan.evict.removeAll { held[$0] != nil }
        if !plan.evict.isEmpty {
            let outcomes = try await ledger.execute(
                plan.evict.map { Submission(.delete($0, .evicted), id: nil, actor: .maintenance) })
            try await reconciler.follow(outcomes.flatMap(\.recordedEvents))
            plan.evict = []
        }
        while !plan.take.isEmpty {
            let takes = Array(plan.take.prefix(Self.takesMax))
            let outcomes = try await take(takes, again: false, id: nil, actor: .feed)
            let hasRoom = note(zip(takes, outcomes))
            plan = try await self.plan()
            // What the queue has no room for waits; and a round that takes nothing would be followed by another.
            if !hasRoom || outcomes.allSatisfy({ $0.download == nil }) { break }
        }
        return plan
    }

    /// Lets those be that were refused for a reason of their own, and tells of them; false when the queue is full.
    private func note(_ taken: some Sequence<(LibraryPlan.Take, Outcome)>) -> Bool {
        var hasRoom = true
        let until = ledger.world.clock.uptime() + .seconds(Self.refusalSecondsMax)
        for (take, outcome) in taken {
            guard case .refused(let rejection) = outcome else { continue }
            if case .queueFull = rejection {
                hasRoom = false
                continue
            }
            if refused.count >= Self.refusalsMax { refused = [:] }
            if refused.updateValue(until, forKey: Refused(listing: take.listing, guid: take.entry.guid)) == nil {
                var problem = Problem(rejection)
                problem.message =
                    "'\(take.entry.title ?? take.entry.guid)' of listing \(take.listing) "
                    + "can not be enqueued: \(problem.message)"
                notice(problem)
            }
        }
        return hasRoom
    }

    /// Enqueues entries.
    func take(
        _ takes: [LibraryPlan.Take], again: Bool, id: CommandID?, actor: EventActor
    ) async throws(LedgerError) -> [Outcome] {
        let listings = try await ledger.read { $0.library.listings }
        let own = fetch.own.withLock { $0 }
        let orders = takes.map { take in listings[take.listing].map { OrderOfEntry(take.entry, of: $0, secrets, own) } }
        let references = try await ledger.keep(orders.map { $0?.secrets ?? OrderSecrets() }, in: secrets)
        defer { secrets.release(references) }
        let submissions = zip(takes, zip(orders, references)).compactMap { take, made -> Submission? in
            guard var order = made.0?.order else { return nil }
            order.secret = made.1 ?? take.entry.secret
            return Submission(
                .library(.take(take.listing, guid: take.entry.guid, order, again: again)), id: id, actor: actor)
        }
        return try await ledger.execute(submissions)
    }

    private func plan() async throws(LedgerError) -> LibraryPlan {
        let clock = ledger.world.clock
        // What may take long does so here, while the ledger's thread goes on.
        let library = try await ledger.read { $0.library }
        let (keepings, now) = (library.keepings, clock.now())
        var plan = library.plan(at: now)
        if !library.limits.isEmpty || !keepings.isEmpty {
            (plan.take, plan.evict) = try await ledger.read { [take = plan.take] state in
                let evict = state.evictable(keepings)
                return (state.lasting(take, without: evict, at: now), evict)
            }
        }
        let uptime = clock.uptime()
        plan.take.removeAll { take in
            refused[Refused(listing: take.listing, guid: take.entry.guid)].map { $0 > uptime } ?? false
        }
        return plan
    }

    private func read(_ id: ListingID) -> Task<Result<Void, LedgerError>, Never> {
        if let task = reading[id] { return task }
        let task = Task { () -> Result<Void, LedgerError> in
            await beginRead()
            defer { endRead(id) }
            do throws(LedgerError) {
                try await record(id)
                try await renew(id)
                // What was cut short by the end of this process was not read.
                if Task.isCancelled { throw .closed }
                resting[id] = nil
                return .success(())
            } catch {
                resting[id] = ledger.world.clock.uptime() + Self.pauseMax
                if await !ledger.isClosed, !Task.isCancelled { notice(Problem(error)) }
                return .failure(error)
            }
        }
        reading[id] = task
        return task
    }

    /// Waits for a turn to read.
    private func beginRead() async {
        guard reads >= Self.readsMax else {
            reads += 1
            return
        }
        await withCheckedContinuation { waiting.append($0) }
    }

    private func endRead(_ id: ListingID) {
        reading[id] = nil
        // Who comes next takes this place.
        if let next = waiting.popFirst() { next.resume() } else { reads -= 1 }
        wakeup.raise()
    }

    private nonisolated func record(_ id: ListingID) async throws(LedgerError) {
        var result: ListingFetch.Result
        var before: Listing
        repeat {
            guard !Task.isCancelled, let followed = try await ledger.read({ $0.library.listings[id] }) else { return }
            before = followed.listing
            result = await fetch.read(followed)
            // What was cut short by the end of this process is no failure of the origin; and how it was followed before
            // says nothing of how it is followed now.
        } while try await ledger.read { $0.library.listings[id]?.listing } != before
        if Task.isCancelled { return }
        var entries = result.entries
        var references: [SecretReference?] = []
        if let all = entries?.uniqued {
            references = try await ledger.keep(all.map(\.secrets), in: secrets)
            entries = zip(all, references).map { $0.recordable($1) }
        }
        defer { secrets.release(references) }
        let command = Command.library(.refresh(id, entries, result.refresh))
        let outcomes = try await ledger.execute([Submission(command, id: nil, actor: .feed)])
        guard case .refused(.unrecordable(let cause))? = outcomes.first else { return }
        // Read again at once, it would say the same.
        var refresh = Refresh(nextAt: result.refresh.nextAt)
        refresh.failure = Failure(
            .unsupported, "what it offers can not be recorded: \(cause)", isRetryable: false)
        _ = try await ledger.execute([Submission(.library(.refresh(id, nil, refresh)), id: nil, actor: .feed)])
    }

    /// Looks again after whatever may have changed the plan.
    private nonisolated func follow() async {
        var batches = ledger.events(after: ledger.lastSequence, as: "library").makeAsyncIterator()
        while let batch = await batches.nextAtHand() {
            if batch.isEmpty || batch.contains(where: { $0.event.concernsLibrary }) { wakeup.raise() }
        }
        wakeup.raise()
    }
}

extension Event {
    /// Whether the library may want something else behind it.
    fileprivate var concernsLibrary: Bool {
        switch self {
        case .completed, .found, .restored, .pinned, .changed: true
        case .library(.hooked), .library(.delivered): false
        case .library: true
        case .enqueued, .resolved, .progressed, .verified, .failed, .paused, .resumed, .cancelled, .retried, .moved,
            .deleted, .missing, .altered, .compacted, .checkpointed, .repaired, .redacted, .blamed,
            .rechecked, .unchanged, .used, .relocated:
            false
        }
    }
}
