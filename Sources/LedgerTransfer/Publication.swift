package import LedgerModel
package import LedgerSystem
package import SystemPackage

/// Gives whole part files their final names, in groups.
///
/// Parts that become whole while a group is on its way form the next one, with no timer: each sync of a directory and
/// each batch of the log then serves many small files. For each file the order is: content durable, name of the part
/// durable, `verified` recorded, renamed without replacing, directory durable, `completed` recorded, worker answered.
package actor Publication {
    /// How many files one group publishes at most; the others wait for the next.
    package static let groupFilesMax = 256
    /// How many numbered names are tried before a download fails with `destination-taken`.
    package static let numberedNamesMax = 9999
    /// How many files of a group are synced at the same time at most.
    static let syncsAtOnceMax = BlockingPool.threadsDefault

    let fileSystem: any FileSystem
    let blocking: BlockingPool
    let reporting: any WorkerReporting
    private let executor: (any TaskExecutor)?
    private var waiting: [Waiting] = []
    private var isWorking = false
    /// Final paths between their choice and their rename: nobody else may choose them meanwhile.
    var claimed: Set<DiskName> = []

    private struct Waiting {
        let item: Item
        let answer: CheckedContinuation<Outcome, Never>
    }

    /// What becomes of one file.
    enum Outcome: Sendable {
        case published(Published)
        case refused(Problem)
    }

    /// A part that is whole.
    package struct Item: Sendable {
        /// Under which right it is published.
        package var lease: Lease
        /// The directory it goes to; exists.
        package var directory: FilePath
        /// The name it gets, if that is free.
        package var name: String
        /// What happens when it is not.
        package var collision: Destination.Collision
        /// The finished file whose place it takes, as long as that still is the one that was published.
        package var replaced: PublishedFile?
        /// Where the part stands.
        package var partPath: FilePath
        /// The open part; nil when recovering, where its content was durable before `verified` was recorded.
        package var part: PartFile?
        /// Without an open part: what tells the file with the digest that was verified from others, under the name of
        /// the part or its final one; nil when neither has it.
        package var proven: FileIdentity?
        /// Its length in bytes.
        package var length: UInt64
        /// Its sum.
        package var sha256: Digest
        /// When the origin last changed the entity, for the file's modification time, in nanoseconds since the epoch;
        /// nil leaves the time of the last write.
        package var modifiedNanoseconds: Int64?
        /// What must be on record before `verified`, in the same batch.
        package var earlier: [Report]
        /// The final path that is on record already; nil for a part fresh from its worker.
        package var verifiedPath: String?

        /// A part fresh from its worker.
        package init(
            lease: Lease, destination: Destination, name: String, part: PartFile, length: UInt64, sha256: Digest,
            earlier: [Report], replaced: PublishedFile? = nil
        ) {
            self.lease = lease
            directory = FilePath(destination.directory)
            self.name = name
            collision = destination.collision
            partPath = part.path
            self.part = part
            self.length = length
            self.sha256 = sha256
            self.earlier = earlier
            take(placeOf: replaced)
        }

        /// A part that the log says is whole and was to stand under `path`: what a crash cut short.
        package init(
            lease: Lease, destination: Destination, partPath: FilePath, verifiedPath path: String, length: UInt64,
            sha256: Digest, replaced: PublishedFile? = nil
        ) {
            self.lease = lease
            directory = FilePath(destination.directory)
            name = FilePath(path).lastComponent?.string ?? "download"
            collision = destination.collision
            self.partPath = partPath
            self.length = length
            self.sha256 = sha256
            earlier = []
            verifiedPath = path
            self.replaced = replaced
        }

        private mutating func take(placeOf file: PublishedFile?) {
            guard let file, let name = FilePath(file.path).lastComponent else { return }
            replaced = file
            self.name = name.string
            directory = FilePath(file.path).removingLastComponent()
        }

        /// Whether a file without an open part is the one that was proven, or that with the time it is to have.
        func isProven(_ status: FileStatus) -> Bool {
            guard let proven, status.length == length else { return false }
            let isStamped = status.inode == proven.inode && status.modifiedNanoseconds == modifiedNanoseconds
            return status.kind == .regular && (isStamped || status.isSame(as: proven))
        }

        /// The path that it is to have, if that is free or on record already.
        fileprivate var wantedPath: String { verifiedPath ?? directory.appending(name).string }

        /// Whether it gets a numbered name where its own is taken.
        var takesOtherNames: Bool { collision == .number || replaced != nil }

        /// Whether the finished part may take the place of what stands under `path`.
        func mayReplace(_ standing: FileStatus, at path: FilePath) -> Bool {
            if collision.mayReplace(standing) { return true }
            return replaced?.path == path.string && standing.isSame(as: replaced?.identity)
        }
    }

    /// A file under its final name.
    package struct Published: Hashable, Sendable {
        /// Where it stands.
        package let path: String
        /// What tells it from one that comes to stand there later.
        package let identity: FileIdentity
    }

    /// Why a file was not published.
    package enum Problem: Error, Hashable, Sendable {
        /// The lease has passed or the ledger is closed; the part is left as it is.
        case stopped
        /// The disk or the name; with whether `verified` is on record, so that no more can be said of the part's bytes.
        case failed(Failure, isVerified: Bool)
    }

    /// A publisher on a disk, whose blocking calls run on `blocking`.
    /// - Parameter executor: where its steps are taken, best that of the workers; nil for Swift's shared pool.
    package init(
        fileSystem: any FileSystem, blocking: BlockingPool, reporting: any WorkerReporting,
        executor: (any TaskExecutor)? = nil
    ) {
        self.executor = executor
        self.fileSystem = fileSystem
        self.blocking = blocking
        self.reporting = reporting
    }

    /// Publishes a whole part, or finishes what a crash cut short, together with all that wait.
    /// - Returns: once `completed` is recorded and durable.
    package func publish(_ item: Item) async throws(Problem) -> Published {
        let outcome = await withCheckedContinuation { answer in
            waiting.append(Waiting(item: item, answer: answer))
            if !isWorking {
                isWorking = true
                Task(executorPreference: executor) { await self.work() }
            }
        }
        switch outcome {
        case .published(let published): return published
        case .refused(let problem): throw problem
        }
    }

    private func work() async {
        while !waiting.isEmpty {
            let group = nextGroup()
            let outcomes = await publishGroup(group.map(\.item))
            for (member, outcome) in zip(group, outcomes) { member.answer.resume(returning: outcome) }
        }
        isWorking = false
    }

    /// Takes the next group out of what waits. Of those that want one path and take no other, it is the first: what
    /// becomes of the next depends on the file that stands there then.
    private func nextGroup() -> [Waiting] {
        var (group, later, paths) = ([Waiting](), [Waiting](), Set<DiskName>())
        for (place, entry) in waiting.enumerated() {
            guard group.count < Self.groupFilesMax else {
                later += waiting[place...]
                break
            }
            let isFirst = paths.insert(DiskName(entry.item.wantedPath)).inserted
            if isFirst || entry.item.takesOtherNames { group.append(entry) } else { later.append(entry) }
        }
        waiting = later
        return group
    }
}
