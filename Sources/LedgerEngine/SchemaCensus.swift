import LedgerCoding
import LedgerLog
package import LedgerModel
import LedgerSystem

/// What versions a ledger is written in. Blocks; takes no lock.
package struct SchemaCensus: Hashable, Sendable {
    /// The records of one type and version.
    package struct Count: Hashable, Sendable {
        /// The type byte.
        package let type: UInt8
        /// The schema version.
        package let version: UInt8
        /// How many.
        package internal(set) var records: UInt64

        /// What the program calls the type; nil for one it does not know.
        package var kind: Event.Kind? { Event.Kind(rawValue: type) }

        /// Whether an upcaster lifts them as they are read.
        package var isOlder: Bool { kind.map { version < EventCoding.version(of: $0) } ?? false }

        /// Whether only a later release can read them.
        package var isNewer: Bool {
            if let kind { return version > EventCoding.version(of: kind) }
            return type & EventCoding.ignorableBit == 0 && type != LogBounds.hiddenType
        }
    }

    /// The format of the log's files.
    package let format = LogBounds.format
    /// The counts, by type and version.
    package private(set) var counts: [Count] = []
    /// The last event.
    package private(set) var last = SequenceNumber.zero
    /// The newest snapshot that this program can begin with; nil when there is none.
    package private(set) var snapshot: SequenceNumber?
    /// The snapshots that were written under another version of the fold.
    package private(set) var snapshotsOfOtherVersions: [SequenceNumber] = []

    /// Reads a ledger, with its archive as far as it is at hand.
    /// - Throws: ``LedgerError/log(_:)``: no ledger, damage, or a format that is newer than this program.
    package init(home: LedgerHome, world: World) throws(LedgerError) {
        do throws(LogError) {
            var reader = try LogReader(home: home.path, fileSystem: world.fileSystem, includingArchive: true)
            var found: [UInt16: UInt64] = [:]
            while let batch = try reader.next() {
                for record in batch.records {
                    found[UInt16(record.type) << 8 | UInt16(record.version), default: 0] += 1
                }
            }
            counts = found.sorted { $0.key < $1.key }.map { key, records in
                Count(type: UInt8(key >> 8), version: UInt8(key & 0xFF), records: records)
            }
            last = reader.end
            let snapshots = reader.snapshots
            for sequence in try snapshots.sequences() {
                guard let stored = try snapshots.load(sequence) else { continue }
                if StateSnapshot.state(of: stored) != nil {
                    snapshot = sequence
                } else {
                    snapshotsOfOtherVersions.append(sequence)
                }
            }
        } catch { throw .log(error) }
    }

    /// How many records are older than what this program writes.
    package var olderRecords: UInt64 { counts.filter(\.isOlder).reduce(0) { $0 + $1.records } }

    /// Whether a later release wrote what this program can not read.
    package var isTooNew: Bool { counts.contains(where: \.isNewer) }

    /// Whether a snapshot would spare the next start what it has to lift or fold now.
    package var needsSnapshot: Bool {
        guard !isTooNew, olderRecords > 0 || !snapshotsOfOtherVersions.isEmpty else { return false }
        return last > snapshot ?? .zero
    }
}

extension SchemaCensus {
    /// Saves a snapshot of the present state, so that the next start has nothing old to read. The log is not rewritten.
    /// - Throws: ``LedgerError``: another process holds the ledger, it is damaged, or the disk failed or is full.
    package static func saveSnapshot(of home: LedgerHome, world: World) throws(LedgerError) -> SequenceNumber {
        var log = try FileEventLog.open(home, world)
        let state = try LedgerReading(home: home, world: world).state()
        do throws(LogError) {
            try log.save(state)
            try log.pruneSnapshots(keeping: Ledger.snapshotsMax)
        } catch { throw .log(error) }
        try log.close(state)
        return state.sequence
    }
}
