import LedgerModel
import LedgerTestSupport
import Testing

/// What holds after every command of a long random walk.
struct WalkTests {
    @Test(arguments: [UInt64(1), 2, 6]) func `indexes and projections agree with the downloads`(_ seed: UInt64) {
        var walk = RandomWalk(seed: seed)
        var host: [(event: Recorded, host: String)] = []
        for step in 0..<1000 {
            let before = walk.history.count
            walk.step()
            for event in walk.history[before...] {
                guard let id = event.id, let download = walk.state.queue[id] else { continue }
                host.append((event, download.order.url.host))
            }
            // Every step at first, then now and then: the check itself is long.
            guard step < 100 || step.isMultiple(of: 25) else { continue }
            #expect(walk.state.queue.invariantViolation() == nil, "seed \(seed), step \(step)")
            #expect(walk.state.catalog == catalog(of: walk.state.queue), "seed \(seed), step \(step)")
            checkEntries(walk.state, "seed \(seed), step \(step)")
        }
        #expect(walk.state.statistics == statistics(of: host), "seed \(seed)")
        let phases = Set(walk.state.queue.downloads.map { String(describing: $0.phase).prefix(5) })
        #expect(phases.count >= 8, "the walk met only \(phases)")
        #expect(walk.refusals > 100 && walk.history.count > 300)
        let kinds = Set(walk.history.map(\.event.kind))
        #expect(kinds.count >= 16, "the walk met only \(kinds)")
    }

    @Test(arguments: [UInt64(5)]) func `folding is deterministic and an image gives the queue back`(_ seed: UInt64) {
        var walk = RandomWalk(seed: seed)
        for _ in 0..<1000 { walk.step() }
        var folded = LedgerState()
        // Of the other nobody asks anything before its end.
        var (revived, unasked): (LedgerState?, LedgerState?)
        for event in walk.history {
            folded.apply(event)
            revived?.apply(event)
            unasked?.apply(event)
            if event.sequence.rawValue == UInt64(walk.history.count / 2) {
                revived = LedgerState(queue: folded.queue.image, statistics: folded.statistics, library: folded.library)
                #expect(revived == folded)
                unasked = LedgerState(queue: folded.queue.image, statistics: folded.statistics, library: folded.library)
                #expect(revived?.queue.invariantViolation() == nil)
            }
        }
        #expect(revived?.queue.invariantViolation() == nil)
        #expect(unasked == walk.state && unasked?.queue.invariantViolation() == nil)
        #expect(folded == walk.state)
        #expect(folded.hashValue == walk.state.hashValue)
        #expect(revived == walk.state, "a state revived halfway goes another way")
        #expect(revived?.queue.image == walk.state.queue.image)
        #expect(revived?.queue.counts == walk.state.queue.counts)
    }

    @Test(arguments: [UInt64(3), 4, 7]) func `a past that is folded at once comes to the same`(_ seed: UInt64) {
        var walk = RandomWalk(seed: seed)
        for _ in 0..<1000 { walk.step() }
        let half = walk.history.count / 2
        var (folded, broken) = (LedgerState(), LedgerState())
        folded.foldPast { state in for event in walk.history[..<half] { state.apply(event) } }
        #expect(throws: Broken.self) {
            try broken.foldPast { state throws(Broken) in
                for event in walk.history[..<half] { state.apply(event) }
                throw Broken()
            }
        }
        #expect(broken == folded && broken.queue.invariantViolation() == nil, "what was folded stands")
        #expect(folded.queue.invariantViolation() == nil)
        #expect(folded.catalog == catalog(of: folded.queue))
        folded.foldPast { state in for event in walk.history[half...] { state.apply(event) } }
        #expect(folded == walk.state && folded.queue.invariantViolation() == nil)
        #expect(folded.queue.image == walk.state.queue.image && folded.catalog == walk.state.catalog)
    }

    private struct Broken: Error {}

    private func catalog(of queue: Queue) -> Catalog {
        LedgerState(queue: queue.image, statistics: Statistics(), library: Library()).catalog
    }

    /// The catalog against what a person would count.
    private func checkEntries(_ state: LedgerState, _ note: Comment) {
        let finished = state.queue.downloads.filter { $0.phase.isFinished || $0.standing != nil }
        #expect(Array(state.catalog.files) == finished.map(\.id), note)
        var (groups, kinds) = ([String: Catalog.Usage](), [Kind: Catalog.Usage]())
        for download in finished where download.phase != .missing || download.standing != nil {
            let (file, group) = (download.shownFile, download.order.labels.value.group ?? "")
            let origin = download.standing.map(\.value.origin) ?? download.origin?.value
            let kind = Kind(mediaType: origin?.mediaType, name: file?.path ?? "")
            #expect(file != nil, note)
            groups[group, default: .init()].files += 1
            groups[group, default: .init()].bytes += file?.length ?? 0
            kinds[kind, default: .init()].files += 1
            kinds[kind, default: .init()].bytes += file?.length ?? 0
        }
        #expect(state.catalog.groups == groups && state.catalog.kinds == kinds, note)
        for path in Set(state.queue.downloads.compactMap { $0.shownFile?.path }) {
            let last = state.queue.downloads.filter { $0.shownFile?.path == path && $0.publishedIn != nil }
                .max { ($0.publishedIn ?? .zero) < ($1.publishedIn ?? .zero) }
            #expect(state.owner(of: path) == last?.id, note)
        }
    }

    private func statistics(of events: [(event: Recorded, host: String)]) -> Statistics {
        var (total, hosts, days) = (Statistics.Figures(), [String: Statistics.Figures](), [Int32: Statistics.Figures]())
        func count(_ change: (inout Statistics.Figures) -> Void, _ event: Recorded, _ host: String) {
            change(&total)
            change(&hosts[host, default: .init()])
            change(&days[event.time.day, default: .init()])
        }
        for (event, host) in events {
            switch event.event.kind {
            case .enqueued: count({ $0.enqueued += 1 }, event, host)
            case .failed:
                guard case .failed(let failure, _) = event.event, failure.code != .evicted else { continue }
                count({ $0.failures += 1 }, event, host)
            case .completed:
                guard case .completed(let identity) = event.event else { continue }
                count(
                    {
                        $0.completed += 1
                        $0.bytes += identity.length
                    }, event, host)
            case .resolved, .progressed, .verified, .paused, .resumed, .cancelled, .retried, .moved, .changed, .deleted,
                .restored, .missing, .altered, .found, .compacted, .checkpointed, .repaired, .redacted, .blamed,
                .rechecked, .unchanged, .used, .pinned, .relocated, .limited, .followed, .unfollowed, .listed,
                .delisted,
                .refreshed,
                .taken, .hooked, .delivered:
                continue
            }
        }
        return Statistics(total: total, hosts: hosts, days: days)
    }
}
