package import LedgerModel
package import LedgerSystem
package import SystemPackage

extension LogReader {
    /// Why the snapshot at `sequence`, which stands for what left the log, can not be folded on from; nil when it can.
    /// - Throws: ``LogError``, as ``next()`` does, of the log itself.
    package static func trouble(
        withSnapshot sequence: SequenceNumber, home: FilePath, fileSystem: any FileSystem
    ) throws(LogError) -> LogError? {
        let store = try LogReader(home: home, fileSystem: fileSystem).snapshots
        guard let snapshot = try store.load(sequence) else {
            return .missingSnapshot(sequence, isThere: try store.sequences().contains(sequence))
        }
        var reader = try LogReader(home: home, fileSystem: fileSystem, after: sequence, vouchedRoot: snapshot.root)
        do throws(LogError) { try reader.checkSnapshot() } catch {
            guard error.foreignSnapshotSequence != nil else { throw error }
            return error
        }
        return nil
    }

    /// ``trouble(withSnapshot:home:fileSystem:)`` of the one that the log names now; nil also when it names none.
    package static func troubleWithBase(home: FilePath, fileSystem: any FileSystem) throws(LogError) -> LogError? {
        while true {
            let base = try LogReader(home: home, fileSystem: fileSystem).baseSnapshot
            guard base > .zero,
                let trouble = try trouble(withSnapshot: base, home: home, fileSystem: fileSystem)
            else { return nil }
            // A compaction beside this has the log name a newer one, and then removes the one before.
            guard try LogReader(home: home, fileSystem: fileSystem).baseSnapshot > base else { return trouble }
        }
    }
}
