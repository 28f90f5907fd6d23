public import FoundationEssentials
import LedgerCoding
import LedgerEngine
import LedgerHolder
import LedgerModel

/// What happened, as it stands in the log.
///
/// ```swift
/// for try await event in ledger.events(after: lastSeen) where event.type == "completed" {
///     audit("\(event.sequence) \(event.time): download \(event.download?.description ?? "-")")
/// }
/// ```
public struct LedgerEvent: Hashable, Sendable, Identifiable {
    /// Its place in the log, from 1 on, without a gap.
    public let sequence: UInt64
    /// When it was recorded, by the wall clock, to the millisecond. The order is that of ``sequence``, whatever the
    /// clock said.
    public let time: Date
    /// What happened: `enqueued`, `resolved`, `progressed`, `verified`, `completed`, `failed`, `paused`, `resumed`,
    /// `cancelled`, `retried`, `moved`, `deleted`, `restored`, `missing`, `altered`, `found` and so on. Words never get
    /// another meaning; there may be new ones.
    public let type: String
    /// The download it is about; nil for events about the log itself.
    public let download: Download.ID?
    /// Whether a file went because its group held too much, see ``DownloadLedger/keep(newestMax:bytesMax:in:)``.
    public let isEviction: Bool
    /// Who caused it: `api` (this app), `worker` (a transfer), `maintenance` (the ledger itself: an eviction, say),
    /// `cli` (the program `ledger`), `feed` (a listing that is followed).
    public let actor: String
    /// All of it, as a line of JSON: what `ledger replay --json` prints.
    public let json: String

    /// Its place in the log tells it from every other.
    public var id: UInt64 { sequence }
}

extension DownloadLedger {
    /// Every event behind a place in the log, those recorded and then those to come; ends when the ledger is closed or
    /// the task is cancelled.
    ///
    /// ```swift
    /// for try await event in ledger.events(after: lastSeen) {
    ///     audit(event.json)
    ///     lastSeen = event.sequence
    /// }
    /// ```
    ///
    /// What was compacted away (older than 90 days, once the log is longer than 256 MiB) is read in the archive.
    /// Nothing is left out but what neither holds any longer: what was dropped, or redacted.
    /// ``LedgerEvent/sequence`` then is more than one higher than before.
    /// - Parameter sequence: the ``LedgerEvent/sequence`` of the last event that is known already; 0 for none.
    /// - Returns: a stream for one reader, that throws ``DownloadError``: `corrupted`, `disk`.
    public func events(after sequence: UInt64 = 0) -> AsyncThrowingStream<LedgerEvent, any Error> {
        let iterator = EventIterator(service.ledger, after: SequenceNumber(sequence))
        return AsyncThrowingStream { try await iterator.next() }
    }
}

/// One event after the other; the next batch is asked for when the last was read.
private actor EventIterator {
    private let ledger: Ledger
    private var batches: Subscription.Iterator
    private var rest: ArraySlice<Recorded> = []

    init(_ ledger: Ledger, after sequence: SequenceNumber) {
        self.ledger = ledger
        batches = ledger.events(after: sequence).makeAsyncIterator()
    }

    func next() async throws(DownloadError) -> LedgerEvent? {
        while rest.isEmpty {
            var batches = batches
            do throws(LedgerError) {
                guard let batch = try await batches.next() else { return nil }
                rest = batch[...]
            } catch {
                guard case .compacted(_, let through, _) = error else { throw DownloadError(error) }
                // What is gone can not be told: the log goes on behind it.
                batches = ledger.events(after: through).makeAsyncIterator()
            }
            self.batches = batches
        }
        return rest.popFirst().map(LedgerEvent.init)
    }
}

extension LedgerEvent {
    init(_ event: Recorded) {
        sequence = event.sequence.rawValue
        time = Date(event.time)
        type = event.event.kind.name
        download = event.id.map { Download.ID($0.rawValue) }
        actor = event.actor.name
        if case .deleted(.evicted) = event.event { isEviction = true } else { isEviction = false }
        json = event.json.description
    }
}
