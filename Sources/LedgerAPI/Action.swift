package import LedgerModel

/// What a person can do to downloads.
package enum Action: Hashable, Sendable, Codable {
    case pause
    case resume
    case cancel
    case retry
    case move(Placement)
    /// Change parts of the order.
    case change(ChangeRequest)
    case delete(FileFate)
    /// Keep the finished file whatever its group may hold, or no longer.
    case pin(Bool)
    /// A directory was moved as a whole, by somebody else: go by where it is now.
    case relocate(Relocation)

    /// What becomes of the file of a deleted download.
    package enum FileFate: String, Hashable, Sendable, Codable { case trash, keep, purge }
}

/// Which downloads an ``Action`` is for.
package enum Selection: Hashable, Sendable, Codable {
    /// These; what the action does not apply to is refused one by one.
    case ids([DownloadID])
    /// Every one that the action applies to; the others are passed over in silence.
    case all
    /// Every one that matches and that the action applies to.
    case matching(Filter)
}

/// What became of an ``Action`` on one download.
package struct ActionAnswer: Hashable, Sendable, Codable {
    /// Which one; nil when there was nothing to undo.
    package var id: DownloadID?
    /// The download after it; nil when it was refused.
    package var row: DownloadRow?
    /// The event that was undone; nil for any other action.
    package var undone: SequenceNumber?
    /// Why nothing was done; nil when it was done.
    package var refusal: Problem?
    /// Why the disk did not let the files follow, which the next `ledger run` tries again; nil when they did.
    package var unfollowed: String?
    /// What is not as the action says, for people: a file that stayed, or that is gone for good; nil when all is.
    package var note: String?

    /// Done: this is the download now.
    package init(done row: DownloadRow, undone: SequenceNumber? = nil) {
        id = row.id
        self.row = row
        self.undone = undone
    }

    /// Refused, for this reason.
    package init(refused id: DownloadID?, _ problem: Problem) {
        self.id = id
        refusal = problem
    }
}
