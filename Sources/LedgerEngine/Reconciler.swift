package import LedgerAPI
package import LedgerModel
import LedgerSystem
import LedgerTransfer
import Synchronization
import SystemPackage

/// Makes the disk follow the state, and tells the ledger where the disk has gone its own way.
///
/// Its effects follow from state, never from an event: a deletion that a crash cut short is done by the same code at
/// the next start. It touches only files that a download published and that still are what was published; one that
/// came to stand there after a deletion, though it were a copy of the very same, is somebody's.
package actor Reconciler {
    /// How many downloads are looked at between two looks at the state.
    static let pageDownloadsMax = 4096

    nonisolated let ledger: Ledger
    private nonisolated let assignments: AssignmentMaker
    private nonisolated let notice: @Sendable (Problem) -> Void
    private nonisolated let trash: Trash
    private nonisolated let deletions: Mutex<DeletionTimes>
    /// What is being done; the next waits for it, so that each reads the state its predecessor left.
    private var last: Task<Void, Never>?
    /// Whether nothing more is begun.
    private var isClosed = false
    /// Whether no file is read any longer.
    nonisolated let isHurried = Atomic(false)
    /// What the disk refused when a download's files were last looked at: said once, not at every look.
    private var refusals: [DownloadID: Failure] = [:]
    private var hasToldOfNoRoom = false

    /// On the ledger's thread: what blocks is done elsewhere.
    package nonisolated var unownedExecutor: UnownedSerialExecutor { ledger.unownedExecutor }

    /// A reconciler for a ledger; `notice` is told of each download whose files the disk keeps from following.
    package init(ledger: Ledger, assignments: AssignmentMaker, notice: @escaping @Sendable (Problem) -> Void) {
        self.ledger = ledger
        self.assignments = assignments
        self.notice = notice
        trash = Trash(ledger.world.fileSystem, of: ledger.home)
        deletions = Mutex(DeletionTimes(of: ledger.home, ledger.world))
    }

    /// Compares every download with the disk, and reads no file for it: at a start, which waits for none.
    /// - Returns: those that only a look tells of that reads their file to its end, as ``look(at:)`` does.
    package func reconcileUnread() async throws(LedgerError) -> [DownloadID] {
        let ids = try await ledger.read { state in state.queue.downloads.ids }
        var unread: [DownloadID] = []
        for start in stride(from: 0, to: ids.count, by: Self.pageDownloadsMax) {
            let page = Array(ids[start..<min(start + Self.pageDownloadsMax, ids.count)])
            unread += try await lookOnce(at: page, isNews: false).filter { $0.unread != nil }.map(\.id)
        }
        return unread
    }

    /// Lets the disk follow what a batch of events left behind; returns once it has.
    /// - Returns: what the disk refused.
    @discardableResult
    package func follow(_ batch: [Recorded]) async throws(LedgerError) -> [DownloadID: Failure] {
        var ids = Set(batch.lazy.filter { $0.event.mayMoveFiles }.compactMap(\.id))
        let published = batch.filter { $0.event.kind == .completed }.compactMap(\.id)
        if !published.isEmpty {
            ids.formUnion(try await ledger.read { state in published.flatMap { state.broughtBack(behind: $0) } })
        }
        guard !ids.isEmpty else { return [:] }
        return try await settle(ids.sorted(), isNews: true).failures
    }

    /// Compares these downloads with the disk; returns once what was found is recorded.
    /// - Returns: those of which the disk refused to tell.
    @discardableResult
    package func look(at ids: [DownloadID]) async throws(LedgerError) -> Set<DownloadID> {
        ids.isEmpty ? [] : Set(try await settle(ids).failures.keys)
    }

    /// Does what an earlier deletion, or its undoing, left to be done to the files of these downloads: to be called
    /// before anything else is recorded that decides about them, for then nobody knows of it any longer.
    /// - Returns: what the disk refused. Of those downloads nothing else must be recorded.
    package func finishDeletions(of ids: [DownloadID]) async throws(LedgerError) -> [DownloadID: Failure] {
        let begun = try await ledger.read { state in
            ids.filter { id in state.queue[id].map { $0.deletion != nil || $0.phase == .deleted } ?? false }
        }
        return begun.isEmpty ? [:] : try await settle(begun).failures
    }

    /// Reads no file to its end any longer, which takes minutes where it is large: whoever leaves does not wait for
    /// that, and what a file is that is not the one on record, the next start finds out. Files still follow.
    package nonisolated func hurry() { isHurried.store(true, ordering: .relaxed) }

    /// Begins nothing more and returns once what was begun is done: whoever holds the ledger next may bring back what
    /// is being taken away.
    package func close() async {
        isClosed = true
        hurry()
        await last?.value
    }

    /// Brings the files of these downloads where the state says, and records what is otherwise. What only the bytes of
    /// files tell is on record after each turn of reading.
    /// - Parameters:
    ///   - isNews: whether what happened to them has just happened: a deletion was not done before.
    ///   - progress: is told of the bytes that are read.
    @discardableResult
    func settle(
        _ ids: [DownloadID], isNews: Bool = false, _ progress: WorkProgress? = nil
    ) async throws(LedgerError) -> [Look] {
        try await reading(ids, progress) { ids, known throws(LedgerError) in
            try await lookOnce(at: ids, isNews: isNews, knowing: known)
        }
    }

    /// Brings the files of these downloads where the state says, and records what is otherwise, where that can be told
    /// without reading a file.
    private func lookOnce(
        at ids: [DownloadID], isNews: Bool, knowing known: [DownloadID: ReadFile] = [:]
    ) async throws(LedgerError) -> [Look] {
        if isClosed { throw .closed }
        let (previous, ledger) = (last, ledger)
        let task = Task { () -> Result<[Look], LedgerError> in
            await previous?.value
            do throws(LedgerError) {
                let subjects = try await ledger.read { state in
                    var subjects = ids.compactMap { Subject($0, in: state) }
                    guard !isNews, subjects.contains(where: { $0.download.phase == .deleted }) else { return subjects }
                    let times = state.queue.deletionTimes
                    for place in subjects.indices { subjects[place].deletedAt = times[subjects[place].download.id] }
                    return subjects
                }
                let looks = await ledger.world.blocking.run {
                    subjects.map { subject in
                        Look(subject.download.id, known) { reading throws(Failure) in
                            try self.observe(subject, isNews: isNews, &reading)
                        }
                    }
                }
                let submissions = looks.compactMap { look in
                    look.observation.map { Submission(.observe(look.id, $0), id: nil, actor: .maintenance) }
                }
                if !submissions.isEmpty { _ = try await ledger.execute(submissions) }
                for look in looks where look.unread == nil { self.tell(look) }
                return .success(looks)
            } catch {
                return .failure(error)
            }
        }
        last = Task { _ = await task.value }
        return try await task.value.get()
    }

    /// Says once that what was found of files can not be recorded.
    func tell(ofNoRoom error: LedgerError) {
        guard !hasToldOfNoRoom else { return }
        hasToldOfNoRoom = true
        notice(Problem(error))
    }

    /// Says what the disk refused, when it is news.
    func tell(_ look: Look) {
        guard let failure = look.failure else {
            refusals[look.id] = nil
            return
        }
        guard refusals.updateValue(failure, forKey: look.id) != failure else { return }
        notice(Problem(unfollowed: look.id, failure))
    }
}

