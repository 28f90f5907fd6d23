import LedgerCoding
package import LedgerLog
package import LedgerModel
import LedgerSystem

/// The log and its projections: the one place where commands become events.
///
/// Pinned to a thread of its own, because a sync blocks for milliseconds. Commands that arrive while one runs pile up
/// in the inbox and share the next: group commit without a timer. Between deciding and staging nothing waits, so a
/// decision is made on the state it will be applied to; and nothing waits between staging and the commit, so nobody
/// ever sees what is not durable.
package actor Ledger {
    /// Where it lives.
    package nonisolated let home: LedgerHome
    /// Disk, time, chance, threads.
    package nonisolated let world: World
    nonisolated let hub: EventHub
    nonisolated let source: EventSource
    nonisolated let executor: ThreadExecutor
    private nonisolated let inbox = Inbox()
    private nonisolated let meters: LedgerMeters
    /// Which ledger this is, in hexadecimal.
    package nonisolated let identity: String
    /// What opening it found, and what it put right.
    package nonisolated let recovery: RecoveryReport

    /// The state after the last staged event; shown only once that is durable.
    private(set) var state: LedgerState
    /// Nil once the ledger is closed, or closed itself after its disk failed.
    var log: FileEventLog?
    private var failure: LedgerError?
    /// Whether there was no room in the home for what was to be recorded last.
    private(set) var isFull = false
    private var staged: [Recorded] = []
    /// Who is answered by the next commit, and what.
    private var answers: [(outcomes: [Outcome], caller: CheckedContinuation<Result<[Outcome], LedgerError>, Never>)] =
        []
    /// What may run and how long the queue may be.
    private var limits: Limits
    /// When the next snapshot is due.
    var schedule: SnapshotSchedule
    /// What runs, or was about to when the last plan was made: none of it makes room for another download.
    var busy: Set<DownloadID> = []

    /// The snapshot that is being written beside; nil when none is.
    var snapshotting: Task<Void, Never>?
    /// Waits until the head is due; nil while it says all there is.
    private var headWait: Task<Void, Never>?
    /// Whether a compaction or a redaction is at work, and who waits for its end.
    var isMaintained = false
    var waitingForMaintenance: [CheckedContinuation<Void, Never>] = []

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// The ledger's own thread. A task that mostly asks the ledger may prefer it: then it asks as it calls a function,
    /// and what a thousand such tasks ask at once shares one sync. What blocks, or computes for long, holds up
    /// everyone's commands there.
    package nonisolated var thread: any TaskExecutor { executor }

    init(
        home: LedgerHome, world: World, limits: Limits, executor: ThreadExecutor, log: consuming FileEventLog,
        state: LedgerState, schedule: SnapshotSchedule, meters: LedgerMeters
    ) {
        self.home = home
        self.world = world
        self.limits = limits
        self.executor = executor
        self.meters = meters
        identity = log.identity
        recovery = log.recovery
        source = EventSource(home: home, world: world)
        hub = EventHub(last: state.sequence)
        self.log = consume log
        self.state = state
        self.schedule = schedule
    }

    /// Executes commands: decides, records what follows, and returns once all of it is durable, in one batch.
    ///
    /// Each command is decided on the state the one before it left; one that is refused does not hold up the others.
    /// - Throws: ``LedgerError`` when the disk failed. Nothing was acknowledged then, and the ledger is closed.
    package nonisolated func execute(_ submissions: [Submission]) async throws(LedgerError) -> [Outcome] {
        let answer = await withCheckedContinuation { caller in
            if inbox.add(Inbox.Request(submissions: submissions, caller: caller)) { attendInbox() }
        }
        return try answer.get()
    }

    /// Has what waits in the inbox taken, behind whatever already waits for this thread.
    private nonisolated func attendInbox() {
        executor.run { self.assumeIsolated { $0.answerInbox() } }
    }

    /// Executes what waits, and what came meanwhile, and makes all of it durable together.
    private func answerInbox() {
        var requests = inbox.take()
        while !requests.isEmpty {
            for request in requests {
                do throws(LedgerError) {
                    answers.append((try outcomes(of: request.submissions), request.caller))
                } catch { request.caller.resume(returning: .failure(error)) }
            }
            requests = log?.isBatchFull ?? false ? [] : inbox.take()
        }
        commit()
        if !inbox.rest() { attendInbox() }
    }

    private func outcomes(of submissions: [Submission]) throws(LedgerError) -> [Outcome] {
        try requireOpen()
        // What was executed before is what was so before the first of them.
        let answers = submissions.map { $0.id.flatMap { state.queue.answer(to: $0) } }
        var outcomes: [Outcome] = []
        outcomes.reserveCapacity(submissions.count)
        for (submission, answer) in zip(submissions, answers) {
            outcomes.append(answer.map(Outcome.repeated) ?? stage(submission))
            // A list too long for one batch is recorded in several, each whole commands.
            if log?.isBatchFull ?? false, let trouble = commit() { throw trouble }
        }
        return outcomes
    }

    /// Looks at the durable state. `body` runs on the ledger's thread: keep it short.
    package func read<Value: Sendable>(
        _ body: @Sendable (LedgerState) -> Value
    ) throws(LedgerError) -> Value {
        try requireOpen()
        return body(state)
    }

    /// Finds out what the downloads of a long history go by and where their files stand, on a thread that lets
    /// everything else go first: the first order after the start, or the first question, would have to wait for it.
    package func prepareIndexes() async {
        let state = state
        guard state.queue.downloads.count >= Queue.manyDownloads else { return }
        await world.blocking.run {
            _ = ParallelWork.map([state], threads: 1, isQuiet: true) { $0.prepareIndexes() }
        }
    }

    /// The events from any point on; see ``Subscription``.
    /// - Parameters:
    ///   - name: as what the one who follows is listed in ``lags``; nil for one who only looks.
    ///   - pageEventsMax: how many events are handed over at once at most.
    package nonisolated func events(
        after sequence: SequenceNumber, as name: String? = nil, pageEventsMax: Int = Subscription.pageEventsMax
    ) -> Subscription {
        Subscription(hub: hub, log: source, after: sequence, name: name, pageEventsMax: pageEventsMax)
    }

    /// How many events each of those who follow under a name is behind; of several of one name the one furthest behind.
    package nonisolated var lags: [String: UInt64] { hub.lags }

    /// The last durable event.
    package nonisolated var lastSequence: SequenceNumber { hub.last }

    /// Changes what may run at once and how long the queue may be, to what `limits` says now.
    package func takeLimits(_ limits: () -> Limits) { self.limits = limits() }

    /// Gives back the lock and ends all subscriptions. Later calls throw `closed`.
    package func close() async {
        // Nothing is written in the home once its lock is free.
        await snapshotting?.value
        headWait?.cancel()
        do throws(LedgerError) { try log?.close(state) } catch { failure = failure ?? error }
        log = nil
        hub.close()
        executor.stop()
    }

    func stage(_ submission: Submission) -> Outcome {
        do throws(Rejection) {
            #if PLANTED_BUGS
                let files = PlantedBug.unlinkedBeforeDeleted.isOn ? state.queue : Queue()
            #endif
            let (recorded, joined) = try state.execute(
                submission, at: world.clock.now(), limits: limits, running: busy
            ) { events throws(Rejection) in
                #if PLANTED_BUGS
                    for event in events { unlinkEarly(event, files) }
                #endif
                do throws(CodingError) { try log?.stage(events) } catch { throw .unrecordable(error.cause) }
            }
            staged += recorded
            return joined.map { .joined($0, recorded) } ?? .recorded(recorded)
        } catch { return .refused(error) }
    }

    /// Makes what is staged durable and answers everyone who waits for it.
    /// - Returns: why it could not; then nothing of it is on record.
    @discardableResult
    func commit() -> LedgerError? {
        let (batch, answered) = (staged, answers)
        (staged, answers) = ([], [])
        var trouble: LedgerError?
        do throws(LedgerError) {
            if !batch.isEmpty {
                // What waited while the log failed at something else is not durable, and nobody may hear of it.
                try requireOpen()
                let begin = world.clock.uptime()
                try log?.commit(at: world.clock.now())
                isFull = false
                meters.commit(batch, took: world.clock.uptime() - begin, logBytes: log?.byteCount ?? 0)
            }
            hub.publish(batch)
        } catch {
            trouble = error
            recover(from: error)
        }
        for answer in answered {
            answer.caller.resume(returning: trouble.map(Result.failure) ?? .success(answer.outcomes))
        }
        saveSnapshotIfDue()
        prepareSoon()
        return trouble
    }

    /// Has the log prepare what is due, behind whatever already waits for this thread; the head also when nothing else
    /// happens until it is.
    func prepareSoon() {
        let now = world.clock.now()
        if log?.isPreparationDue(at: now) ?? false {
            executor.run { self.assumeIsolated { $0.prepare() } }
        } else if headWait == nil, let delay = log?.headDelay(at: now) {
            headWait = Task { [clock = world.clock, weak self] in
                do { try await clock.sleep(until: clock.uptime() + delay) } catch { return }
                await self?.endHeadWait()
            }
        }
    }

    private func endHeadWait() {
        headWait = nil
        prepareSoon()
    }

    private func prepare() {
        do throws(LedgerError) {
            try log?.prepare(at: world.clock.now())
            prepareSoon()
        } catch { recover(from: error) }
    }

    /// Nothing of the batch was acknowledged. Where the log asked for room in vain, nothing of it was written either:
    /// the state is folded anew without it, and the ledger goes on. Any other failure is final, also a sync that found
    /// the disk full: what reached the disk is unknown until the log is opened anew.
    func recover(from error: LedgerError) {
        do throws(LedgerError) {
            guard error.isNoRoom, log?.isUsable ?? false else { throw error }
            isFull = true
            state = try LedgerReading(home: home, world: world).state(through: hub.last)
        } catch {
            failure = error
            log = nil
            hub.close()
        }
    }

    /// Whether nothing can be asked of it any more: it was closed, or has closed itself after a failure.
    package var isClosed: Bool { failure != nil || log == nil }

    func requireOpen() throws(LedgerError) {
        if let failure { throw failure }
        if log == nil { throw .closed }
    }
}
