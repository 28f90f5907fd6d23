/// What someone wants; it may be refused.
package enum Command: Hashable, Sendable {
    /// Fetch this, at this priority (higher comes first). An equal order that lives already is joined, not doubled.
    case enqueue(Order, priority: Int32, again: Bool)
    /// The same, but when the file of an equal order is finished, ask its origin whether it has a newer one.
    case refresh(Order, priority: Int32)
    /// One of the two before, but what is new waits for `resume`: no worker meets it before.
    indirect case hold(Command)
    case pause(DownloadID)
    case resume(DownloadID)
    case cancel(DownloadID)
    case retry(DownloadID)
    /// Change the place in the queue.
    case move(DownloadID, Placement)
    /// Change parts of the order, or the priority.
    case change(DownloadID, OrderChange)
    case delete(DownloadID, Deletion)
    /// Let the file of a deleted download leave the trash for good.
    case expire(DownloadID)
    /// Forget a deleted download for good, with everything that was recorded about it.
    case redact(DownloadID, reason: String)
    /// Undo the event at this sequence, or the last thing that can be undone.
    case undo(SequenceNumber?)
    /// What a worker saw, in order, under its lease: recorded all together or not at all.
    case report(Lease, [Report])
    /// The finished file is of use to someone now.
    case use(DownloadID)
    /// Whether the finished file stays, whatever its group may hold.
    case pin(DownloadID, Bool)
    /// A directory was moved as a whole: the download goes by where it is now.
    case relocate(DownloadID, Relocation)
    /// What is wanted of what fills the catalog.
    case library(LibraryCommand)
    /// What reconciling saw of a finished file.
    case observe(DownloadID, Observation)
    /// What maintenance did to the log itself.
    case maintain(Maintenance)
}

/// A place in the queue to move a download to.
package enum Placement: Hashable, Sendable, Codable {
    /// Another priority, last among its equals.
    case priority(Int32)
    case first
    case last
    /// The `index`-th place, 1-based, among downloads of the same priority; past the end means last.
    case index(Int)
    /// Right before another one that is live, at its priority, wherever that stands by then.
    case before(DownloadID)
    /// Right behind another one.
    case after(DownloadID)
}

/// What a worker tells the ledger about its attempt.
package enum Report: Hashable, Sendable {
    case resolved(Origin, generation: UInt32)
    case progressed(ByteRangeSet, sums: RangeSums = [])
    case verified(length: UInt64, sha256: Digest, path: String)
    case completed(FileIdentity)
    case failed(Failure, retryAt: Timestamp?)
    /// One of several sources was dropped, and the transfer goes on without it.
    case blamed(ResourceURL, Failure)
    /// The destination was taken and the order said to keep what stands there.
    case found(FileIdentity, sha256: Digest, path: String)
    /// The origin still has what the finished file holds.
    case unchanged
}

/// What reconciling saw of a finished file.
package enum Observation: Hashable, Sendable {
    case missing
    case altered(FileIdentity, sha256: Digest?)
    case found(FileIdentity, sha256: Digest, path: String)
}

/// What maintenance did to the log itself.
package enum Maintenance: Hashable, Sendable {
    case compacted(through: SequenceNumber, archived: Bool)
    case checkpointed(size: UInt64, root: Digest)
    case repaired(cut: UInt64, reason: String)
    case redacted(SequenceNumber, reason: String)
}

/// A command with its name and its sender.
package struct Submission: Hashable, Sendable {
    /// What is wanted.
    package let command: Command
    /// Its name; the same name again gets the first answer.
    package let id: CommandID?
    /// Who sends it.
    package let actor: EventActor

    /// A command to be executed. Workers and maintenance need no `id`: their reports are fenced by leases.
    package init(_ command: Command, id: CommandID?, actor: EventActor) {
        self.command = command
        self.id = id
        self.actor = actor
    }
}
