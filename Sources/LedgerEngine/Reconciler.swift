import Crypto
package import LedgerModel
import LedgerSystem
import SystemPackage

/// Makes the disk follow the state, and tells the ledger where the disk has gone its own way.
///
/// Its effects follow from state, never from an event: a deletion that a crash cut short is done by the same code at
/// the next start. It touches only files that a download published and that still are what was published.
package actor Reconciler {
    /// How many downloads are looked at between two looks at the state.
    static let pageDownloadsMax = 4096

    private nonisolated let ledger: Ledger
    private nonisolated let assignments: AssignmentMaker
    /// What is being done; the next waits for it, so that each reads the state its predecessor left.
    private var last: Task<Void, Never>?

    /// A reconciler for a ledger.
    package init(ledger: Ledger, assignments: AssignmentMaker) {
        self.ledger = ledger
        self.assignments = assignments
    }

    /// Compares every download with the disk: at a start, and when asked.
    package func reconcileAll() async throws(LedgerError) {
        let ids = try await ledger.read { state in state.queue.downloads.keys.sorted() }
        for start in stride(from: 0, to: ids.count, by: Self.pageDownloadsMax) {
            try await settle(Array(ids[start..<min(start + Self.pageDownloadsMax, ids.count)]))
        }
    }

    /// Lets the disk follow what a batch of events left behind; returns once it has.
    package func follow(_ batch: [Recorded<Event>]) async throws(LedgerError) {
        let ids = Set(batch.lazy.filter { $0.event.mayMoveFiles }.compactMap(\.subject))
        if !ids.isEmpty { try await settle(ids.sorted()) }
    }

    private func settle(_ ids: [DownloadID]) async throws(LedgerError) {
        let (previous, ledger) = (last, ledger)
        let task = Task { () -> Result<Void, LedgerError> in
            await previous?.value
            do throws(LedgerError) {
                let subjects = try await ledger.read { state in ids.compactMap { Subject($0, in: state) } }
                let submissions = await ledger.world.blocking.run {
                    subjects.compactMap { subject in
                        self.observe(subject).map {
                            Submission(.observe(subject.download.id, $0), id: nil, actor: .maintenance)
                        }
                    }
                }
                if !submissions.isEmpty { _ = try await ledger.execute(submissions) }
                return .success(())
            } catch {
                return .failure(error)
            }
        }
        last = Task { _ = await task.value }
        try await task.value.get()
    }
}

/// A download with what its files depend on.
private struct Subject: Sendable {
    let download: Download
    /// Whether a later download published under the same path: the file there is that one's.
    let isSuperseded: Bool

    /// Nil for a download that can have no file to look at.
    init?(_ id: DownloadID, in state: LedgerState) {
        guard let download = state.queue[id], download.phase.concernsFiles else { return nil }
        self.download = download
        let owner = download.file.flatMap { state.catalog.owners[$0.value.path] }
        isSuperseded = owner.map { $0 != id } ?? false
    }
}

extension Phase {
    fileprivate var concernsFiles: Bool {
        switch self {
        case .completed, .missing, .altered, .cancelled, .deleted: true
        case .queued, .waiting, .paused, .publishing, .failed: false
        }
    }
}

extension Event {
    /// Whether the disk may have to follow.
    fileprivate var mayMoveFiles: Bool {
        switch self {
        case .cancelled, .deleted, .restored: true
        case .enqueued, .resolved, .progressed, .verified, .completed, .failed, .paused, .resumed, .retried, .moved,
            .changed, .missing, .altered, .found, .compacted, .checkpointed, .repaired, .redacted:
            false
        }
    }
}

// What follows blocks: it runs on the blocking threads.
extension Reconciler {
    private nonisolated var fileSystem: any FileSystem { ledger.world.fileSystem }