extension Problem {
    /// The disk keeps the files of a download from being where the ledger says.
    package init(unfollowed id: DownloadID, _ failure: Failure) {
        self.init(
            .disk, "the files of download \(id) are not where the ledger says", cause: failure.message,
            next: "put right what the cause says; the next 'ledger run' tries again", exitCode: .disk)
    }
}

/// A download with what its files depend on.
struct Subject: Sendable {
    let download: Download
    /// Whether the file at its path is another's: a later download published there; or, where this one was deleted, one
    /// has the very same file, as '--skip' took it over, that was not deleted, or was and left the file.
    let isSuperseded: Bool
    /// When it was deleted, where the state still says so.
    var deletedAt: Timestamp?

    /// Nil for a download that can have no file to look at.
    init?(_ id: DownloadID, in state: LedgerState) {
        guard let download = state.queue[id], download.phase.concernsFiles else { return nil }
        self.download = download
        isSuperseded = state.isSuperseded(download)
    }
}

extension LedgerState {
    /// The downloads whose deletion was undone and whose old place the file of this one took: whether theirs was there,
    /// only the disk tells.
    fileprivate func broughtBack(behind id: DownloadID) -> [DownloadID] {
        guard let file = queue[id]?.file?.value else { return [] }
        return publishers(of: file.path).filter { $0 != id && queue[$0]?.wasBroughtBack ?? false }
    }

