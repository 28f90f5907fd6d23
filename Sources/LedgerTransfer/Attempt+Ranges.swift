import LedgerModel
import LedgerSystem
import Synchronization

extension Attempt {
    /// How a stream beside the leading one ended.
    enum HelpEnd: Sendable {
        /// Nothing is left for it, or its source serves it no more: the others go on.
        case over
        /// The file may have been changed: the leading stream is to ask.
        case disputed
        /// The disk failed: nothing can go on.
        case broken(Failure)
    }

    /// The work for more streams beside those that run: none when none is worth it, or no source takes one more.
    func open(beside running: Int, _ flow: Flow) -> [Claim] {
        guard case .streaming = flow.reception, let board = flow.board else { return [] }
        let now = worker.clock.uptime()
        return withState { state in
            guard let part = state.part else { return [] }
            var target = state.governor.target(
                left: board.left(of: part.written), lagging: board.lagging, at: now)
            // In the place of one that stands still, which is stopped for it.
            if target > 1, board.hasOnlyStanding(written: part.written) { target += 1 }
            var claims: [Claim] = []
            while running + claims.count < target {
                let only = state.machine.mixesSources ? nil : state.machine.leading
                let streams = target - running - claims.count
                guard let source = state.machine.sources.next(only: only, at: now),
                    let claim = board.take(source: source, written: part.written, among: streams, at: now)
                else { break }
                state.machine.sources.begin(source)
                claims.append(claim)
            }
            return claims
        }
    }

    /// A stream beside the leading one: fetches range after range until none is left for it.
    func help(with first: Claim, _ flow: Flow) async -> HelpEnd {
        let (end, refusal) = await ranges(from: first, flow)
        leave(first.source, refusal)
        return end
    }

    /// - Returns: how that ended, and why the source serves the stream no more, if it does not.
    private func ranges(from first: Claim, _ flow: Flow) async -> (HelpEnd, Failure?) {
        let source = first.source
        var cuts = 0
        var next: Claim? = first
        while let claim = next {
            let failure = await fetch(claim, isFirst: claim === first, flow)
            let gained = claim.position - claim.start
            retire(claim, flow)
            if Task.isCancelled { return (.over, nil) }
            if claim.isGivenUp {
                // Of the leading source only this connection stood still, as far as anyone knows.
                return (.over, source == withState { $0.machine.leading } ? nil : Self.standstill)
            }
            if let failure {
                if failure.isOfDisk { return (.broken(failure), nil) }
                if failure == WorkerStateMachine.disputed { return (.disputed, failure) }
                // Cut in the middle: the source goes on serving, as far as anyone knows.
                cuts = gained >= WorkerStateMachine.continuationBytesMin ? 0 : cuts + 1
                let isCut = failure.code == .connectionLost && gained > 0 && withState { $0.machine.goesOnAtOnce }
                guard isCut, cuts < WorkerStateMachine.continuationsMax else { return (.over, failure) }
            }
            next = take(from: source, flow)
        }
        return (.over, nil)
    }

    private func take(from source: Int, _ flow: Flow) -> Claim? {
        let now = worker.clock.uptime()
        return withState { state in
            // It may have given a wrong piece.
            guard !state.machine.sources.all[source].isDropped else { return nil }
            return state.part.flatMap { flow.board?.take(source: source, written: $0.written, at: now) }
        }
    }

