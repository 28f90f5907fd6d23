import LedgerModel
import LedgerSystem
import Synchronization
import SystemPackage

extension Attempt {
    /// What ended beside or in a fetch.
    private enum Strand: Sendable {
        case fetched(Failure?)
        case checkpoints(Ending?)
        case followed(Failure?)
    }

    /// What `receive` made of the head.
    private enum Reception: Sendable {
        case none
        case left(WorkerStateMachine.Action)
        case ended(Ending)
        case streaming
    }

    /// Sends a request and streams its body, with checkpoints and hashing beside it; returns what to do next.
    func perform(_ request: TransferRequest) async throws(Ending) -> WorkerStateMachine.Action {
        if Task.isCancelled { throw .stopped }
        let reception = Mutex(Reception.none)
        let (wakes, waker) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let box = Box(reception)
        let (failure, ending) = await withTaskGroup(of: Strand.self) { group -> (Failure?, Ending?) in
            group.addTask {
                let failure = await self.fetch(request, box) { waker.yield() }
                waker.finish()
                return .fetched(failure)
            }
            group.addTask { .checkpoints(await self.checkpoints(box)) }
            group.addTask { .followed(await self.follow(wakes)) }
            var failure: Failure?
            var ending: Ending?
            for await strand in group {
                switch strand {
                case .fetched(let reason):
                    failure = reason
                    group.cancelAll()
                case .checkpoints(let reason):
                    ending = ending ?? reason
                    if reason != nil { group.cancelAll() }
                case .followed(let reason):
                    if let reason {
                        ending = ending ?? .failed(reason)
                        group.cancelAll()
                    }
                }
            }
            return (failure, ending)
        }
        if let ending { throw ending }
        switch box.value.withLock({ $0 }) {
        case .ended(let ending): throw ending
        case .left(let action): return action
        case .streaming:
            // Also when the run was stopped: what came before that is worth a record.
            let action = withState { state in
                state.machine.bodyEnded(failure, held: state.part?.written ?? ByteRangeSet())
            }
            if Task.isCancelled { throw .stopped }
            return action
        case .none:
            if Task.isCancelled { throw .stopped }
            let failure =
                failure ?? Failure(.protocolViolation, "the origin closed without an answer", isRetryable: true)
            return withState { $0.machine.failed(failure) }
        }
    }

    private func fetch(
        _ request: TransferRequest, _ reception: Box, wake: @escaping @Sendable () -> Void
    ) async -> Failure? {
        do throws(Failure) {
            try await worker.transport.fetch(request) { response throws(Failure) in
                let now = self.worker.clock.now()
                let judgement = self.withState { $0.machine.answered(response, now: now) }
                do throws(Ending) {
                    switch judgement {
                    case .leave(let action):
                        reception.value.withLock { $0 = .left(action) }
                        return nil
                    case .begin(let origin):
                        if self.assignment.order.destination.name == nil {
                            try await self.meetStanding(named: origin.suggestedName)
                        }
                        try await self.beginPart(origin)
                        return self.sink(from: 0, end: origin.length, reception, wake)
                    case .append(let offset, let end):
                        return self.sink(from: offset, end: end, reception, wake)
                    }
                } catch {
                    reception.value.withLock { $0 = .ended(error) }
                    return nil
                }
            }
            return nil
        } catch { return error }
    }

    private func sink(
        from start: UInt64, end: UInt64?, _ reception: Box, _ wake: @escaping @Sendable () -> Void
    ) -> PartSink? {
        let now = worker.clock.uptime()
        let (part, digest, total) = withState { state in
            // The first look, a second from now, has something to compare with.
            state.rates.add(start, at: now)
            return (state.part, state.digest, state.machine.held?.origin.length)
        }
        guard let part else { preconditionFailure("an accepted body has a part to go to") }
        live.update { gauges in
            gauges.total = total
            gauges.received = start
        }
        reception.value.withLock { $0 = .streaming }
        return PartSink(
            part, from: start, end: end, digest: digest, live: live, limiters: limiters, clock: worker.clock,
            wakeFollower: wake)
    }

    /// About once a second: sync what was written, off the receiving path, and report it. Nobody waits for it.
    private func checkpoints(_ reception: Box) async -> Ending? {
        let interval = worker.settings.progressInterval
        var next = worker.clock.uptime() + interval
        while !Task.isCancelled {
            do { try await worker.clock.sleep(until: next) } catch { return nil }
            next = max(next + interval, worker.clock.uptime())
            let isStreaming = reception.value.withLock { if case .streaming = $0 { true } else { false } }
            guard isStreaming else { continue }
            let (now, received) = (worker.clock.uptime(), live.now.received)
            let rate = withState { $0.rates.add(received, at: now) }
            live.update { $0.bytesPerSecond = rate }
            do throws(Ending) { try await checkpoint() } catch { return error }
        }
        return nil
    }

    /// Hashes what was written, behind the writer, whenever it is far enough behind to be worth a turn.
    private func follow(_ wakes: AsyncStream<Void>) async -> Failure? {
        for await _ in wakes {
            do throws(Failure) {
                while !Task.isCancelled, try await followOnce() {}
            } catch { return error }
        }
        return nil
    }

    /// One turn of hashing, if that is worth one; returns whether it was.
    private func followOnce() async throws(Failure) -> Bool {
        let (part, digest) = withState { ($0.part, $0.digest) }
        guard let part else { return false }
        let end = part.written.prefixCount
        guard digest.isBehind(end) else { return false }
        let file = part.file
        _ = try await worker.blocking.run { () throws(Failure) in try digest.follow(file, to: end) }
        return true
    }

    /// A lock that strands share.
    private final class Box: Sendable {
        let value: Mutex<Reception>
        init(_ value: consuming Mutex<Reception>) { self.value = value }
    }
}
