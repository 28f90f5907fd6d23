package import LedgerAPI
package import LedgerModel
import LedgerSystem
package import LedgerTransfer
import Synchronization
import SystemPackage

/// Makes what runs equal to what the plan says should run.
///
/// It remembers only which worker holds which lease. Whenever the state changes, a worker ends or an instant comes, it
/// asks for the plan anew and acts on the difference; a start after a crash is the same as any other moment.
package actor WorkerPool {
    /// How long the pool sleeps at most while something waits for an instant, so that a wall clock that was set does
    /// not make it late.
    package static let pauseMax = Duration.seconds(60)
    /// How long a download rests whose worker stopped without being able to record why; twice as long each time it does
    /// so again.
    package static let restAfterStop = Duration.seconds(2)
    /// The most that it rests then.
    package static let restAfterStopMax = Duration.seconds(300)
    /// The room that the home has to have again once it had none, in bytes.
    package static let recordBytesMin: UInt64 = 1 << 20
    /// How long a download rests for which there is still no room on its disk, before the next look.
    package static let restWithoutRoom = Duration.seconds(5)
    /// How long until it is looked again whether there is a way to a host to which there was none.
    package static let restWithoutNetwork = Duration.seconds(5)

    let ledger: Ledger
    let worker: DownloadWorker
    private let assignments: AssignmentMaker
    let reconciler: Reconciler
    private var running: [Lease: Running] = [:]
    /// Leases whose worker could not record how it ended (the disk is full), or that still find no room, and when they
    /// may be tried again.
    private var held: [Lease: Duration] = [:]
    /// How many workers were started.
    package private(set) var begun = 0
    /// How long those rested last whose workers stopped so.
    private var rests: [Lease: Duration] = [:]
    private var limits: Limits
    var isDraining = false
    /// Whether files were compared with the log since the start.
    var isReconciled = false
    /// The downloads whose files are still to be read since then, who does, and why not.
    var unread: [DownloadID] = []
    var reader: Task<Void, Never>?
    var readingTrouble: LedgerError?
    /// When that is gone on with, which the home had no room to record.
    var lookAgainAt: Duration?
    /// Those that nobody may start to work on now, and for how many callers.
    private var halted: [DownloadID: Int] = [:]
    /// The limiters of those that were stopped before what had come was paid for, under their own limit or that of all:
    /// it is when they go on. One for each, until nothing is owed.
    private var unpaid: [DownloadID: RateLimiter] = [:]
    nonisolated let wakeup = Wakeup()
    private let mayRun: @Sendable () -> NotNow?
    private nonisolated let gauges = Watched(Gauges())

    /// On the ledger's thread: a plan, a report and the start of a worker are handed to no other.
    package nonisolated var unownedExecutor: UnownedSerialExecutor { ledger.unownedExecutor }

    /// A worker at work.
    private struct Running {
        let task: Task<Void, Never>
        let limits: RunningLimits
    }

    /// What workers do, what those did that ended, and what keeps others from running.
    private struct Gauges {
        var hindrances = Hindrances()
        var live: [DownloadID: LiveProgress] = [:]
        /// Those that have all their bytes and wait for the disk.
        var finishing: Set<Lease> = []
        var receivedBytes: UInt64 = 0
    }

    /// How a worker's run ended, if there was one.
    private enum RunEnd: Equatable {
        case ended(WorkerEnd)
        /// Nothing was done: the disk that was full has no room yet.
        case noRoom
    }

    /// A pool that works for a ledger with these hands.
    /// - Parameter mayRun: says why nothing is to run now, if so; asked whenever the pool plans.
    package init(
        ledger: Ledger, worker: DownloadWorker, assignments: AssignmentMaker, reconciler: Reconciler, limits: Limits,
        mayRun: @escaping @Sendable () -> NotNow? = { nil }
    ) {
        self.ledger = ledger
        self.worker = worker
        self.assignments = assignments
        self.reconciler = reconciler
        self.limits = limits
        self.mayRun = mayRun
    }

    /// What keeps downloads from being begun now.
    package nonisolated var hindrances: Hindrances { gauges.withLock { $0.hindrances } }

    /// Waits until something runs, something else than `known` keeps others from it, or the task is cancelled.
    package nonisolated func waitForWork(unless known: Hindrances) async {
        await gauges.wait { !$0.live.isEmpty || $0.hindrances != known }
    }

    /// Asks at once whether it may run.
    package nonisolated func reconsider() { wakeup.raise() }

    /// What the workers that run now are doing.
    package nonisolated var live: [DownloadID: LiveFigures] {
        gauges.withLock { $0.live.mapValues { LiveFigures($0.now) } }
    }

    /// The bytes that were received since the pool is there, without what had to be thrown away.
    package nonisolated var receivedBytes: UInt64 {
        gauges.withLock { gauges in gauges.live.values.reduce(gauges.receivedBytes) { $0 + $1.now.added } }
    }

    /// Runs until nothing is left to do (paused downloads do not count), or for ever, or until ``drain()``.
    ///
    /// - Parameters:
    ///   - isReconciled: whether files were compared with the log already, since the last run.
    ///   - isIdleElsewhere: whether nothing else is to be waited for before that; ``reconsider()`` has it asked again.
    /// - Throws: ``LedgerError`` when the log failed; every worker has stopped by then.
    package func run(
        untilIdle: Bool, isReconciled: Bool = false, isIdleElsewhere: @Sendable () -> Bool = { true }
    ) async throws(LedgerError) {
        let last = ledger.lastSequence
        let waking = Task { await self.planAgain(after: last) }
        // Following may hash a file: the next plan does not wait for that.
        let following = Task { await self.settleFiles(after: last) }
        defer {
            waking.cancel()
            following.cancel()
        }
        self.isReconciled = isReconciled
        do throws(LedgerError) {
            while true {
                try await reconcile()
                let planned = Set(running.keys)
                let lostHosts = worker.transport.lostHosts
                let work = try await ledger.plan(
                    running: planned, finishing: finishing, resting: takeRests(), lostHosts: lostHosts, limits: limits)
                for lease in work.plan.stop { running[lease]?.task.cancel() }
                for (lease, options) in work.options {
                    running[lease]?.limits.take(options, at: ledger.world.clock.uptime())
                }
                let notNow = mayRun()
                let hindrances = Hindrances(notNow: notNow, lostHosts: lostHosts)
                if hindrances != self.hindrances { gauges.change { $0.hindrances = hindrances } }
                if isDraining || notNow != nil {
                    for task in tasks { task.cancel() }
                    if isDraining, running.isEmpty { return await reader?.value ?? () }
                }
                // What can not be recorded need not be fetched.
                let isHomeFull = work.isFull ? !(await hasRoom(for: Self.recordBytesMin, in: ledger.home.path)) : false
                if let readingTrouble { throw readingTrouble }
                if !isDraining {
                    if notNow == nil, !isHomeFull, self.isReconciled {
                        for download in work.starting where halted[download.id] == nil { start(download) }
                    }
                    // A worker that ended while the plan was made may have left something to do: the next plan knows.
                    let isRead = self.isReconciled && unread.isEmpty
                    if untilIdle, planned.isEmpty, !work.isLeft, isRead, isIdleElsewhere() { return }
                }
                let look = [isHomeFull ? Self.restWithoutRoom : nil, lostHosts.isEmpty ? nil : Self.restWithoutNetwork]
                await wakeup.wait(
                    atMost: ([pause(until: work.plan.wakeAt)] + look).compactMap(\.self).min(), ledger.world.clock)
            }
        } catch {
            await stopAll()
            throw error
        }
    }

    /// Starts nothing more and stops every worker once what it holds is durable and recorded; then ``run(untilIdle:)``
    /// returns.
    package func drain() {
        isDraining = true
        wakeup.raise()
    }

    /// Does something that takes downloads from their workers, once what those hold is durable and recorded: nothing
    /// that was received is fetched again. No other is started before it is done.
    package func halting<Value: Sendable>(
        _ ids: Set<DownloadID>, _ body: () async throws(LedgerError) -> Value
    ) async throws(LedgerError) -> Value {
        for id in ids { halted[id, default: 0] += 1 }
        defer {
            for id in ids { halted[id] = halted[id].flatMap { $0 > 1 ? $0 - 1 : nil } }
            wakeup.raise()
        }
        let tasks = running.filter { ids.contains($0.key.id) }.map(\.value.task)
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
        return try await body()
    }

    /// Changes what may run at once, to what `limits` says now. What runs beyond it goes on.
    package func takeLimits(_ limits: () -> Limits) {
        self.limits = limits()
        wakeup.raise()
    }

    /// Changes the highest rate of all downloads together in bytes a second, nil for none, for what runs too.
    package nonisolated func setRate(_ bytesPerSecondMax: UInt64?) {
        worker.limiter.setRate(bytesPerSecondMax, at: ledger.world.clock.uptime())
    }

    /// The highest rate of all downloads together in bytes a second; nil for none.
    package nonisolated var bytesPerSecondMax: UInt64? { worker.limiter.bytesPerSecondMax }

    /// What rests now, and takes no slot from others. Rests that are over are forgotten here and nowhere else: the plan
    /// that comes next has to know.
    private func takeRests() -> Set<Lease> {
        let now = ledger.world.clock.uptime()
        held = held.filter { $0.value > now }
        return Set(held.keys)
    }

    /// What has all its bytes takes no slot from others, as far as one group of files can hold it: while some are
    /// synced the next are fetched. Beyond that the disk is what all wait for. Whoever lets one run at a time has the
    /// next begin when that one is over.
    private var finishing: Set<Lease> {
        guard limits.runningMax > 1 else { return [] }
        let finishing = gauges.withLock { $0.finishing }
        return finishing.count <= Publication.groupFilesMax
            ? finishing : Set(finishing.sorted { $0.id < $1.id }.prefix(Publication.groupFilesMax))
    }

    /// How long until it has to look again by itself; nil when nothing waits for an instant: whatever else changes the
    /// plan raises the flag.
    private func pause(until instant: Timestamp?) -> Duration? {
        let clock = ledger.world.clock
        let now = clock.uptime()
        let rest = held.values.min().map { max(.zero, $0 - now) }
        let due = instant.map { max(.zero, clock.now().duration(to: $0) + .milliseconds(1)) }
        // Whoever says that nothing may run need not say when that is over.
        let again = lookAgainAt.map { max(.zero, $0 - now) }
        let look = rest == nil && due == nil && hindrances.notNow == nil ? nil : Self.pauseMax
        return [rest, due, again, look].compactMap(\.self).min()
    }

    private func start(_ download: Download) {
        let lease = download.lease
        // The old worker of this download may still be making its last bytes durable: never two writers.
        guard !running.keys.contains(where: { $0.id == lease.id }) else { return }
        held[lease] = nil
        begun += 1
        let (options, now) = (download.order.options, ledger.world.clock.uptime())
        let limits = RunningLimits(options.value, at: now, owing: unpaid.removeValue(forKey: lease.id))
        running[lease] = Running(
            task: Task(executorPreference: worker.transport.executor) {
                let end = await self.work(on: download, limits)
                if Task.isCancelled { await self.clearBehind(lease.id) }
                await self.ended(lease, end)
            }, limits: limits)
    }

    private nonisolated func work(on download: Download, _ limits: RunningLimits) async -> RunEnd {
        guard await hasRoom(for: download) else { return .noRoom }
        let live = LiveProgress()
        gauges.change { $0.live[download.id] = live }
        guard download.phase != .publishing else {
            return .ended(await worker.finishPublication(of: assignments.unfinished(download)))
        }
        do throws(Failure) {
            let assignment = try assignments.assignment(for: download)
            return .ended(
                await worker.run(assignment, live: live, limits: limits) {
                    self.gauges.withLock { _ = $0.finishing.insert(download.lease) }
                    self.wakeup.raise()
                })
        } catch {
            let report = WorkerReport(download.lease, [.failed(error, retryAt: nil)])
            _ = await worker.reporting.report([report])
            return .ended(.failed(error, retryAt: nil))
        }
    }

    /// Whether what is missing of a download that found its disk full fits there now: until it does, no attempt is made
    /// and nothing recorded.
    private nonisolated func hasRoom(for download: Download) async -> Bool {
        guard let missing = download.awaitedRoom else { return true }
        return await hasRoom(for: missing, in: FilePath(download.order.destination.directory))
    }

    nonisolated func hasRoom(for bytes: UInt64, in directory: FilePath) async -> Bool {
        await ledger.world.blocking.run { [fileSystem = worker.fileSystem] in
            fileSystem.hasRoom(for: bytes, in: directory)
        }
    }

    private func ended(_ lease: Lease, _ end: RunEnd) {
        let run = running.removeValue(forKey: lease)
        let (wasStopped, now) = (run?.task.isCancelled ?? true, ledger.world.clock.uptime())
        if wasStopped || end == .noRoom { unpaid[lease.id] = run?.limits.limiter }
        unpaid = unpaid.filter { [worker.limiter, $0.value].pause(at: now) > .zero }
        gauges.withLock { gauges in
            gauges.receivedBytes += gauges.live.removeValue(forKey: lease.id)?.now.added ?? 0
            gauges.finishing.remove(lease)
        }
        if !wasStopped, let rest = rest(of: lease, behind: end) { held[lease] = now + rest }
        wakeup.raise()
    }

    /// How long a download rests whose run ended so; nil where the state says what comes next.
    private func rest(of lease: Lease, behind end: RunEnd) -> Duration? {
        let last = rests.removeValue(forKey: lease)
        switch end {
        case .noRoom: return Self.restWithoutRoom
        case .ended(.stopped):
            let rest = min(last.map { $0 * 2 } ?? Self.restAfterStop, Self.restAfterStopMax)
            rests[lease] = rest
            return rest
        case .ended(.completed), .ended(.failed): return nil
        }
    }

    /// Plans again after every batch.
    private func planAgain(after sequence: SequenceNumber) async {
        var batches = ledger.events(after: sequence, as: "plan").makeAsyncIterator()
        while await batches.nextAtHand() != nil { wakeup.raise() }
        wakeup.raise()
    }

    /// Has the disk follow every batch.
    private func settleFiles(after sequence: SequenceNumber) async {
        let reconciler = reconciler
        await ledger.follow(after: sequence, as: "disk") { batch throws(LedgerError) in
            try await reconciler.follow(batch)
        }
    }

    private func stopAll() async {
        let tasks = tasks
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
        running = [:]
    }

    /// Who works, in the order of the downloads: what follows from an order of chance could not be seen twice.
    private var tasks: [Task<Void, Never>] {
        running.sorted { ($0.key.id, $0.key.epoch) < ($1.key.id, $1.key.epoch) }.map(\.value.task)
    }
}

extension Download {
    /// The room that a download of unknown length waits for once its disk was full, in bytes.
    package static let roomBytesMin: UInt64 = 1 << 20

    /// How many bytes its disk, which was full, must have free before it is tried again; nil when it waits for none.
    package var awaitedRoom: UInt64? {
        guard phase.mayRun, phase != .publishing, failure?.value.code == .diskFull else { return nil }
        // Of a poisoned part what is durable is copied first.
        if isPoisoned { return durable.count }
        return origin?.value.length.map { $0 - min($0, durable.count) } ?? Self.roomBytesMin
    }
}

extension LiveFigures {
    /// What rows show of a worker's gauges.
    init(_ gauges: LiveProgress.Gauges) {
        self.init(
            received: gauges.received, total: gauges.total, resumedFrom: gauges.resumedFrom,
            rate: gauges.bytesPerSecond.map { UInt64(max(0, $0)) }, streams: gauges.streams)
    }
}

extension LiveProgress.Gauges {
    /// The bytes that this attempt added to the part.
    fileprivate var added: UInt64 { received - min(received, resumedFrom) }
}