    /// Puts the bytes of a range into the part; returns why that ended early, nil when all of them came.
    /// - Parameter isFirst: whether it is the first of its stream, whose answer tells that one more is served.
    private func fetch(_ claim: Claim, isFirst: Bool, _ flow: Flow) async -> Failure? {
        var approach = withState { state in
            state.machine.sources.approach(to: claim.source, of: assignment, settings: worker.settings)
        }
        if let refusal = approach.refusal { return refusal }
        var isBack = false
        var disputes = 0
        while true {
            // Others took it while it was led elsewhere: no field asks for no byte.
            let end = claim.end
            guard end != claim.start else { return nil }
            let (request, isAgain) = withState { state in
                let request = approach.request(
                    range: RangePlan.field(claim.start, end),
                    validator: state.machine.validator(for: claim.source))
                return (request, state.machine.dispute.isOpen && claim.source == state.machine.held?.source)
            }
            let (verdict, place) = (Verdict(), approach.url)
            let asked = worker.clock.uptime()
            var failure: Failure?
            do throws(Failure) {
                try await stream(request, for: claim) { response, _ throws(Failure) in
                    let now = self.worker.clock.now()
                    let range = claim.start..<(claim.end ?? claim.start)
                    let judgement = self.withState { state in
                        let judgement = state.machine.judge(
                            response, for: range, at: place, from: claim.source, now: now)
                        if case .accept = judgement, isAgain { state.machine.dispute.endInFavor() }
                        return judgement
                    }
                    verdict.settle(judgement)
                    guard case .accept(let end) = judgement else { return nil }
                    let answered = self.worker.clock.uptime()
                    // What another source serves says nothing of this origin.
                    if self.withState({ $0.machine.sources.all.count == 1 }) {
                        self.worker.origins.noteRanges(of: self.assignment.url.origin, at: answered)
                    }
                    if isFirst {
                        self.served(claim.source, at: answered)
                        self.learn()
                    }
                    flow.board?.answered(after: answered - asked)
                    claim.answered(upTo: end, at: answered)
                    return self.sink(for: claim, flow)
                }
            } catch { failure = error }
            switch verdict.now {
            case nil:
                // Others took it before it was answered.
                if claim.isFull { return nil }
                return failure ?? Failure(.protocolViolation, "the source closed without an answer", isRetryable: true)
            case .accept:
                if let failure, failure.isOfDisk { return failure }
                return claim.isFull ? nil : failure ?? Self.short
            case .redirect(let location, let status, let cookies):
                do throws(Failure) {
                    try approach.redirect(to: location, status: status, setting: cookies)
                } catch { return error }
            case .goBack(let way):
                guard !isBack else { return Self.elsewhere }
                (approach, isBack) = (way, true)
            case .dispute:
                disputes += 1
                guard disputes < WorkerStateMachine.Dispute.questionsMax else { return WorkerStateMachine.disputed }
            case .refuse(let reason): return reason
            }
        }
    }

    /// A stream is over; where the source refused it, it serves one less. Another than the leading one that serves none
    /// at all, and does not say that it is busy, is dropped.
    private func leave(_ source: Int, _ refusal: Failure?) {
        let now = worker.clock.uptime()
        withState { state in
            state.machine.sources.end(source)
            guard let refusal else { return }
            let running = state.machine.sources.all[source].streams
            guard running > 0 || refusal.isBusy || source == state.machine.leading else {
                return state.machine.dismiss(source, refusal)
            }
            let wait = refusal.isOfMoment ? Duration.seconds(refusal.retryAfterSeconds ?? 0) : nil
            state.machine.sources.refused(source, running: running, at: now, wait: wait)
            // What a place does not serve at all is this file's.
            if let wait, state.machine.sources.usable.count == 1 {
                state.governor.refused(running: running, at: now, wait: wait)
            }
        }
        if refusal != nil { learn() }
    }

    /// A source serves one more stream.
    func served(_ source: Int, at now: Duration) {
        withState { state in
            state.machine.sources.served(source, at: now)
            guard state.machine.sources.usable.count == 1 else { return }
            state.governor.served(state.machine.sources.all[source].streams, at: now)
        }
    }

    /// A claim is over: what it left is free, and who gave which bytes is remembered.
    func retire(_ claim: Claim, _ flow: Flow) {
        let written = withState { state in
            if claim.position > claim.start { state.given.append((claim.start..<claim.position, claim.source)) }
            return state.part?.written ?? ByteRangeSet()
        }
        flow.board?.end(claim, written: written)
    }

    /// How far it has come now.
    var course: Course {
        let now = worker.clock.uptime()
        return Course(time: now, received: live.now.received, held: limiters.map { $0.held(at: now) })
    }

    /// Looks whether more streams would make the whole faster, a few times a second while that is not known.
    func govern(_ flow: Flow, since last: inout Course) {
        let now = course
        defer { last = now }
        guard let board = flow.board, now.time > last.time, !now.wasHeldBack(since: last) else { return }
        // Wrong pieces are taken out again.
        let rate =
            Double(now.received - min(last.received, now.received)) / ((now.time - last.time) / .seconds(1))
        let streams = live.now.streams
        withState { state in
            guard let part = state.part else { return }
            state.governor.look(
                bytesPerSecond: rate, of: streams, left: board.left(of: part.written), latency: flow.latency,
                at: now.time)
        }
        learn()
        flow.steer()
    }

    /// Remembers for the other downloads of the origin how many streams this one is worth, and takes over what another
    /// has found out beyond that.
    private func learn() {
        let now = worker.clock.uptime()
        withState { state in
            // What several origins give together says nothing of one.
            guard state.machine.sources.all.count == 1, state.governor.isAutomatic else { return }
            worker.origins.learn(&state.governor, of: assignment.url.origin, at: now)
        }
    }

    /// Looks at how fast the streams are, about once a second.
    func look(_ flow: Flow, from last: Course, to now: Course) {
        guard let board = flow.board, !now.wasHeldBack(since: last) else { return }
        board.look(after: now.time - last.time)
        for (source, failure) in board.slow where withState({ $0.machine.leave(source, failure) }) { flow.stop(source) }
        flow.steer()
    }

