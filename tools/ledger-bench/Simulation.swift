import LedgerEngine
import LedgerModel
import LedgerTestSupport

/// People and workers, as values: what they ask of the ledger next, given what it says.
struct Simulation: Sendable {
    /// Downloads at once.
    static let runningMax = 24
    /// Among so many downloads that came last, people look for what they paused.
    private static let recentCount = 400
    /// The longest list of URLs that is added at once.
    private static let listMax = 60

    private let scale: LogScale
    private let orders: OrderMaker
    private var chance: SplitMix64
    private var running: Set<Lease> = []
    /// Every download, by the ordinal of its order.
    private var ids: [DownloadID] = []
    /// How many events are on record.
    private(set) var recorded = 0

    init(_ scale: LogScale) {
        self.scale = scale
        orders = OrderMaker(scale)
        chance = scale.chance(.people, 0)
        ids.reserveCapacity(scale.downloads)
    }

    /// About a second later, or when the next session begins.
    mutating func nextInstant(after now: Timestamp) -> Timestamp {
        let next = now.advanced(by: .milliseconds(Int64.random(in: 900...1100, using: &chance)))
        return max(next, scale.sessionStart(after: recorded))
    }

    /// What is asked of the ledger in the next second: all of it becomes one batch.
    mutating func step(_ state: LedgerState, at now: Timestamp) -> [Submission] {
        var left = scale.events - recorded
        var submissions: [Submission] = []
        func add(_ new: [Submission]) {
            for submission in new {
                guard let fitting = submission.fitting(left) else { continue }
                left -= fitting.eventsMax
                submissions.append(fitting)
            }
        }
        add(arrivals(state))
        // What is still to come needs an event each.
        left -= scale.downloads - ids.count - submissions.count
        guard left > 0 else { return submissions }
        add(reports(state, at: now))
        add(wishes(state))
        return submissions
    }

    /// Takes note of what became of it.
    mutating func take(_ outcomes: [Outcome], of submissions: [Submission]) throws(LogMaker.Trouble) {
        for (outcome, submission) in zip(outcomes, submissions) {
            switch outcome {
            case .recorded(let events), .joined(_, let events):
                recorded += events.count
                for event in events where event.event.kind == .enqueued {
                    if let id = event.id { ids.append(id) }
                }
            case .repeated: break
            case .refused(let rejection):
                // People may ask for what can not be; a worker that is refused is a fault of this program.
                if submission.actor == .worker { throw .refused(submission, rejection) }
            }
        }
    }
}

extension Simulation {
    /// New orders: as many as are due by now, in lists of any length.
    private mutating func arrivals(_ state: LedgerState) -> [Submission] {
        let rest = scale.downloads - ids.count
        guard rest > 0 else { return [] }
        let due = scale.downloadsDue(after: recorded) - ids.count
        let isPressing = scale.events - recorded <= rest
        let isIdle = state.queue.liveCount == 0
        let list = Int.random(in: 1...Self.listMax, using: &chance)
        guard isPressing || isIdle || due >= min(list, rest) else { return [] }
        let actor: EventActor = [.cli, .cli, .api, .feed].randomElement(using: &chance) ?? .cli
        return (ids.count..<ids.count + min(list, rest)).map { ordinal in
            let priority = Int32(chance.isOnce(in: 20) ? Int.random(in: -5...10, using: &chance) : 0)
            return Submission(
                .enqueue(orders.order(ordinal), priority: priority, again: false),
                id: CommandID(using: &chance), actor: actor)
        }
    }

    /// What the workers have to tell, each of one download.
    private mutating func reports(_ state: LedgerState, at now: Timestamp) -> [Submission] {
        let plan = state.queue.plan(
            running: running, limits: Limits(runningMax: Self.runningMax, runningPerHostMax: 8), at: now)
        running.subtract(plan.stop)
        running.formUnion(plan.start)
        return running.sorted { $0.id < $1.id }.compactMap { lease in
            guard let download = state.queue[lease.id] else { return nil }
            let life = Life(of: download, scale)
            return Submission(.report(lease, life.reports(of: download, at: now)), id: nil, actor: .worker)
        }
    }

    /// What people want, now and then; always something when nothing else happens.
    private mutating func wishes(_ state: LedgerState) -> [Submission] {
        guard let any = ids.randomElement(using: &chance) else { return [] }
        // Sorted, because the order of a set is another one in each process.
        let current = running.map(\.id).sorted().randomElement(using: &chance)
        guard current == nil || chance.isOnce(in: 3) else { return [] }
        let command = current.map { wish($0, any, state) } ?? idleWish(any, state)
        let actor: EventActor =
            if case .observe = command { .maintenance } else { chance.isOnce(in: 4) ? .api : .cli }
        return [Submission(command, id: CommandID(using: &chance), actor: actor)]
    }

    private mutating func wish(_ current: DownloadID, _ any: DownloadID, _ state: LedgerState) -> Command {
        switch Int.random(in: 0..<18, using: &chance) {
        case 0, 1: return .pause(current)
        case 2, 3, 4, 5:
            // Hardly anyone forgets for long what was paused.
            let paused = ids.suffix(Self.recentCount).first { state.queue[$0]?.phase == .paused }
            return .resume(paused ?? current)
        case 6: return .move(current, chance.isOnce(in: 2) ? .first : .last)
        case 7: return .move(current, .priority(Int32.random(in: -5...10, using: &chance)))
        case 8: return .change(current, slower())
        case 9: return .cancel(current)
        case 10, 11:
            let some = (0..<20).compactMap { _ in ids.randomElement(using: &chance) }
            return .retry(some.first { [.failed, .cancelled].contains(state.queue[$0]?.phase) } ?? any)
        case 12: return .delete(any, .trash(path: "/srv/ledger/trash/\(any)"))
        case 13: return .delete(any, chance.isOnce(in: 2) ? .keepFile : .purge)
        case 14, 15: return .undo(nil)
        case 16: return .observe(any, .missing)
        default: return idleWish(any, state)
        }
    }

    /// Something that a download can be asked for when all is done: whether its origin has a newer file.
    private func idleWish(_ any: DownloadID, _ state: LedgerState) -> Command {
        guard let download = state.queue[any], download.phase == .completed else { return .retry(any) }
        return .refresh(download.order, priority: 0)
    }

    private mutating func slower() -> OrderChange {
        var change = OrderChange()
        change.bytesPerSecondMax = .set(UInt64.random(in: 1...64, using: &chance) << 16)
        return change
    }
}

extension Submission {
    /// The most events that come of it.
    var eventsMax: Int {
        if case .report(_, let reports) = command { reports.count } else { 1 }
    }

    /// As much of it as makes at most `count` events; nil for nothing.
    func fitting(_ count: Int) -> Submission? {
        guard count > 0 else { return nil }
        guard case .report(let lease, let reports) = command, reports.count > count else { return self }
        return Submission(.report(lease, Array(reports.prefix(count))), id: id, actor: actor)
    }
}

extension SplitMix64 {
    /// True once in `count` times.
    mutating func isOnce(in count: UInt64) -> Bool { UInt64.random(in: 0..<count, using: &self) == 0 }
}
