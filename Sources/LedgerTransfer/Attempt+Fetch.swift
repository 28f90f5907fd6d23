import LedgerModel
import LedgerSystem

extension Attempt {
    /// What ended beside or in a fetch.
    private enum Strand: Sendable {
        case led(Failure?)
        case helped(HelpEnd)
        case steered
        case checkpoints(Ending?)
        case followed(Failure?)
        case described
    }

    /// How the streams of one fetch stand.
    private struct Streams {
        var running = 1
        /// Whether checkpoints and hashing go beside them.
        var isAccompanied = false
        var leadFailure: Failure?
        var ending: Ending?
        /// Whether the leading request is to be sent again.
        var isDisputed = false

        var isOver: Bool { running == 0 || ending != nil || isDisputed }
    }

    /// Sends a request and streams its body, with more streams, checkpoints and hashing beside it; returns what to do
    /// next.
    func perform(_ request: TransferRequest) async throws(Ending) -> WorkerStateMachine.Action {
        if Task.isCancelled { throw .stopped }
        let flow = Flow()
        let streams = await withTaskGroup(of: Strand.self) { group in
            group.addTask { .led(await self.lead(request, flow)) }
            group.addTask { await self.steered(flow) }
            return await self.weave(&group, flow)
        }
        if let ending = streams.ending { throw ending }
        try await reportDropped()
        switch flow.reception {
        case .ended(let ending): throw ending
        case .left(let action): return action
        case .streaming(let claim):
            if !Task.isCancelled {
                if let failure = streams.leadFailure, !failure.isOfDisk,
                    withState({ $0.machine.isDoubtful && $0.holdsMore($0.part?.written) })
                {
                    try await settleDoubt()
                }
                // Of what came whole and may not be the file, the digest tells in a moment.
                if withState({ !$0.machine.isDoubtful }) { try await checkpointIfDue(flow) }
            }
            // Also when the run was stopped: what came before that is worth a record.
            let action = withState { state in
                state.machine.bodyEnded(
                    streams.leadFailure, held: state.part?.written ?? ByteRangeSet(),
                    isEmpty: claim.position == claim.start && !claim.isFull)
            }
            if Task.isCancelled { throw .stopped }
            return action
        case .none:
            if Task.isCancelled { throw .stopped }
            let failure =
                streams.leadFailure
                ?? Failure(.protocolViolation, "the origin closed without an answer", isRetryable: true)
            return withState { $0.machine.unanswered(failure) }
        }
    }

    /// Follows the strands until every stream is over.
    private func weave(_ group: inout TaskGroup<Strand>, _ flow: Flow) async -> Streams {
        var streams = Streams()
        let leading = withState { state in
            state.machine.sources.begin(state.machine.leading)
            return state.machine.leading
        }
        live.update { $0.streams = streams.running }
        for await strand in group {
            switch strand {
            case .led(let failure):
                streams.leadFailure = failure
                streams.running -= 1
                withState { $0.machine.sources.end(leading) }
                if case .streaming(let claim) = flow.reception { retire(claim, flow) }
                flow.steer()
            case .helped(let end):
                streams.running -= 1
                switch end {
                case .over: break
                // Another stream may have been told meanwhile that it still is the same.
                case .disputed: streams.isDisputed = withState { $0.machine.dispute.isOpen }
                case .broken(let failure): streams.ending = streams.ending ?? .failed(failure)
                }
                flow.steer()
            case .steered:
                guard !streams.isOver, !Task.isCancelled else { break }
                // A body that came whole with its head, as most small ones do, needs neither, unless a limit makes it
                // last.
                if !streams.isAccompanied, flow.isReceiving || limiters.isLimiting {
                    streams.isAccompanied = true
                    group.addTask { .checkpoints(await self.checkpoints(flow)) }
                    group.addTask { .followed(await self.follow(flow)) }
                }
                if let url = withState({ $0.machine.takeDescription() }) {
                    group.addTask {
                        await self.describe(from: url)
                        return .described
                    }
                }
                for claim in open(beside: streams.running, flow) {
                    streams.running += 1
                    group.addTask { .helped(await self.help(with: claim, flow)) }
                }
                group.addTask { await self.steered(flow) }
            case .described: flow.steer()
            case .checkpoints(let reason): streams.ending = streams.ending ?? reason
            case .followed(let reason): streams.ending = streams.ending ?? reason.map(ending)
            }
            if streams.isOver {
                flow.finish()
                group.cancelAll()
            }
            live.update { $0.streams = streams.running }
        }
        return streams
    }

    private func steered(_ flow: Flow) async -> Strand {
        await flow.awaitSteering()
        return .steered
    }

