import LedgerModel
import LedgerSystem
import Synchronization
import SystemPackage

/// The state of one run of a ``DownloadWorker`` and its course.
///
/// `run` goes step by step; only a transport's `receive` and the strands beside a fetch touch the state meanwhile,
/// which is why it stands in a lock. No lock is held across a wait.
final class Attempt: Sendable {
    let worker: DownloadWorker
    let assignment: Assignment
    let live: LiveProgress
    let limits: RunningLimits
    let limiters: [RateLimiter]
    let whenReceived: @Sendable () -> Void
    private let state: Mutex<State>

    struct State {
        var machine: WorkerStateMachine
        /// The part that is written or held.
        var part: PartFile?
        /// The part on record, while another one is written.
        var recordedPart: PartFile?
        /// The generation of the part that an earlier attempt left, or its copy; nil when there was none.
        var leftGeneration: UInt32?
        var digest: RunningDigest
        /// The generation of `part`.
        var generation: UInt32
        /// The generation on record; `part` may be claimed when it is the same.
        var recordedGeneration: UInt32
        /// What is on record as durable in that generation.
        var recordedBytes: ByteRangeSet
        /// When what was written was last put on record, or looked at for that.
        var checkpointedAt: Duration
        /// Whether bytes became durable in this attempt.
        var hasProgressed = false
        /// A part on record that failed its digest.
        var rejected: RejectedPart?
        /// Whether the part is not what was received.
        var isPartLost = false
        /// Whether `verified` is on record: what it says of the part's bytes is all there is to say.
        var isVerified: Bool
        var rates = RateMeter()
        /// Which pieces were found right; nil when nobody stated what they hash to.
        var checks: PieceChecks?
        /// The pieces that were wrong with bytes in them that an earlier attempt left.
        var alteredPieces: Set<Int> = []
        /// How often each piece was wrong.
        var wrongPieces: [Int: Int] = [:]
        /// How many streams there should be.
        var governor: RangeGovernor
        /// The origin that serves it, as others are told until it does no longer.
        var servedBy: String?
        /// Which source gave which bytes, in this attempt.
        var given: [(bytes: Range<UInt64>, source: Int)] = []
        /// A whole that came in parts and was wrong: where it is kept, and who gave what.
        var mixed: (path: FilePath, given: [(bytes: Range<UInt64>, source: Int)])?
    }

    /// Why `run` ends early.
    enum Ending: Error {
        case failed(Failure)
        case stopped
        case completed(path: String)
    }

    init(
        _ assignment: Assignment, worker: DownloadWorker, live: LiveProgress, limits: RunningLimits? = nil,
        whenReceived: @escaping @Sendable () -> Void = {}
    ) {
        self.whenReceived = whenReceived
        self.assignment = assignment
        self.worker = worker
        self.live = live
        let now = worker.clock.uptime()
        self.limits = limits ?? RunningLimits(assignment.order.options.value, at: now)
        limiters = [worker.limiter, self.limits.limiter]
        let governor = Self.governor(for: assignment, of: worker, at: now)
        var machine = WorkerStateMachine(assignment, settings: worker.settings, held: nil)
        // What did not answer it may answer a request for everything.
        let mayOpen = assignment.attemptsFailed == 0 && !assignment.order.options.value.decompresses
        if mayOpen, governor.target(left: .max, at: now) > 1,
            worker.origins.servesRanges(assignment.url.origin, at: now)
        {
            machine.opening = RangePlan.openingBytes
        }
        state = Mutex(
            State(
                machine: machine,
                digest: RunningDigest(
                    stated: (assignment.order.expected ?? assignment.origin?.digest)?.algorithm,
                    absorbs: assignment.order.pieces == nil),
                generation: assignment.generation, recordedGeneration: assignment.generation,
                recordedBytes: assignment.durable.ranges, checkpointedAt: now,
                isVerified: assignment.verified != nil, governor: governor))
    }

    private static func governor(
        for assignment: Assignment, of worker: DownloadWorker, at now: Duration
    ) -> RangeGovernor {
        if let asked = assignment.order.options.value.rangesMax { return RangeGovernor(asked: asked) }
        return worker.origins.governor(of: assignment.url.origin, at: now)
    }

    func withState<R: Sendable>(_ body: (inout sending State) -> sending R) -> R { state.withLock(body) }

    func run() async -> WorkerEnd {
        do throws(Ending) {
            try await requirePlace()
            if let name = assignment.order.destination.name { try await meetStanding(named: name) }
            try await openHeld()
            if limits.isOwing { await payDebt() }
            try await askUnderCondition()
            var action = start()
            while true {
                try await reportDropped()
                switch action {
                case .request(let request): action = try await perform(request)
                case .finish(let length): action = try await finish(length)
                case .unchanged: try await remainUnchanged()
                case .leaveDoubt(let words): action = try await goBack(words)
                case .fail(let failure): throw .failed(failure)
                }
            }
        } catch {
            switch error {
            case .completed(let path): return .completed(path: path)
            case .stopped:
                await leave()
                return .stopped
            case .failed(let failure): return await fail(failure)
            }
        }
    }

