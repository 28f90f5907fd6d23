import LedgerAPI
import LedgerCoding
import LedgerEngine
import LedgerHolder
import LedgerModel
import LedgerSystem
import LedgerViews

/// Writes the whole log up to a sequence as JSON, an event a line, verifying every root on the way. Blocks.
struct LogExporter: Sendable {
    /// The ledger.
    let home: LedgerHome
    /// Where it is.
    let fileSystem: any FileSystem
    /// The last sequence that is written.
    let last: SequenceNumber

    /// Hands over the lines.
    /// - Throws: a ``Problem`` of the log; what `put` throws.
    func write(_ put: (String) throws -> Void) throws -> ExportedLog.Summary {
        var reader = try reading { () throws(LedgerError) in
            try EventReader(
                home: home, fileSystem: fileSystem, after: .zero, verifyingRoots: true, includingArchive: true)
        }
        guard reader.baseSequence == .zero else { throw Self.incomplete(after: reader.baseSequence) }
        try put(ExportedLog.Header(ledger: reader.identity, last: last).json.description + "\n")
        var state = LedgerState()
        var gaps: UInt64 = 0
        var lines = LinesDigest()
        var root = last == .zero ? reader.root : nil
        while state.sequence < last {
            guard let batch = try reading({ () throws(LedgerError) in try reader.next() }) else {
                throw Problem(.pastEnd(.sequence(last), last: state.sequence))
            }
            // Of what a compaction thinned, only hashes are left: another state would come of it.
            if let thinned = batch.firstThinned, thinned <= last { throw Self.incomplete(after: reader.baseSnapshot) }
            for (sequence, event) in batch.entries(through: last) {
                try reading { () throws(LedgerError) in try state.take(event, at: sequence) }
                if event == nil { gaps += 1 }
                let line = (event?.json ?? ExportedLog.gapLine(sequence)).description + "\n"
                lines.take(line)
                try put(line)
            }
            root = batch.last == last ? reader.root : nil
        }
        let summary = ExportedLog.Summary(
            events: last.rawValue - gaps, gaps: gaps, last: last, root: root,
            digest: StateSnapshot.digest(of: state), linesDigest: lines.digest)
        try put(summary.json.description + "\n")
        return summary
    }

    private func reading<Answer>(_ body: () throws(LedgerError) -> Answer) throws(Problem) -> Answer {
        do throws(LedgerError) { return try body() } catch { throw Problem(error) }
    }

    /// What compaction dropped can not be had again, and without it the rest means nothing elsewhere.
    private static func incomplete(after base: SequenceNumber) -> Problem {
        Problem(
            .missing, "the log is whole only after event \(base): it can not be exported",
            cause: "what came before was compacted, and the archive that holds it is not here",
            next: "say where it is ('--archive DIR'), or export the state alone: --format csv, --format sqlite",
            exitCode: .missing)
    }
}