    /// The leading request: its answer decides what is fetched.
    private func lead(_ request: TransferRequest, _ flow: Flow) async -> Failure? {
        let asked = worker.clock.uptime()
        do throws(Failure) {
            try await stream(request) { response, stop throws(Failure) in
                let (now, latency) = (self.worker.clock.now(), self.worker.clock.uptime() - asked)
                let judgement = self.withState { $0.machine.answered(response, now: now) }
                do throws(Ending) {
                    switch judgement {
                    case .leave(let action):
                        flow.settle(.left(action))
                        return nil
                    case .begin(let origin, let end):
                        // Before the disk is asked: who is refused meanwhile is refused for this one.
                        self.noteServed()
                        if self.assignment.order.destination.name == nil {
                            try await self.meetStanding(named: origin.suggestedName)
                        }
                        let claim = self.claim(from: 0, to: end)
                        // Where a limit holds bytes back, the transport has to know of it.
                        let early = self.limiters.isLimiting ? nil : response.early
                        try await self.beginPart(origin) { part, digest throws(Failure) in
                            try early?.fill(self.sink(to: part, digest, for: claim, flow), of: claim)
                        }
                        return self.takeBody(claim, after: latency, stop, flow)
                    case .append(let offset, let end):
                        self.noteServed()
                        self.bodyBegins(of: self.withState { $0.machine.held?.origin.length })
                        return self.takeBody(self.claim(from: offset, to: end), after: latency, stop, flow)
                    }
                } catch {
                    flow.settle(.ended(error))
                    return nil
                }
            }
        } catch {
            if case .streaming(let claim) = flow.reception, claim.isFull, !error.isOfDisk { return nil }
            return error
        }
        return nil
    }

    /// What the leading answer is to bring.
    private func claim(from start: UInt64, to end: UInt64?) -> Claim {
        Claim(from: start, to: end, limit: end, source: withState { $0.machine.leading })
    }

    /// The body of the leading answer, which came `latency` after the request, goes to the part; when ranges may be
    /// fetched beside it, others may shorten it.
    private func takeBody(
        _ claim: Claim, after latency: Duration, _ stop: @escaping @Sendable () -> Void, _ flow: Flow
    ) -> PartSink {
        let now = worker.clock.uptime()
        let (held, allowsRanges, pieces, suspects) = withState { state in
            (state.machine.held, state.machine.allowsRanges, state.machine.pieces, Set(state.wrongPieces.keys))
        }
        if let end = claim.end { claim.answered(upTo: end, at: now) }
        claim.whenTaken(stop)
        served(claim.source, at: now)
        let board: RangeBoard? =
            allowsRanges
            ? held?.origin.length.map {
                RangeBoard(length: $0, pieceLength: pieces?.pieceLength, suspects: suspects)
            } : nil
        flow.stream(claim, on: board, after: latency)
        return sink(for: claim, flow)
    }

    /// About once a second: sync what was written, off the receiving path, and report it. Nobody waits for it.
    private func checkpoints(_ flow: Flow) async -> Ending? {
        let interval = worker.settings.progressInterval
        var next = worker.clock.uptime() + interval
        var last = course
        var glanced = last
        while !Task.isCancelled {
            let isGoverning = withState { [now = worker.clock.uptime()] in $0.governor.isLooking(at: now) }
            let glance = isGoverning ? worker.clock.uptime() + interval / RangeGovernor.looksEachInterval : next
            do { try await worker.clock.sleep(until: min(next, glance)) } catch { return nil }
            if isGoverning { govern(flow, since: &glanced) }
            guard worker.clock.uptime() >= next else { continue }
            next = max(next + interval, worker.clock.uptime())
            guard case .streaming = flow.reception else { continue }
            let now = course
            let rate = withState { $0.rates.add(now.received, at: now.time) }
            live.update { $0.bytesPerSecond = rate }
            look(flow, from: last, to: now)
            flow.wakeHashing()
            last = now
            do throws(Ending) {
                try await checkpoint(flow)
                try await reportDropped()
            } catch { return error }
        }
        return nil
    }

    /// Hashes what was written, behind the writer, whenever it is far enough behind to be worth a turn.
    private func follow(_ flow: Flow) async -> Failure? {
        while await flow.awaitHashing() {
            do throws(Failure) {
                while !Task.isCancelled, try await followOnce(flow) {}
            } catch { return error }
        }
        return nil
    }

    /// One turn of hashing, if that is worth one; returns whether it was.
    private func followOnce(_ flow: Flow) async throws(Failure) -> Bool {
        if try await checkPiece(flow) { return true }
        let (part, digest, checks) = withState { ($0.part, $0.digest, $0.checks) }
        guard let part else { return false }
        try tellAlteredPieces(of: part)
        let end = (checks?.right ?? part.written).prefixCount
        guard digest.isBehind(end) else { return false }
        try await worker.blocking.run { () throws(Failure) in
            _ = try digest.follow(part.file, to: end)
            try part.beginWriteback(to: digest.position)
        }
        return true
    }
}

extension EarlyBody {
    /// Puts what came so far where the bytes of a claim go.
    fileprivate func fill(_ sink: PartSink, of claim: Claim) throws(Failure) {
        do throws(Failure) { try take { bytes throws(Failure) in _ = try sink.write(bytes) } } catch {
            // What came behind the claim's end is of no consequence.
            guard claim.isFull, !error.isOfDisk else { throw error }
        }
    }
}