    fileprivate func isSuperseded(_ download: Download) -> Bool {
        guard let file = download.file?.value, let newest = owner(of: file.path) else { return false }
        guard download.phase == .deleted else { return newest != download.id }
        func shares(_ other: Download) -> Bool { file.identity.map { other.shownFile?.identity == $0 } ?? false }
        if newest != download.id, !(queue[newest].map(shares) ?? false) { return true }
        return publishers(of: file.path).contains { id in
            guard id != download.id, let other = queue[id], shares(other) else { return false }
            return other.phase != .deleted || other.deletion?.value == .keepFile
        }
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
            .changed, .missing, .altered, .found, .compacted, .checkpointed, .repaired, .redacted, .blamed,
            .rechecked, .unchanged, .used, .pinned, .relocated, .library:
            false
        }
    }
}

// What follows blocks: it runs on the blocking threads.
extension Reconciler {
    nonisolated var fileSystem: any FileSystem { ledger.world.fileSystem }

    /// Brings the files of one download where its state says, and returns what is otherwise.
    /// - Throws: a ``Failure`` of the disk: the file is left as it is, and the next start tries again.
    private nonisolated func observe(
        _ subject: Subject, isNews: Bool, _ reading: inout FileReading
    ) throws(Failure) -> Observation? {
        let download = subject.download
        switch download.phase {
        case .cancelled:
            try disk { () throws(FileError) in try removeParts(of: download) }
            return nil
        case .deleted:
            try disk { () throws(FileError) in try removeParts(of: download) }
            try bringAway(subject, isNews: isNews)
            return nil
        case .completed, .missing, .altered:
            // A part of a newer file that was given up; the first part of all became the file.
            if download.generation > 1 { try disk { () throws(FileError) in try removeParts(of: download) } }
            return try look(at: subject, bringsBack: true, &reading)
        case .queued, .waiting, .paused, .publishing, .failed:
            return nil
        }
    }

    private nonisolated func removeParts(of download: Download) throws(FileError) {
        let paths = PartName.generations(around: download.generation).map {
            FilePath(assignments.partPath(of: download, generation: $0))
        }
        guard try fileSystem.removeParts(paths) else { return }
        try fileSystem.synchronizeDirectory(FilePath(download.order.destination.directory))
    }

    /// Does what a deletion says to the file, if it still is the one that was published.
    private nonisolated func bringAway(_ subject: Subject, isNews: Bool) throws(Failure) {
        guard let file = subject.download.file?.value, let deletion = subject.download.deletion?.value else { return }
        if case .expired(let target) = deletion {
            return try disk { () throws(FileError) in try trash.remove(file, from: FilePath(target)) }
        }
        let path = FilePath(file.path)
        let status = try disk { () throws(FileError) in try fileSystem.status(of: path) }
        guard deletion != .keepFile, !subject.isSuperseded, let status, status.isSame(as: file.identity) else {
            return
        }
        if !isNews, try !stoodThere(status, whenDeleted: subject) { return }
        try disk { () throws(FileError) in
            switch deletion {
            case .keepFile, .expired: return
            case .trash(let target): try trash.take(path, to: FilePath(target))
            case .purge, .evicted: try fileSystem.unlink(path)
            }
            try fileSystem.synchronizeDirectory(path.removingLastComponent())
        }
    }

