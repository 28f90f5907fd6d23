import LedgerAPI
import LedgerCoding
import LedgerEngine
import LedgerHolder
import LedgerLog
import LedgerModel
import LedgerViews

/// What `replay --raw` does: shows what the files of the log hold, byte by byte, and carries on past damage.
struct RawPlayer: Sendable {
    /// The ledger, and where to show it.
    let session: LedgerSession
    /// The first record that is shown; the first of all when nil.
    let from: LogPoint?
    /// The last record that is shown; the last of all when nil.
    let to: LogPoint?

    /// How many bytes are read before they are shown; at least one batch is.
    static let bytesAtOnce: UInt64 = 1 << 20

    /// Shows the files, and then verifies the log.
    /// - Throws: ``Exit`` with the code of `verify` when it finds anything.
    func run() async throws {
        let (home, fileSystem) = (session.home, session.context.world.fileSystem)
        let (from, to) = (from, to)
        let view = RawView { Self.isWithin($0, from, to) }
        var reader = try await session.blocking { () throws(LedgerError) in
            do throws(LogError) {
                return try RawReader(home: home.path, archive: home.archive, fileSystem: fileSystem)
            } catch { throw .log(error) }
        }
        var damaged: UInt64 = 0
        while true {
            let start = reader
            let (next, items) = try await session.blocking { () throws(LedgerError) in try Self.read(start) }
            guard !items.isEmpty else { break }
            reader = next
            for case .damage(let extent, _) in items { damaged += extent.length }
            try session.console.print(
                items.flatMap { session.isJSON ? view.json($0).map(\.description) : view.lines($0) })
        }
        if damaged > 0 { session.console.note("\(Figures.counted(damaged, "byte")) are nothing whole") }
        let report = try await session.blocking { () throws(LedgerError) -> VerificationReport? in
            var verifier = LogVerifier(home: home.path, fileSystem: fileSystem)
            do throws(LogError) { return try verifier.run() } catch {
                // An archive alone: what was shown of it is all there is to say.
                if error.code == .absent { return nil }
                throw .log(error)
            }
        }
        guard let report else {
            if damaged > 0 { throw Exit(code: .corruption) }
            return
        }
        let verdict = VerificationView(report)
        for line in verdict.lines { session.console.note(line) }
        if verdict.exitCode != .done { throw Exit(code: verdict.exitCode) }
    }

    private static func read(_ start: RawReader) throws(LedgerError) -> (RawReader, [RawItem]) {
        var reader = start
        var (items, bytes): ([RawItem], UInt64) = ([], 0)
        do throws(LogError) {
            while bytes < bytesAtOnce, let item = try reader.next() {
                items.append(item)
                if case .batch(let batch) = item { bytes += batch.extent.length }
            }
        } catch { throw .log(error) }
        return (reader, items)
    }

    private static func isWithin(_ record: StoredRecord, _ from: LogPoint?, _ to: LogPoint?) -> Bool {
        switch from {
        case .sequence(let sequence)? where record.sequence < sequence: return false
        case .time(let time)? where record.time < time: return false
        case .sequence?, .time?, nil: break
        }
        switch to {
        case .sequence(let sequence)?: return record.sequence <= sequence
        case .time(let time)?: return record.time <= time
        case nil: return true
        }
    }
}
