import LedgerAPI
import LedgerCoding
package import LedgerLog
import LedgerMigrations
package import LedgerModel
package import LedgerSystem

/// Reads the log beside whoever writes it.
struct EventSource: Sendable {
    let home: LedgerHome
    let world: World

    /// A stretch of the log.
    struct Page: Sendable {
        /// What there is to be read of it: none of what was redacted.
        var events: [Recorded] = []
        /// Up to where it goes.
        var through: SequenceNumber
    }

    /// The next stretch of events after a sequence, at most up to `last`. What a compaction took out of the log is read
    /// in the archive.
    /// - Throws: ``LedgerError/compacted(_:through:missing:)`` when it does not hold them.
    func events(
        after sequence: SequenceNumber, through last: SequenceNumber, eventsMax: Int
    ) async throws(LedgerError) -> Page {
        try await world.blocking.run { () throws(LedgerError) in
            var reader = try EventReader(home: home, fileSystem: world.fileSystem, after: sequence)
            if reader.baseSequence > sequence {
                reader = try EventReader(
                    home: home, fileSystem: world.fileSystem, after: sequence, through: sequence.next,
                    includingArchive: true)
            }
            let base = reader.baseSequence
            guard base <= sequence else {
                let away = reader.missing(of: sequence.next...sequence.next)
                throw .compacted(.sequence(sequence.next), through: base, missing: away)
            }
            // What was dropped behind a stretch of the archive is told when it comes to it.
            let end = reader.stretches.last { $0.contains(sequence.next) }?.upperBound ?? last
            var page = Page(through: sequence)
            while page.events.count < eventsMax, page.through < last, reader.end < end, let batch = try reader.next() {
                page.events += batch.events.prefix { $0.sequence <= last }
                page.through = min(batch.last, last)
            }
            if page.events.count > eventsMax {
                page.events.removeSubrange(eventsMax...)
                page.through = page.events[eventsMax - 1].sequence
            }
            // Nothing is there at all: nobody is to ask for it again and again.
            if page.through == sequence { page.through = last }
            return page
        }
    }
}