    /// Whether a file was there as it is when its download was deleted. One that was copied or moved there since has
    /// changed since, whatever its modification time.
    private nonisolated func stoodThere(
        _ status: FileStatus, whenDeleted subject: Subject
    ) throws(Failure) -> Bool {
        var deletion = subject.deletedAt
        // A compaction beside a deletion that was cut short may have taken it out of the log.
        if deletion == nil {
            do throws(LedgerError) {
                deletion = try deletions.withLock { times throws(LedgerError) in
                    try times.time(of: subject.download.id) { isHurried.load(ordering: .relaxed) }
                }
            } catch {
                throw Failure(
                    .disk, "when it was deleted can not be read: \(Problem(error).message)", isRetryable: true)
            }
            // Whoever took that for an answer would leave the file, and nobody would know of it.
            if deletion == nil, isHurried.load(ordering: .relaxed) {
                throw Failure(.disk, "when it was deleted was not read to the end", isRetryable: true)
            }
        }
        return deletion.map { status.changedNanoseconds / 1_000_000 <= $0.milliseconds } ?? false
    }

    /// What the disk says of a finished file; nil when it is what the log says.
    /// - Parameter bringsBack: whether a file whose deletion was undone is brought back from the trash first.
    nonisolated func look(
        at subject: Subject, bringsBack: Bool, _ reading: inout FileReading
    ) throws(Failure) -> Observation? {
        let download = subject.download
        guard let file = download.file?.value else { return nil }
        let path = FilePath(file.path)
        var status = try disk { () throws(FileError) in try fileSystem.status(of: path) }
        // What stands there is another download's: the own file is gone, if it is not in the trash.
        if subject.isSuperseded, let other = status {
            guard let isShared = isShared(other, with: file, &reading) else { return nil }
            if !isShared { status = nil }
        }
        // Its deletion was undone, and it is in the trash: what stands there is another's, though it holds the same.
        if bringsBack, status?.inode != file.identity?.inode, try isStillInTrash(download, file) { status = nil }
        // A file that is missing was another one before it was lost, perhaps: only its bytes tell.
        if let status, status.isSame(as: file.identity), download.phase != .missing { return nil }
        if bringsBack,
            let observation = try disk({ () throws(FileError) in try bringBack(download, file) })
        {
            return observation
        }
        guard let status, status.kind == .regular else { return download.phase == .missing ? nil : .missing }
        guard let read = reading.file(at: path, status) else { return nil }
        return read.sha256 == file.sha256
            ? .found(read.status.identity, sha256: read.sha256, path: path.string)
            : .altered(read.status.identity, sha256: read.sha256)
    }

    /// Whether what stands there is this file, too: two downloads may have one. Two files of one length may well be of
    /// one time. Nil when it has to be read first.
    private nonisolated func isShared(
        _ status: FileStatus, with file: PublishedFile, _ reading: inout FileReading
    ) -> Bool? {
        guard status.isSame(as: file.identity) else { return false }
        if status.inode == file.identity?.inode { return true }
        return reading.file(at: FilePath(file.path), status).map { $0.sha256 == file.sha256 }
    }

    private nonisolated func isStillInTrash(_ download: Download, _ file: PublishedFile) throws(Failure) -> Bool {
        guard download.phase == .completed, case .trash(let target)? = download.deletion?.value else { return false }
        return try disk { () throws(FileError) in try trash.has(file, at: FilePath(target)) }
    }

    /// Brings a file back from the trash when its deletion was undone: to where it was, or beside what stands there.
    /// What someone else had made of it comes back as that, and nowhere else.
    private nonisolated func bringBack(_ download: Download, _ file: PublishedFile) throws(FileError) -> Observation? {
        guard case .trash(let target)? = download.deletion?.value,
            let (path, status) = try trash.bringBack(
                file, from: FilePath(target), staysInPlace: download.phase == .altered),
            download.phase != .altered
        else { return nil }
        return .found(status.identity, sha256: file.sha256, path: path.string)
    }
}
