package import LedgerLog
package import LedgerModel
import LedgerSystem

/// The log and its projections: the one place where commands become events.
///
/// Pinned to a thread of its own, because a sync blocks for milliseconds. Commands that arrive while one runs pile up
/// as jobs of the executor and share the next: group commit without a timer. Between deciding and staging nothing
/// waits, so a decision is made on the state it will be applied to. What is staged is not shown to anyone before it is
/// durable.
package actor Ledger {
    /// Where it lives.
    package nonisolated let home: LedgerHome
    /// Disk, time, chance, threads.
    package nonisolated let world: World
    nonisolated let hub: EventHub
    nonisolated let source: EventSource
    nonisolated let executor: ThreadExecutor
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
    private var staged: [Recorded] = []
    private var waiting: [CheckedContinuation<LedgerError?, Never>] = []
    private var isCommitDue = false
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
    package func execute(_ submissions: [Submission]) async throws(LedgerError) -> [Outcome] {
        try requireOpen()
        let answers = submissions.map { $0.id.flatMap(state.queue.answer(to:)) }
        var outcomes: [Outcome] = []
        outcomes.reserveCapacity(submissions.count)
        for (submission, answer) in zip(submissions, answers) {
            outcomes.append(answer.map(Outcome.repeated) ?? stage(submission))
            // A list too long for one batch is recorded in several, each whole commands.
            if log?.isBatchFull ?? false, let trouble = commit() { throw trouble }
        }
        try await untilDurable()
        return outcomes
    }

    /// Looks at the durable state. `body` runs on the ledger's thread: keep it short.
    package func read<Value: Sendable>(
        _ body: @Sendable (LedgerState) -> Value
    ) throws(LedgerError) -> Value {
        if !staged.isEmpty { commit() }
        try requireOpen()
        return body(state)
    }

    /// The events from any point on; see ``Subscription``.
    /// - Parameter name: as what the one who follows is listed in ``lags``; nil for one who only looks.
    package nonisolated func events(after sequence: SequenceNumber, as name: String? = nil) -> Subscription {
        Subscription(hub: hub, log: source, after: sequence, name: name)
    }

    /// How many events each of those who follow under a name is behind; of several of one name the one furthest behind.
    package nonisolated var lags: [String: UInt64] { hub.lags }

    /// The last durable event.
    package nonisolated var lastSequence: SequenceNumber { hub.last }

    /// Changes what may run at once and how long the queue may be.
    package func setLimits(_ limits: Limits) { self.limits = limits }

    /// Makes what is staged durable, gives back the lock and ends all subscriptions. Later calls throw `closed`.
    package func close() async {
        commit()
        // Nothing is written in the home once its lock is free.
        await snapshotting?.value
        commit()
        headWait?.cancel()
        do throws(LedgerError) { try log?.close(state) } catch { failure = failure ?? error }
        log = nil
        hub.close()
        executor.stop()
    }

    func stage(_ submission: Submission) -> Outcome {
        let now = world.clock.now()
        let decision: Decision
        do throws(Rejection) {
            decision = try state.decide(submission.command, at: now, limits: limits, running: busy)
        } catch { return .refused(error) }
        var recorded: [Recorded] = []
        for proposed in decision.events {
            let event = Recorded(
                proposed, as: state.sequence.next, at: now, command: submission.id, actor: submission.actor)
            #if PLANTED_BUGS
                if PlantedBug.unlinkedBeforeDeleted.isOn { unlinkEarly(event) }
            #endif
            log?.stage(event)
            state.apply(event)
            #if PLANTED_BUGS
                if PlantedBug.eventAppliedTwice.isOn, event.event.kind == .failed { state.apply(event) }
            #endif
            recorded.append(event)
        }
        staged += recorded
        return decision.joined.map { .joined($0, recorded) } ?? .recorded(recorded)
    }

    private func untilDurable() async throws(LedgerError) {
        if !staged.isEmpty {
            let failure = await withCheckedContinuation { continuation in
                waiting.append(continuation)
                guard !isCommitDue else { return }
                isCommitDue = true
                // Runs behind every command that is already waiting for this thread: they share the sync.
                Task { self.commit() }
            }
            if let failure { throw failure }
        }
        try requireOpen()
    }

    /// Makes what is staged durable and answers everyone who waits for it.
    /// - Returns: why it could not; then nothing of it is on record.
    @discardableResult
    func commit() -> LedgerError? {
        isCommitDue = false
        let (batch, answered) = (staged, waiting)
        (staged, waiting) = ([], [])
        var trouble: LedgerError?
        do throws(LedgerError) {
            if !batch.isEmpty {
                // What waited while the log failed at something else is not durable, and nobody may hear of it.
                try requireOpen()
                let begin = world.clock.uptime()
                try log?.commit(at: world.clock.now())
                meters.commit(batch, took: world.clock.uptime() - begin, logBytes: log?.byteCount ?? 0)
            }
            hub.publish(batch)
        } catch {
            trouble = error
            recover(from: error)
        }
        for continuation in answered { continuation.resume(returning: trouble ?? failure) }
        saveSnapshotIfDue()
        prepareSoon()
        return trouble
    }

    /// Has the log prepare what is due, behind whatever already waits for this thread; the head also when nothing else
    /// happens until it is.
    func prepareSoon() {
        let now = world.clock.now()
        if log?.isPreparationDue(at: now) ?? false {
            Task { self.prepare() }
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
            guard case .log(let cause) = error, cause.code == .full, log?.isUsable ?? false else { throw error }
            state = try LedgerReading(home: home, world: world).state(through: hub.last)
        } catch {
            failure = error
            log = nil
            hub.close()
        }
    }

    func requireOpen() throws(LedgerError) {
        if let failure { throw failure }
        if log == nil { throw .closed }
    }
}
