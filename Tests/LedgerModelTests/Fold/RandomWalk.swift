import LedgerModel
import LedgerTestSupport

/// A seeded walk of commands through a ledger's state: the same seed takes the same way for ever.
struct RandomWalk {
    private(set) var state = LedgerState()
    private(set) var history: [Recorded] = []
    private(set) var now = Fixture.now
    private(set) var refusals = 0
    private(set) var ids: [DownloadID] = []
    private var random: SplitMix64

    /// Whether commands about what fills the catalog are among them.
    private let keepsLibrary: Bool

    init(seed: UInt64, keepsLibrary: Bool = false) {
        random = SplitMix64(seed: seed)
        self.keepsLibrary = keepsLibrary
    }

    /// One command, most of which fit the state; the clock goes on, and sometimes back.
    mutating func step() {
        now = now.advanced(by: .milliseconds(Int64.random(in: -200...2000, using: &random)))
        let name = chance(3) ? CommandID(high: 0, low: UInt64(history.count)) : nil
        do throws(Rejection) {
            for proposed in try state.decide(command(), at: now, limits: limits(), running: running()).events {
                let event = proposed.recorded(after: state.sequence, at: now, command: name)
                state.apply(event)
                history.append(event)
                if case .enqueued = event.event { ids.append(DownloadID(event.sequence)) }
            }
        } catch { refusals += 1 }
    }

    /// Some leases as a pool might hold them: most current, some past.
    mutating func leases() -> Set<Lease> {
        let all = ids.compactMap { state.queue[$0] }.filter { $0.phase.mayRun || $0.id.rawValue % 5 == 0 }
        var leases: Set<Lease> = []
        for download in all where chance(6) {
            leases.insert(
                chance(4) && download.epoch > 0 ? Lease(download.id, epoch: download.epoch - 1) : download.lease)
        }
        return leases
    }

    /// A number below `bound`.
    mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }

    /// True once in `times`.
    mutating func chance(_ times: Int) -> Bool { below(times) == 0 }

    private mutating func command() -> Command {
        if keepsLibrary, chance(3) { return libraryCommand() }
        guard !ids.isEmpty, !chance(6) else {
            return .enqueue(order(), priority: Int32(below(3)) - 1, again: chance(4))
        }
        // Mostly the newest: the older ones have ended.
        let id = ids[max(0, ids.count - 1 - below(chance(4) ? ids.count : 40))]
        switch below(24) {
        case 0: return .pause(id)
        case 1: return .resume(id)
        case 2: return .cancel(id)
        case 3: return .retry(id)
        case 4: return .move(id, placement())
        case 5: return .change(id, change())
        case 6: return .delete(id, [.keepFile, .purge, .trash(path: "/trash/\(id)")][below(3)])
        case 7: return .undo(chance(2) ? nil : SequenceNumber(UInt64(below(history.count + 1))))
        case 8: return .observe(id, observation())
        case 9 where chance(2): return .expire(id)
        case 9: return .maintain(.compacted(through: state.sequence, archived: true))
        case 10: return .refresh(state.queue[id]?.order ?? order(), priority: 0)
        case 11: return .relocate(id, relocation())
        default: return .report(lease(of: id), (0...below(3)).map { _ in report(on: id) })
        }
    }

    private mutating func lease(of id: DownloadID) -> Lease {
        let epoch = state.queue[id]?.epoch ?? 0
        return Lease(id, epoch: chance(10) ? epoch + 1 : epoch)
    }

    mutating func order() -> Order {
        let host = ["one.example", "two.example", "three.example"][below(3)]
        let notBefore = chance(5) ? now.advanced(by: .seconds(Int64(below(20)))) : nil
        return Fixture.order(
            "file\(below(12)).\(["iso", "mp4", "pdf"][below(3)])", host: host, notBefore: notBefore,
            group: [nil, "films", "papers"][below(3)], window: chance(4) ? window() : nil)
    }

    /// Hours that are over or open within the minutes that a walk takes.
    private mutating func window() -> DailyWindow? {
        let texts = ["00:00-00:03", "00:02-00:20", "23:00-00:01", "12:00-13:00"]
        return DailyWindow(parsing: texts[below(texts.count)])
    }

    private mutating func change() -> OrderChange {
        let order = order()
        var change = OrderChange()
        if chance(2) { change.source = OrderChange.Source(url: order.url) }
        if chance(2) { change.bytesPerSecondMax = chance(2) ? .unset : .set(UInt64(below(3) + 1)) }
        if chance(2) { change.window = order.options.value.window.map { .set($0) } ?? .unset }
        if chance(3) { change.priority = Int32(below(3)) - 1 }
        change.notBefore = order.options.value.notBefore
        if chance(6) { change = OrderChange() }
        if chance(2) { change.labels.group = .set(["films", "papers"][below(2)]) }
        if chance(4) { change.labels.tags = ["seen"] }
        return change
    }

    private mutating func limits() -> Limits {
        Limits(queuedDownloadsMax: 60, queuePolicy: chance(8) ? [.evictOldest, .evictNewest][below(2)] : .refuse)
    }

    private mutating func running() -> Set<DownloadID> { Set(leases().map(\.id)) }

    private mutating func placement() -> Placement {
        switch below(4) {
        case 0: .first
        case 1: .last
        case 2: .index(below(5))
        default: .priority(Int32(below(3)) - 1)
        }
    }

    /// There and back again.
    mutating func relocation() -> Relocation {
        let relocation = Relocation(from: "/data", to: "/moved")
        return chance(2) ? relocation : relocation.inverse
    }

    private mutating func observation() -> Observation {
        switch below(3) {
        case 0: .missing
        case 1:
            .altered(Fixture.identity(length: UInt64(below(5)), inode: 9), sha256: chance(2) ? Fixture.digest(9) : nil)
        default: .found(Fixture.identity(), sha256: Fixture.digest(), path: path())
        }
    }

    private mutating func report(on id: DownloadID) -> Report {
        let generation = state.queue[id]?.generation ?? 0
        return switch below(9) {
        case 0, 1: .resolved(Fixture.origin(), generation: generation + UInt32(below(2)))
        case 2: .progressed(ByteRangeSet(UInt64(below(500))..<UInt64(500 + below(500))))
        case 3: .progressed(ByteRangeSet(0..<UInt64(500 + below(500))), sums: [UInt32(below(9))])
        case 4: .verified(length: 1000, sha256: Fixture.digest(UInt8(below(9))), path: path())
        case 5: .completed(Fixture.identity(length: 1000, inode: UInt64(below(9))))
        case 6: .failed(Fixture.lost, retryAt: chance(2) ? nil : now.advanced(by: .seconds(Int64(below(10)))))
        case 7: .unchanged
        default: .found(Fixture.identity(), sha256: Fixture.digest(), path: path())
        }
    }

    /// Few paths, so that downloads publish over each other.
    private mutating func path() -> String { "/data/\(below(10)).iso" }
}
