import LedgerCoding
import LedgerLog
import LedgerModel
import LedgerSystem

/// The long part of a compaction, done beside the ledger: copies into the archive, thinned segments, the snapshot. It
/// reads what is finished and makes new files beside it, so it holds nobody up, and may be cut short anywhere.
struct Compactor: Sendable {
    let world: World
    /// The durable state that will stand for what goes.
    let state: LedgerState
    /// How many bytes of the log are read in a second at most; nil for no limit.
    let bytesPerSecondMax: UInt64?
    /// Counts those bytes; nil when nobody looks on.
    let progress: WorkProgress?

    /// A segment is thinned when at least one of so many of its records would go.
    static let thinnedShareMin: UInt64 = 4

    /// Which of the segments that stay hold many records that nobody asks for any longer, and the bytes of those.
    func worthThinning(
        _ entries: [Manifest.Entry], _ compaction: Compaction
    ) async throws(LedgerError) -> (entries: [Manifest.Entry], bytes: UInt64) {
        let start = world.clock.uptime()
        var bytes: UInt64 = 0
        var worth: (entries: [Manifest.Entry], bytes: UInt64) = ([], 0)
        try await expect(entries, compaction)
        for entry in entries {
            let (spent, length) = try await world.blockingLog { () throws(LogError) in
                (
                    try compaction.count(compaction.inLog(entry), where: isSpent),
                    try compaction.byteCount(of: [entry])
                )
            }
            bytes += length
            try await wait(start, bytes, length)
            guard spent.records * Self.thinnedShareMin >= entry.count else { continue }
            worth.entries.append(entry)
            worth.bytes += spent.bytes
        }
        return worth
    }

    /// Makes the files that the compaction needs, each durable and read back.
    func prepare(_ compaction: Compaction) async throws(LedgerError) {
        let start = world.clock.uptime()
        var bytes: UInt64 = 0
        try await expect(compaction.archived + compaction.dropped + compaction.thinned, compaction)
        // What is damaged is not let go as if nothing had been: it is found, and told.
        for entry in compaction.dropped {
            let length = try await world.blockingLog { () throws(LogError) in
                try compaction.check(entry)
                return try compaction.byteCount(of: [entry])
            }
            bytes += length
            try await wait(start, bytes, length)
        }
        for entry in compaction.archived {
            var job = try await world.blockingLog { () throws(LogError) in try compaction.archiving(entry) }
            while true {
                let (next, count) = try await world.blockingLog { [job] () throws(LogError) in
                    var next = job
                    let count = try next.step()
                    return (next, count)
                }
                job = next
                guard count > 0 else { break }
                bytes += UInt64(count)
                try await wait(start, bytes, UInt64(count))
            }
            try await world.blockingLog { [job] () throws(LogError) in
                var last = job
                try last.finish()
            }
        }
        for entry in compaction.thinned {
            _ = try await world.blockingLog { () throws(LogError) in
                try compaction.thin(compaction.inLog(entry), as: .thinned, hiding: isSpent)
            }
            let length = try await world.blockingLog { () throws(LogError) in
                try compaction.byteCount(of: [entry])
            }
            bytes += length
            try await wait(start, bytes, length)
        }
    }

    /// Whether a record tells of bytes that were received for a download which has ended since: what became of it is
    /// told by later records. A record that can not be read is none of these.
    func isSpent(_ record: StoredRecord) -> Bool {
        guard record.type == Event.Kind.progressed.rawValue, let id = EventDecoder.download(in: record.payload),
            let download = state.queue[id]
        else { return false }
        switch download.phase {
        case .completed, .missing, .altered: return download.publishedIn.map { $0 > record.sequence } ?? false
        case .cancelled, .deleted: return true
        case .queued, .waiting, .paused, .publishing, .failed: return false
        }
    }

    private func expect(_ entries: [Manifest.Entry], _ compaction: Compaction) async throws(LedgerError) {
        guard let progress else { return }
        progress.expect(
            try await world.blockingLog { () throws(LogError) in try compaction.byteCount(of: entries) })
    }

    /// Counts bytes that were read, and waits as long as so many since `start` take at the most.
    private func wait(_ start: Duration, _ bytes: UInt64, _ latest: UInt64) async throws(LedgerError) {
        progress?.advance(latest)
        guard let rate = bytesPerSecondMax, rate > 0 else { return }
        let due = start + .seconds(Double(bytes) / Double(rate))
        do { try await world.clock.sleep(until: due) } catch { throw .closed }
    }
}

extension World {
    /// Does what blocks on the log beside the ledger's own thread.
    func blockingLog<Answer: Sendable>(
        _ body: @escaping @Sendable () throws(LogError) -> Answer
    ) async throws(LedgerError) -> Answer {
        do throws(LogError) { return try await blocking.run(body) } catch { throw .log(error) }
    }
}
