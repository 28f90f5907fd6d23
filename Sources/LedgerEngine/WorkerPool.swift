package import LedgerAPI
package import LedgerModel
import LedgerSystem
package import LedgerTransfer
import Synchronization

/// Makes what runs equal to what the plan says should run.
///
/// It remembers only which worker holds which lease. Whenever the state changes, a worker ends or an instant comes, it
/// asks for the plan anew and acts on the difference; a start after a crash is the same as any other moment.
package actor WorkerPool {
    /// How long the pool sleeps at most, so that a wall clock that was set does not make it late.
    package static let pauseMax = Duration.seconds(60)
    /// How long a download rests whose worker stopped without being able to record why.
    package static let restAfterStop = Duration.seconds(2)

    private let ledger: Ledger
    private let worker: DownloadWorker
    private let assignments: AssignmentMaker
    private let reconciler: Reconciler
    private var running: [Lease: Task<Void, Never>] = [:]
    /// Leases whose worker could not record how it ended (the disk is full), and when they may be tried again.
    private var held: [Lease: Duration] = [:]
    private var limits: Limits
    private var isDraining = false
    private nonisolated let wakeup = Wakeup()
    private nonisolated let gauges = Mutex<[DownloadID: LiveProgress]>([:])

    /// A pool that works for a ledger with these hands.
    package init(
        ledger: Ledger, worker: DownloadWorker, assignments: AssignmentMaker, reconciler: Reconciler, limits: Limits
    ) {
        self.ledger = ledger
        self.worker = worker
        self.assignments = assignments
        self.reconciler = reconciler
        self.limits = limits
    }

    /// What the workers that run now are doing.
    package nonisolated var live: [DownloadID: LiveFigures] {
        gauges.withLock { gauges in gauges.mapValues { LiveFigures($0.now) } }
    }

    /// Runs until nothing is left to do (paused downloads do not count), or for ever, or until ``drain()``.
    ///
    /// - Throws: ``LedgerError`` when the log failed; every worker has stopped by then.
    package func run(untilIdle: Bool) async throws(LedgerError) {
        let waking = Task { await self.follow { _ in } }
        // Following may hash a file: the next plan does not wait for that.
        let following = Task { await self.follow { batch throws(LedgerError) in try await reconciler.follow(batch) } }
        defer {
            waking.cancel()
            following.cancel()
        }
        do throws(LedgerError) {
            try await reconciler.reconcileAll()
            while true {
                let work = try await ledger.plan(running: Set(running.keys), limits: limits)
                for lease in work.plan.stop { running[lease]?.cancel() }
                if isDraining {
                    for task in running.values { task.cancel() }
                    if running.isEmpty { return }
                } else {
                    for download in work.starting { start(download) }
                    if untilIdle, running.isEmpty, work.plan.start.isEmpty, work.plan.wakeAt == nil { return }
                }
                await wakeup.wait(atMost: pause(until: work.plan.wakeAt), ledger.world.clock)
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

    /// Changes what may run at once.
    package func setLimits(_ limits: Limits) {
        self.limits = limits
        wakeup.raise()
    }

    private func pause(until instant: Timestamp?) -> Duration {
        let clock = ledger.world.clock
        let now = clock.uptime()
        // A rest that is over wakes nobody again: its lease may have passed meanwhile.
        held = held.filter { $0.value > now }
        let rest = held.values.min().map { $0 - now } ?? Self.pauseMax
        guard let instant else { return min(rest, Self.pauseMax) }
        return min(rest, Self.pauseMax, max(.zero, clock.now().duration(to: instant) + .milliseconds(1)))
    }

    private func start(_ download: Download) {
        let lease = download.lease
        // The old worker of this download may still be making its last bytes durable: never two writers.
        guard !running.keys.contains(where: { $0.id == lease.id }) else { return }
        if let rest = held[lease], rest > ledger.world.clock.uptime() { return }
        held[lease] = nil
        let live = LiveProgress()
        gauges.withLock { $0[lease.id] = live }
        running[lease] = Task {
            let end = await self.work(on: download, live)
            self.ended(lease, end)
        }
    }

    private nonisolated func work(on download: Download, _ live: LiveProgress) async -> WorkerEnd {
        guard download.phase != .publishing else {
            return await worker.finishPublication(of: assignments.unfinished(download))
        }
        do throws(Failure) {
            return await worker.run(try assignments.assignment(for: download), live: live)
        } catch {
            let report = WorkerReport(download.lease, [.failed(error, retryAt: nil)])
            _ = await worker.reporting.report([report])
            return .failed(error, retryAt: nil)
        }
    }

    private func ended(_ lease: Lease, _ end: WorkerEnd) {
        let wasStopped = running.removeValue(forKey: lease)?.isCancelled ?? true
        gauges.withLock { $0[lease.id] = nil }
        if end == .stopped, !wasStopped { held[lease] = ledger.world.clock.uptime() + Self.restAfterStop }
        wakeup.raise()
    }

    /// Plans again after every batch, and does `body` with it.
    private func follow(_ body: ([Recorded<Event>]) async throws(LedgerError) -> Void) async {
        var batches = ledger.events(after: ledger.lastSequence).makeAsyncIterator()
        do throws(LedgerError) {
            while let batch = try await batches.next() {
                wakeup.raise()
                try await body(batch)
            }
        } catch {
            // The next plan meets the same error, and reports it.
        }
        wakeup.raise()
    }

    private func stopAll() async {
        let tasks = Array(running.values)
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
        running = [:]
    }
}

extension LiveFigures {
    /// What rows show of a worker's gauges.
    init(_ gauges: LiveProgress.Gauges) {
        self.init(
            received: gauges.received, resumedFrom: gauges.resumedFrom,
            rate: gauges.bytesPerSecond.map { UInt64(max(0, $0)) })
    }
}
