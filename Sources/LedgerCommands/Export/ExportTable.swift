import LedgerAPI
import LedgerEngine
import LedgerModel
import LedgerSystem

/// Rows of a ledger at one moment, and which moment that is.
struct ExportTable: Sendable {
    /// The rows.
    let rows: [DownloadRow]
    /// The ledger, in hexadecimal.
    let ledger: String
    /// The last event that is counted.
    let sequence: SequenceNumber
    /// When that was recorded; nil before the first.
    let time: Timestamp?
    /// The root of the log there, in hexadecimal; nil within a batch.
    let root: String?
    /// The digest of the state there.
    let digest: Digest
    /// When it was exported.
    let exportedAt: Timestamp
}

extension LedgerSession {
    /// The rows that are asked for, from the log, with the moment they are of.
    func table(_ query: ListQuery) async throws(Problem) -> ExportTable {
        let (home, world) = (home, context.world)
        let now = world.clock.now()
        return try await blocking { () throws(LedgerError) in
            let state = try LedgerReading(home: home, world: world).state(at: query.at)
            var reader = try EventReader(
                home: home, fileSystem: world.fileSystem,
                after: SequenceNumber(max(1, state.sequence.rawValue) - 1), through: state.sequence,
                includingArchive: true)
            let identity = reader.identity
            var (time, root): (Timestamp?, String?)
            if state.sequence == .zero || reader.end == state.sequence {
                root = reader.root
            } else if let batch = try reader.next() {
                time = batch.events.first { $0.sequence == state.sequence }?.time
                root = batch.last == state.sequence ? reader.root : nil
            }
            return ExportTable(
                rows: rows(query, of: state),
                ledger: identity, sequence: state.sequence, time: time, root: root,
                digest: StateSnapshot.digest(of: state),
                exportedAt: now)
        }
    }
}
