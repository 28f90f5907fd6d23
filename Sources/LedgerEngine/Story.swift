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
    /// The last event that can no longer be read; zero when all can.
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

    /// What one pass over the log tells.
    private struct Told {
        var events: [Recorded] = []
        let base: SequenceNumber
        let end: SequenceNumber
        let isThinned: Bool

        init(
            _ id: DownloadID, _ home: LedgerHome, _ world: World, includingArchive: Bool, _ isStopped: () -> Bool
        ) throws(LedgerError) {
            var reader = try EventReader(
                home: home, fileSystem: world.fileSystem, after: SequenceNumber(id.rawValue - 1),
                includingArchive: includingArchive)
            base = reader.baseSequence
            var thinned: [SequenceNumber] = []
            while let batch = try reader.next() {
                guard !isStopped() else { throw .closed }
                events += batch.events.lazy.filter { $0.id == id }
                if let first = batch.firstThinned { thinned.append(first) }
            }
            end = reader.end
            let last = events.last?.sequence ?? .zero
            isThinned = thinned.contains { $0 < last }
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
