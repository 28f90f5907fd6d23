package import LedgerAPI
import LedgerCoding
package import LedgerLog
import LedgerModel
import LedgerSystem
package import SystemPackage

extension Ledger {
    /// The size and the root of what is durable now.
    package func checkpoint() throws(LedgerError) -> Checkpoint {
        commit()
        try requireOpen()
        guard let checkpoint = log?.checkpoint else { throw .closed }
        return checkpoint
    }
}

/// Writes checkpoints of a ledger into a directory of the user's choice, now and then, each in a file named by its
/// size, and records that it did.
package actor CheckpointKeeper {
    private let ledger: Ledger
    private let directory: FilePath
    /// The event that recorded the newest checkpoint; nil before the first look.
    private var recorded: SequenceNumber?

    /// A keeper of checkpoints of `ledger` in `directory`, an absolute path; it is made when it is not there.
    package init(ledger: Ledger, directory: FilePath) {
        self.ledger = ledger
        self.directory = directory
    }

    /// Writes a checkpoint each `period` until the task is cancelled; `report` is told of each that could not be
    /// written: the next one is tried all the same.
    package func run(every period: Duration, report: @Sendable (Problem) -> Void) async {
        await ledger.tend(every: period, report: report) { () throws(LedgerError) in try await write() }
    }

    /// Writes a checkpoint of what is durable, if the log grew since the last one by more than that one's event.
    /// - Returns: the checkpoint, whose file is durable under its name and on record; nil when there was no need.
    /// - Throws: ``LedgerError`` `.file` when the directory takes no file; those of ``Ledger/execute(_:)``.
    @discardableResult
    package func write() async throws(LedgerError) -> Checkpoint? {
        let checkpoint = try await ledger.checkpoint()
        let size = SequenceNumber(checkpoint.head.size)
        guard size > .zero, try await size != lastRecorded(before: size) else { return nil }
        let (directory, world) = (directory, ledger.world)
        let path = directory.appending(checkpoint.fileName)
        do throws(FileError) {
            try await world.blocking.run { () throws(FileError) in
                let fileSystem = world.fileSystem
                try fileSystem.createDurableDirectory(directory, permissions: 0o755)
                // It is made to be handed out: everybody may read it.
                try fileSystem.replaceContents(of: path, with: Array(checkpoint.text.utf8), permissions: 0o644)
            }
        } catch { throw .file(error) }
        guard let root = Digest(.sha256, checkpoint.head.root.bytes) else {
            preconditionFailure("SHA-256 has 32 bytes")
        }
        let command = Command.maintain(.checkpointed(size: checkpoint.head.size, root: root))
        let outcomes = try await ledger.execute([Submission(command, id: nil, actor: .maintenance)])
        if case .recorded(let events)? = outcomes.first { recorded = events.last?.sequence }
        return checkpoint
    }

    /// The event that recorded the newest checkpoint, as far as it matters: when the log ends with one, of a file that
    /// is still there, an earlier run wrote it.
    private func lastRecorded(before size: SequenceNumber) async throws(LedgerError) -> SequenceNumber? {
        if let recorded { return recorded }
        let (home, world, directory) = (ledger.home, ledger.world, directory)
        let isCovered = try await world.blocking.run { () throws(LedgerError) in
            var reader = try EventReader(home: home, fileSystem: world.fileSystem, after: size.previous)
            guard let event = try reader.next()?.events.first, case .checkpointed(let covered, _) = event.event else {
                return false
            }
            let path = directory.appending(Checkpoint.fileName(covered))
            do throws(FileError) { return try world.fileSystem.status(of: path) != nil } catch { throw .file(error) }
        }
        recorded = isCovered ? size : .zero
        return recorded
    }
}
