import LedgerAPI
import LedgerLog
package import LedgerModel
import LedgerTransfer

/// Everything that the log holds about one download.
package struct Story: Sendable {
    /// The events about it, in order.
    package let events: [Recorded]
    /// As it is after the last event of the log.
    package let download: Download
    /// The last event of the log.
    package let end: SequenceNumber
    /// The last event that can no longer be read; zero when all can. What stands in the archive from the download's
    /// first event on, and from before what was dropped, is told all the same.
    package let base: SequenceNumber
    /// As it was after ``base``; nil when it was enqueued later, or when that is not known either.
    package let before: Download?
    /// Whether a compaction took events out between the first and the last of it, as it does with those that tell how
    /// bytes came in, and the archive is not at hand.
    package let isThinned: Bool
    /// Where its part file stands, or stood; nil before the origin first answered.
    package let partPath: String?

    /// Reads the log from the event that made the download on, its archive included where that is at hand. Blocks;
    /// takes no lock.
    /// - Parameter isStopped: whether nobody waits for it any more; asked once a batch, and then ``LedgerError/closed``
    ///   is thrown.
    /// - Returns: nil when there is no such download.
    /// - Throws: ``LedgerError`` when the log can not be read.
    package static func read(
        _ id: DownloadID, home: LedgerHome, world: World, isStopped: @escaping @Sendable () -> Bool = { false }
    ) throws(LedgerError) -> Story? {
        let reading = LedgerReading(home: home, world: world, isStopped: isStopped)
        let told: Told
        do throws(LedgerError) {
            told = try Told(id, home, world, includingArchive: true, isStopped)
        } catch {
            guard case .log(let cause) = error, cause.code == .missing || cause.code == .dropped else { throw error }
            told = try Told(id, home, world, includingArchive: false, isStopped)
        }
        let state = try reading.state(at: .sequence(told.end))
        guard let download = state.queue[id] else { return nil }
        let isCut = told.base.rawValue >= id.rawValue
        let before = isCut ? try reading.download(id, after: told.base) : nil
        var part: String?
        if download.generation > 0 {
            let identity: LedgerID
            do throws(LogError) {
                identity = try LogReader(home: home.path, fileSystem: world.fileSystem).identity
            } catch { throw .log(error) }
            let prefix = String(identity.description.prefix(PartName.ledgerPrefixDigits))
            part = PartName.path(of: download, ledgerPrefix: prefix, generation: download.generation)
        }
        return Story(
            events: told.events, download: download, end: told.end, base: isCut ? told.base : .zero, before: before,
            isThinned: told.isThinned, partPath: part)
    }

    /// The event by which a download was redacted; nil when it was not. Reads the log; blocks.
    package static func redaction(
        of id: DownloadID, home: LedgerHome, world: World
    ) throws(LedgerError) -> Recorded? {
        try Told(id, home, world, includingArchive: false) { false }.events.last { $0.event.kind == .redacted }
    }

    /// What the log tells, and the archive from before what was dropped.
    private struct Told {
        private(set) var events: [Recorded] = []
        let base: SequenceNumber
        private(set) var end = SequenceNumber.zero
        private var thinned: [SequenceNumber] = []

        var isThinned: Bool {
            let last = events.last?.sequence ?? .zero
            return thinned.contains { $0 < last }
        }

        init(
            _ id: DownloadID, _ home: LedgerHome, _ world: World, includingArchive: Bool, _ isStopped: () -> Bool
        ) throws(LedgerError) {
            let order = SequenceNumber(id.rawValue)
            let reader = try EventReader(
                home: home, fileSystem: world.fileSystem, after: order.previous, includingArchive: includingArchive)
            base = reader.baseSequence
            if let earlier = reader.stretches.dropLast().last(where: { $0.contains(order) }) {
                let archive = try EventReader(
                    home: home, fileSystem: world.fileSystem, after: order.previous, through: earlier.upperBound,
                    includingArchive: true)
                try take(id, archive, through: earlier.upperBound, isStopped)
            }
            try take(id, reader, through: SequenceNumber(.max), isStopped)
        }

        private mutating func take(
            _ id: DownloadID, _ start: EventReader, through last: SequenceNumber, _ isStopped: () -> Bool
        ) throws(LedgerError) {
            var reader = start
            while reader.end < last, let batch = try reader.next() {
                guard !isStopped() else { throw .closed }
                events += batch.events.lazy.filter { $0.id == id }
                if let first = batch.firstThinned { thinned.append(first) }
            }
            end = reader.end
        }
    }
}

extension LedgerReading {
    /// A download as it was after an event; nil when no snapshot reaches back so far.
    fileprivate func download(_ id: DownloadID, after sequence: SequenceNumber) throws(LedgerError) -> Download? {
        do throws(LedgerError) {
            return try state(at: .sequence(sequence)).queue[id]
        } catch {
            guard case .compacted = error else { throw error }
            return nil
        }
    }
}