/// Reads events from a log that someone else may be writing, verifying checksums as it goes. Takes no lock.
package struct EventReader: Sendable {
    private var log: LogReader
    private var decoder = EventDecoder(upcasters: Migrations.upcasters)
    /// The records met whose content was redacted, ascending, 16 bytes for each run of them: what enqueued a download
    /// may be among them.
    private var redacted: [ClosedRange<SequenceNumber>] = []

    /// A batch as it stands in the log.
    package struct Batch: Sendable {
        /// The events this program knows.
        package fileprivate(set) var events: [Recorded] = []
        /// The first record of the batch.
        package fileprivate(set) var first = SequenceNumber.zero
        /// The last record of the batch, known or not.
        package fileprivate(set) var last = SequenceNumber.zero
        /// How many bytes it takes in the log.
        package fileprivate(set) var length = 0
        /// How many records' content was taken out of the log: redacted, or thinned by a compaction.
        package fileprivate(set) var hidden: UInt64 = 0
        /// The first that a compaction thinned; nil when there is none. No state can be folded past it.
        package fileprivate(set) var firstThinned: SequenceNumber?
        /// Whether any was redacted.
        package fileprivate(set) var isRedacted = false

        /// Room for the batches that are read one after the other.
        package init() {}

        /// Begins anew in the room that there is.
        fileprivate mutating func begin(_ stored: StoredBatch, after position: SequenceNumber) {
            events.removeAll(keepingCapacity: true)
            (first, last, length) = (max(stored.first, position.next), stored.last, stored.length)
            (hidden, firstThinned, isRedacted) = (0, nil, false)
        }

        fileprivate mutating func note(_ records: HiddenRecords, at sequence: SequenceNumber) {
            switch records.reason {
            case .thinned:
                hidden += records.count
                firstThinned = firstThinned ?? sequence
            case .redacted: noteRedacted(records.count)
            }
        }

        fileprivate mutating func noteRedacted(_ count: UInt64) {
            hidden += count
            isRedacted = true
        }

        /// Takes the event of this record out again where it is about what was redacted.
        fileprivate mutating func leaveOut(_ record: SequenceNumber, where isLeftOut: (Recorded) -> Bool) {
            guard let event = events.last, event.sequence == record, isLeftOut(event) else { return }
            events.removeLast()
            noteRedacted(1)
        }
    }

    /// A reader of the log in `home`, from the event after `sequence` on.
    ///
    /// - Parameters:
    ///   - roots: whether the tree's root in each batch is computed anew, too.
    ///   - last: the last event that is asked for; nil for the end.
    ///   - includingArchive: whether segments that compaction archived are read as well.
    ///   - root: what the snapshot of `sequence` vouches for, to be compared with the log.
    package init(
        home: LedgerHome, fileSystem: any FileSystem, after sequence: SequenceNumber, vouchedRoot root: TreeHash? = nil,
        through last: SequenceNumber? = nil, verifyingRoots roots: Bool = false, includingArchive: Bool = false
    ) throws(LedgerError) {
        do throws(LogError) {
            log = try LogReader(
                home: home.path, archive: home.archive, fileSystem: fileSystem, after: sequence, vouchedRoot: root,
                through: last, verifying: roots ? .roots : .checksums, includingArchive: includingArchive)
        } catch { throw .log(error) }
    }

    /// The ledger's identity, in hexadecimal.
    package var identity: String { log.identity.description }
    /// The last event before the first that can be read; zero when none was compacted away.
    package var baseSequence: SequenceNumber { log.baseSequence }
    /// The events that can be read one after the other, in ascending order, as ``LogReader/stretches`` says.
    package var stretches: [ClosedRange<SequenceNumber>] { log.stretches }
    /// The files of the archive that are away and hold any of these events, in ascending order.
    package func missing(of events: ClosedRange<SequenceNumber>) -> [String] { log.missing(of: events) }
    /// The sequence that the snapshot which stands for what was taken out is of; zero when nothing was.
    package var baseSnapshot: SequenceNumber { log.baseSnapshot }
    /// The last record that was read, or passed over before the place that reading began at.
    package var end: SequenceNumber { log.end }
    /// The tree's root at ``end``, in hexadecimal.
    package var root: String { log.root.description }
    /// The bytes behind ``end`` that nobody was told are recorded; known once ``next()`` has returned nil.
    package var tailBytes: UInt64 { log.tailBytes }

    /// Compares the root where reading begins with what the snapshot of there vouches for; reads nothing behind it.
    package mutating func checkSnapshot() throws(LedgerError) {
        do throws(LogError) { try log.checkSnapshot() } catch { throw .log(error) }
    }

    /// The next batch; nil at the durable end. May be called again later, when there is more.
    package mutating func next() throws(LedgerError) -> Batch? {
        var batch = Batch()
        return try next(into: &batch) ? batch : nil
    }

    /// Reads the next batch into the room of one that is no longer needed, so that a million of them make no list each.
    /// - Returns: false at the durable end.
    package mutating func next(into batch: inout Batch) throws(LedgerError) -> Bool {
        let stored: StoredBatch?
        let position = log.position
        do throws(LogError) { stored = try log.next() } catch { throw .log(error) }
        guard let stored else { return false }
        batch.begin(stored, after: position)
        let bytes = stored.bytes.span
        var walk = stored.walk
        while let record = walk.next(in: bytes) {
            if let hidden = record.hidden(in: bytes) {
                batch.note(hidden, at: record.sequence)
                if hidden.reason == .redacted { noteRedacted(hidden, at: record.sequence) }
                continue
            }
            do throws(CodingError) {
                try decoder.decode(
                    type: record.type, version: record.version, payload: bytes.extracting(record.payload),
                    sequence: record.sequence, time: record.time, into: &batch.events)
                if !redacted.isEmpty { batch.leaveOut(record.sequence, where: isOfRedacted) }
            } catch { throw .coding(error) }
        }
        #if PLANTED_BUGS
            if PlantedBug.holeInSequence.isOn, batch.events.count > 2 { batch.events.remove(at: 1) }
        #endif
        return true
    }

    private mutating func noteRedacted(_ records: HiddenRecords, at first: SequenceNumber) {
        let last = SequenceNumber(first.rawValue + records.count - 1)
        if let before = redacted.last, before.upperBound.next == first {
            redacted[redacted.count - 1] = before.lowerBound...last
        } else {
            redacted.append(first...last)
        }
    }

    /// Whether an event is about a download whose order was met redacted, though its own content is there still: a
    /// redaction is under way, or was cut short, or did not reach a segment that was away. It is passed over as if it
    /// had been.
    private func isOfRedacted(_ event: Recorded) -> Bool {
        guard let order = event.id?.sequence else { return false }
        let place = redacted.prefixLength { $0.upperBound < order }
        return place < redacted.count && redacted[place].contains(order) && event.event.kind != .redacted
    }
}
