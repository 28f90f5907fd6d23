import LedgerModel
import LedgerTestSupport

/// How one download goes: drawn from its id, so that nothing of it need be remembered.
struct Life: Sendable {
    private enum Fate {
        case plain
        /// So many attempts break off after this many steps.
        case breaks(times: UInt32, after: UInt64)
        /// Never gets an answer.
        case dead
    }

    private let fate: Fate
    /// How many times progress is recorded.
    private let steps: UInt64
    /// How many ranges are fetched at once.
    private let ranges: UInt64
    /// The bytes that each range grows by in a step.
    private let unit: UInt64
    private let mark: UInt64

    private var length: UInt64 { steps == 0 ? unit : steps * ranges * unit }

    init(of download: Download, _ scale: LogScale) {
        var chance = scale.chance(.lives, download.id.rawValue)
        // Enqueued, resolved, verified, completed, and what people and failures add. A little more than there is room
        // for: some of the queue is left in the end.
        let spare = max(0, scale.eventsPerDownload * 1.12 - 4.6)
        let isSmall = spare == 0 || chance.isOnce(in: 4)
        steps = isSmall ? 0 : UInt64.random(in: 0...UInt64((spare * 8 / 3).rounded()), using: &chance)
        ranges = steps > 3 && chance.isOnce(in: 3) ? UInt64.random(in: 2...4, using: &chance) : 1
        unit = UInt64.random(in: 10_000...2_000_000, using: &chance)
        mark = chance.next()
        switch Int.random(in: 0..<100, using: &chance) {
        case 0..<2: fate = .dead
        case 2..<9:
            fate = .breaks(
                times: UInt32.random(in: 1...3, using: &chance), after: UInt64.random(in: 0...steps, using: &chance))
        default: fate = .plain
        }
    }

    /// What the worker of the download tells next.
    func reports(of download: Download, at now: Timestamp) -> [Report] {
        if download.standing != nil { return [.unchanged] }
        if download.phase == .publishing { return [.completed(identity(download, now))] }
        switch fate {
        case .dead: return [.failed(Failure(.nameNotResolved, "no such host", isRetryable: false), retryAt: nil)]
        case .breaks(let times, let step):
            if download.failuresTotal < times, stepsDone(download) == step, download.generation > 0 {
                return [broken(download, now)]
            }
        case .plain: break
        }
        let answer: [Report] = download.generation == 0 ? [.resolved(origin(download), generation: 1)] : []
        let done = stepsDone(download)
        guard done < steps else { return answer + [verified(download)] }
        return answer + [.progressed(durable(after: done + 1), sums: sums(after: done + 1))]
    }

    /// How far it has come; whatever began it anew began the steps anew.
    private func stepsDone(_ download: Download) -> UInt64 {
        guard let first = download.durable.ranges.first else { return 0 }
        return min(steps, (first.upperBound - first.lowerBound) / unit)
    }

    private func durable(after step: UInt64) -> ByteRangeSet {
        ByteRangeSet((0..<ranges).map { range in range * steps * unit..<range * steps * unit + step * unit })
    }

    private func sums(after step: UInt64) -> RangeSums {
        RangeSums(durable(after: step).ranges.map { UInt32(truncatingIfNeeded: mark &* ($0.upperBound | 1) >> 16) })
    }

    private func origin(_ download: Download) -> Origin {
        let name = download.order.plannedName
        var origin = Origin(
            url: download.order.url, length: length, validator: .entityTag("\"\(String(mark, radix: 16))\""),
            acceptsRanges: ranges > 1 || mark % 4 != 0, mediaType: OrderMaker.mediaType(of: name),
            suggestedName: name)
        if mark % 3 == 0 { origin.lastModified = "Tue, 03 Mar 2026 10:11:12 GMT" }
        return origin
    }

    private func verified(_ download: Download) -> Report {
        let destination = download.order.destination
        let sum = download.order.expected ?? OrderMaker.digest(mark)
        return .verified(length: length, sha256: sum, path: destination.path(of: download.order.plannedName))
    }

    private func identity(_ download: Download, _ now: Timestamp) -> FileIdentity {
        FileIdentity(
            length: length, modifiedNanoseconds: now.milliseconds * 1_000_000, inode: download.id.rawValue + 1_000)
    }

    private func broken(_ download: Download, _ now: Timestamp) -> Report {
        let failure =
            mark % 2 == 0
            ? Failure(.connectionLost, "the origin closed the connection in the middle", isRetryable: true)
            : Failure(.status, "the origin answered 503 Service Unavailable", isRetryable: true, status: 503)
        let wait = Duration.seconds(Int64(1) << Int64(min(download.failuresTotal, 8)))
        return .failed(failure, retryAt: now.advanced(by: wait))
    }
}