    /// The first thing to do, where sources rest without those.
    private func start() -> WorkerStateMachine.Action {
        let (resting, now) = (worker.resting, worker.clock.uptime())
        return withState { state in
            state.machine.leaveAlone { resting.failure(of: $0, at: now) }
            return state.machine.start()
        }
    }

    func close() {
        let (part, recorded) = withState { ($0.part, $0.recordedPart) }
        part?.close()
        recorded?.close()
        if let origin = withState({ $0.servedBy }) { worker.origins.end(origin) }
    }

    /// Runs disk calls where they may block.
    func disk<T: Sendable>(_ body: @escaping @Sendable () throws(FileError) -> T) async throws(Failure) -> T {
        do throws(FileError) { return try await worker.blocking.run(body) } catch { throw Failure.disk(error) }
    }

    /// Reports under the lease; a report that is refused stops the run.
    func report(_ reports: [Report]) async throws(Ending) {
        do throws(WorkerStop) {
            try await worker.reporting.report(assignment.lease, reports)
        } catch { throw .stopped }
    }

    /// Looks whether the directory is where a client was given it, and the part of it that a server named below where
    /// somebody here said: who may write there could have put a link there, which leads out of it.
    func requirePlace() async throws(Ending) {
        let (options, fileSystem) = (assignment.order.options.value, worker.fileSystem)
        guard options.isConfined || options.namedComponents > 0 else { return }
        let directory = FilePath(assignment.order.destination.directory)
        let named = Array(directory.components.suffix(Int(options.namedComponents)))
        let base = FilePath(root: directory.root, directory.components.dropLast(named.count))
        do throws(Failure) {
            let (found, expected) = try await disk { () throws(FileError) -> (FilePath?, FilePath?) in
                // Nil behind a link that leads nowhere.
                func resolved(_ path: FilePath) throws(FileError) -> FilePath? {
                    do throws(FileError) {
                        let place = try fileSystem.weaklyResolved(path)
                        return place.standing.appending(place.missing)
                    } catch {
                        guard error.errno == .noSuchFileOrDirectory else { throw error }
                        return nil
                    }
                }
                return (
                    try resolved(directory),
                    options.isConfined ? directory : try resolved(base)?.appending(named)
                )
            }
            guard let found, found == expected else { throw .linkInTheWay(directory, to: found) }
        } catch { throw .failed(error) }
    }

    /// Where the part of a generation stands.
    func partPath(_ generation: UInt32) -> FilePath {
        FilePath(assignment.order.destination.directory).appending(
            PartName.make(
                stem: assignment.partStem, id: assignment.lease.id, ledgerPrefix: assignment.ledgerPrefix,
                generation: generation))
    }

    /// Looks, before anything is fetched, at what stands under the name. With `--skip` a file is taken as the finished
    /// one, and nothing is fetched; for a client that is confined, only one that is the ledger's already: else whoever
    /// may add downloads would read and remove any file below a root. What the finished file could not take the place
    /// of ends the download now.
    func meetStanding(named name: String) async throws(Ending) {
        let collision = assignment.order.destination.collision
        // What stands there and is ours is what this is about.
        guard collision != .number, assignment.standing == nil else { return }
        let path = FilePath(assignment.order.destination.path(of: name))
        let fileSystem = worker.fileSystem
        let digest = RunningDigest(stated: assignment.order.expected?.algorithm)
        let status: FileStatus
        do throws(Failure) {
            let standing = try await disk { () throws(FileError) in try fileSystem.status(of: path) }
            guard let standing else { return }
            guard collision == .skip, standing.kind == .regular else {
                if collision.mayReplace(standing) { return }
                throw .destinationTaken(path)
            }
            if assignment.order.options.value.isConfined, await !worker.reporting.holds(standing, at: path) {
                throw .foreignFile(path)
            }
            status = standing
            let file = try await disk { () throws(FileError) in try fileSystem.open(path, .read) }
            defer { file.close() }
            try await follow(file, with: digest, to: status.length)
        } catch { throw .failed(error) }
        guard digest.position == status.length else { throw .stopped }
        let sums = digest.finish()
        if let reason = contradiction(of: sums, status.length, expected: assignment.order.expected) {
            let words = "'\(path)' stands there, and is not it: \(reason.words)"
            throw .failed(Failure(reason.code, words, isRetryable: false))
        }
        try await clearParts(keeping: nil)
        try await report([.found(status.identity, sha256: sums.sha256, path: path.string)])
        throw .completed(path: path.string)
    }

    /// Hashes a file up to `end`, turn by turn: a run that is stopped leaves off before that.
    func follow(_ file: any File, with digest: RunningDigest, to end: UInt64) async throws(Failure) {
        while !Task.isCancelled, digest.position < end {
            _ = try await worker.blocking.run { () throws(Failure) in try digest.follow(file, to: end) }
        }
    }
}
