import LedgerAPI
import LedgerCoding
import LedgerEngine
import LedgerLog
import LedgerModel
import LedgerSystem

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
        let (home, fileSystem) = (session.home.path, session.context.world.fileSystem)
        let (from, to) = (from, to)
        let view = RawView { Self.isWithin($0, from, to) }
        var reader = try await session.blocking { () throws(LedgerError) in
            do throws(LogError) { return try RawReader(home: home, fileSystem: fileSystem) } catch { throw .log(error) }
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
        try await noteArchive()
        if damaged > 0 { session.console.note("\(Figures.counted(damaged, "byte")) are nothing whole") }
        let report = try await session.blocking { () throws(LedgerError) in
            var verifier = LogVerifier(home: home, fileSystem: fileSystem)
            do throws(LogError) { return try verifier.run() } catch { throw .log(error) }
        }
        let verdict = VerificationView(report)
        for line in verdict.lines { session.console.note(line) }
        if verdict.exitCode != .done { throw Exit(code: verdict.exitCode) }
    }

    /// Says what is not shown: packed bytes tell nobody anything.
    private func noteArchive() async throws(Problem) {
        let (home, fileSystem) = (session.home, session.context.world.fileSystem)
        let count = try await session.blocking { () throws(LedgerError) in
            let archive = home.archive ?? LogHome(home.path).archive
            do throws(FileError) {
                return try fileSystem.status(of: archive) == nil ? 0 : fileSystem.list(archive).count
            } catch { throw .file(error) }
        }
        guard count > 0 else { return }
        session.console.note(
            "\(Figures.counted(count, "segment")) in the archive \(count == 1 ? "is" : "are") not shown: 'gunzip -c' "
                + "gives the bytes, and 'ledger replay' without '--raw' reads them")
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