    /// Brings the files of one download where its state says, and returns what is otherwise. An error of the disk
    /// leaves the file as it is; the next start tries again.
    private nonisolated func observe(_ subject: Subject) -> Observation? {
        let download = subject.download
        do throws(FileError) {
            switch download.phase {
            case .cancelled:
                try removeParts(of: download)
                return nil
            case .deleted:
                try removeParts(of: download)
                if !subject.isSuperseded { try bringAway(download) }
                return nil
            case .completed, .missing, .altered:
                return subject.isSuperseded ? nil : try look(at: download)
            case .queued, .waiting, .paused, .publishing, .failed:
                return nil
            }
        } catch {
            return nil
        }
    }

    private nonisolated func removeParts(of download: Download) throws(FileError) {
        var removed = false
        // The generation after the last recorded one may stand there too: made, but never claimed.
        for generation in max(1, download.generation)...(download.generation + 1) {
            let path = FilePath(assignments.partPath(of: download, generation: generation))
            guard try fileSystem.status(of: path) != nil else { continue }
            try fileSystem.unlink(path)
            removed = true
        }
        if removed { try fileSystem.synchronizeDirectory(FilePath(download.order.destination.directory)) }
    }

    /// Does what a deletion says to the file, if it still is the one that was published.
    private nonisolated func bringAway(_ download: Download) throws(FileError) {
        guard let file = download.file?.value, let deletion = download.deletion?.value else { return }
        let path = FilePath(file.path)
        guard let status = try fileSystem.status(of: path), status.isSame(as: file.identity) else { return }
        switch deletion {
        case .keepFile:
            return
        case .trash(let target):
            let trash = FilePath(target)
            try fileSystem.createDirectory(trash.removingLastComponent(), permissions: 0o700)
            try fileSystem.rename(path, to: trash, replacing: false)
            try fileSystem.synchronizeDirectory(trash.removingLastComponent())
        case .purge:
            try fileSystem.unlink(path)
        }
        try fileSystem.synchronizeDirectory(path.removingLastComponent())
    }

    private nonisolated func look(at download: Download) throws(FileError) -> Observation? {
        guard let file = download.file?.value else { return nil }
        let path = FilePath(file.path)
        if let status = try fileSystem.status(of: path) {
            if status.isSame(as: file.identity) {
                return download.phase == .completed
                    ? nil : .found(status.identity, sha256: file.sha256, path: file.path)
            }
            guard status.kind == .regular else { return .missing }
            let sha256 = try hash(path)
            return sha256 == file.sha256
                ? .found(status.identity, sha256: file.sha256, path: file.path)
                : .altered(status.identity, sha256: sha256)
        }
        guard case .trash(let trash)? = download.deletion?.value,
            try fileSystem.status(of: FilePath(trash))?.isSame(as: file.identity) ?? false
        else { return .missing }
        // Its deletion was undone: it comes back to where it was.
        try fileSystem.rename(FilePath(trash), to: path, replacing: false)
        try fileSystem.synchronizeDirectory(path.removingLastComponent())
        return download.phase == .completed
            ? nil : try fileSystem.status(of: path).map { .found($0.identity, sha256: file.sha256, path: file.path) }
    }

    private nonisolated func hash(_ path: FilePath) throws(FileError) -> LedgerModel.Digest? {
        let file = try fileSystem.open(path, .read)
        defer { file.close() }
        var hasher = SHA256()
        var offset: UInt64 = 0
        while true {
            let block = try file.bytes(at: offset, count: 1 << 20)
            if block.isEmpty { return LedgerModel.Digest(.sha256, Array(hasher.finalize())) }
            hasher.update(data: block)
            offset += UInt64(block.count)
        }
    }
}

extension FileStatus {
    /// What identifies a published file.
    fileprivate var identity: FileIdentity {
        FileIdentity(length: length, modifiedNanoseconds: modifiedNanoseconds, inode: inode)
    }

    /// Whether this still is the file that was published. The inode does not count: a file restored from a backup with
    /// its time is as good.
    fileprivate func isSame(as identity: FileIdentity?) -> Bool {
        guard let identity, kind == .regular else { return false }
        return length == identity.length && modifiedNanoseconds == identity.modifiedNanoseconds
    }
}
