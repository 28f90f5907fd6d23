/// Which downloads something is done to.
///
/// ```swift
/// try await ledger.pause(.all)
/// try await ledger.delete(.where { $0.group == "radio" && $0.addedAt < lastYear })
/// try await ledger.cancel(.matching(.queue))
/// ```
public struct DownloadSelection: Sendable {
    enum Choice: Sendable {
        case ids([Download.ID])
        case all
        case matching(DownloadQuery)
        case meeting(@Sendable (Download) -> Bool)
    }

    let choice: Choice

    /// Every one that it can be done to.
    public static let all = DownloadSelection(choice: .all)

    /// These; what it can not be done to is told as ``DownloadOutcomes/refused``.
    public static func ids(_ ids: some Sequence<Download.ID>) -> DownloadSelection {
        DownloadSelection(choice: .ids(Array(ids)))
    }

    /// Every one that a query finds and that it can be done to.
    public static func matching(_ query: DownloadQuery) -> DownloadSelection {
        DownloadSelection(choice: .matching(query))
    }

    /// Every one that meets a condition and that it can be done to; what is deleted is not asked about. The condition
    /// is called once for each download, on any thread.
    public static func `where`(_ isMeant: @escaping @Sendable (Download) -> Bool) -> DownloadSelection {
        DownloadSelection(choice: .meeting(isMeant))
    }
}

/// What became of something that was done to several downloads.
///
/// ```swift
/// let outcomes = try await ledger.retry(.ids(failed))
/// show("\(outcomes.done.count) begun again, \(outcomes.refused.count) refused")
/// ```
public struct DownloadOutcomes: Hashable, Sendable {
    /// Those that it was done to, as they are now.
    public let done: [Download]
    /// Those that were named and refused it, and why.
    public let refused: [Download.ID: DownloadError]
}

/// A place in the queue.
///
/// ```swift
/// try await ledger.move(handle.id, to: .priority(download.priority + 1))
/// ```
public enum QueuePlace: Hashable, Sendable {
    /// Before all of its priority.
    case first
    /// Behind all of its priority.
    case last
    /// The place with this number, 1-based, among those of its priority; past the end means last.
    case index(Int)
    /// Another priority, last among its equals: -2^31 to 2^31 - 1. Higher comes first.
    case priority(Int32)
}

/// What becomes of the file of a deleted download.
///
/// ```swift
/// try await ledger.delete(.matching(.downloaded), file: .purge)
/// ```
public enum FileFate: String, Hashable, Sendable, Codable, CaseIterable {
    /// It goes to the trash, from which undo brings it back.
    case trash
    /// It stays where it is, and the ledger forgets about it.
    case keep
    /// It is unlinked at once, for good.
    case purge
}