    /// Puts on record which sources were dropped.
    func reportDropped() async throws(Ending) {
        let dropped = withState { $0.machine.takeDropped() }
        for case .blamed(let place, let failure) in dropped {
            worker.resting.note(place, failure, at: worker.clock.uptime())
        }
        if !dropped.isEmpty { try await report(dropped) }
    }

    /// Sends a request of a stream that can be stopped by itself, answered or not: once nothing is left of `claim`, and
    /// as `receive` is told.
    func stream(
        _ request: TransferRequest, for claim: Claim? = nil,
        receive:
            @escaping @Sendable (TransferResponse, @escaping @Sendable () -> Void) async throws(Failure)
            -> (any BodySink)?
    ) async throws(Failure) {
        let stopper = Stopper()
        claim?.whenTaken { stopper.stop() }
        let task = Task(executorPreference: worker.transport.executor) { () -> Failure? in
            // Two returns: Swift 6.3 miscompiles, in release builds, an optional that only the catch clause sets.
            do throws(Failure) {
                try await self.worker.transport.fetch(request) { response throws(Failure) in
                    try await receive(response) { stopper.stop() }
                }
                await self.payDebt()
                return nil
            } catch {
                await self.payDebt()
                return error
            }
        }
        stopper.hold(task)
        let failure = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        if let failure { throw failure }
    }

    /// Lasts as long as the rate limits say when an answer ends, or less when they are raised meanwhile: a short one
    /// was whole before anything of it could be held back.
    func payDebt() async {
        let clock = worker.clock
        var left = limiters.pause(at: clock.uptime())
        while left > .zero {
            let step = min(left, RateLimiter.pauseMax)
            // Cancelled: nothing more is to come.
            do { try await clock.sleep(until: clock.uptime() + step) } catch { return }
            left = min(left - step, limiters.pause(at: clock.uptime()))
        }
    }

    /// Where the bytes of a claim go.
    func sink(for claim: Claim, _ flow: Flow) -> PartSink {
        let (part, digest) = withState { ($0.part, $0.digest) }
        guard let part else { preconditionFailure("an accepted body has a part to go to") }
        return sink(to: part, digest, for: claim, flow)
    }

    /// The same for a part that was just made.
    func sink(to part: PartFile, _ digest: RunningDigest, for claim: Claim, _ flow: Flow) -> PartSink {
        PartSink(
            part, for: claim, digest: digest, live: live, limiters: limiters, clock: worker.clock,
            wakeFollower: { flow.wakeHashing() })
    }

    private static let standstill = Failure(
        .silence, "nothing came from the source any more; others fetch its range", isRetryable: true)
    private static let elsewhere = Failure(
        .entityChanged, "the place that gave the beginning redirects to others", isRetryable: true)
    private static let short = Failure(
        .connectionLost, "the source's range ended before its bytes were whole", isRetryable: true)

    /// What became of a head; closures share it.
    private final class Verdict: Sendable {
        private let value = Mutex<WorkerStateMachine.RangeJudgement?>(nil)

        var now: WorkerStateMachine.RangeJudgement? { value.withLock { $0 } }

        func settle(_ judgement: WorkerStateMachine.RangeJudgement) { value.withLock { $0 = judgement } }
    }
}

/// How far a fetch has come at an uptime.
struct Course: Sendable {
    let time: Duration
    /// The bytes that are there.
    let received: UInt64
    /// For how long each limit has held bytes back.
    let held: [Duration]

    /// Whether a limit said how fast bytes came since then: that tells nothing of the sources.
    func wasHeldBack(since last: Course) -> Bool {
        zip(held, last.held).contains { $0 - $1 > (time - last.time) / 2 }
    }
}

extension Failure {
    /// Whether a place says that it is busy.
    var isBusy: Bool { status == 429 || status == 503 }

    /// Whether a place that is busy now may be meant, and not what it serves: an answer that breaks the protocol, or is
    /// of another entity, will be the same the next time.
    fileprivate var isOfMoment: Bool {
        isRetryable && ![.protocolViolation, .entityChanged, .suspicious].contains(code)
    }
}

/// Ends one stream when nothing is left for it; the task it runs in is known only after it has begun.
private final class Stopper: Sendable {
    private let state = Mutex<(task: Task<Failure?, Never>?, isStopped: Bool)>((nil, false))

    func hold(_ task: Task<Failure?, Never>) {
        let isStopped = state.withLock { state in
            state.task = task
            return state.isStopped
        }
        if isStopped { task.cancel() }
    }

    func stop() {
        let task = state.withLock { state in
            state.isStopped = true
            return state.task
        }
        task?.cancel()
    }
}
