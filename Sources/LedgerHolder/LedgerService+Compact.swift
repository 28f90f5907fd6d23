import LedgerAPI
import LedgerEngine
import LedgerModel
import LedgerSystem

/// When a ledger that is held for long compacts itself.
package struct CompactionSchedule: Hashable, Sendable {
    /// How long the log is at least before it is looked at, in bytes; nil for never.
    package var logBytesMin: UInt64? = 256 << 20
    /// How long between two looks.
    package var pause = Duration.seconds(60)
    /// How many bytes of the log are read in a second at most, so that downloads do not notice.
    package var bytesPerSecondMax: UInt64 = 20 << 20

    /// The usual schedule: from 256 MiB on, a look every minute.
    package init() {}
}

extension LedgerService {
    /// Compacts the log again and again while the ledger is held, when it is long and more than half of it would go,
    /// and sweeps the secrets when they have doubled.
    /// Ends when the ledger closes or the task is cancelled.
    func compactWhenWorthIt() async {
        var looked: UInt64 = 0
        var (seen, known) = (SequenceNumber.zero, compaction.withLock { $0 })
        let pause = configuration.compaction.pause
        // A log that nothing was added to is worth no look, but for another schedule.
        func mayBeWorthIt() async {
            await ledger.waitForEvents(after: seen, atMost: nil) { [compaction, known] in
                await compaction.wait { $0 != known }
            }
        }
        func compactOnce() async throws(LedgerError) {
            let (last, schedule) = (ledger.lastSequence, compaction.withLock { $0 })
            (seen, known) = (last, schedule)
            let length = await ledger.logByteCount
            // Looking reads all of it, so it has to have grown by a part worth it.
            guard let least = schedule.logBytesMin, length >= least, length >= looked + least / 4 || length < looked
            else { return }
            looked = length
            var request = CompactRequest()
            request.bytesPerSecondMax = schedule.bytesPerSecondMax
            request.isDryRun = true
            let dry = try await ledger.compact(request)
            guard dry.bytesAfter < dry.bytesBefore / 2 else { return }
            request.isDryRun = false
            looked = try await ledger.compact(request).bytesAfter
        }
        await ledger.tend(every: pause, report: configuration.notice, when: mayBeWorthIt) { () throws(LedgerError) in
            // It makes room on a full disk, which a sweep needs.
            let compacted: Result<Void, LedgerError>
            do throws(LedgerError) { compacted = .success(try await compactOnce()) } catch {
                compacted = .failure(error)
            }
            if secrets.isWorthSweeping { try await ledger.sweep(secrets) }
            try compacted.get()
        }
    }
}
