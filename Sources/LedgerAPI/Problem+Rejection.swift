package import LedgerModel

extension Problem {
    /// Why the ledger refused a command, in words.
    package init(_ rejection: Rejection) {
        switch rejection {
        case .notFound(let id):
            self.init(.notFound, "there is no download \(id)", next: "'ledger list' shows what there is")
        case .alreadyCompleted(let id):
            self.init(
                .refused, "download \(id) is completed already", next: "'ledger show \(id)' says where its file is")
        case .alreadyMissing(let id):
            self.init(.refused, "the file of download \(id) is gone", next: "'ledger retry \(id)' fetches it again")
        case .alreadyAltered(let id):
            self.init(.refused, "the file of download \(id) was changed", next: "'ledger retry \(id)' fetches it again")
        case .alreadyCancelled(let id):
            self.init(
                .refused, "download \(id) is cancelled already", next: "'ledger retry \(id)' fetches it after all")
        case .alreadyDeleted(let id):
            self.init(
                .refused, "download \(id) is deleted already",
                next: "'ledger undo --list' shows what can be brought back")
        case .alreadyPaused(let id):
            self.init(.refused, "download \(id) is paused already", next: "'ledger resume \(id)' lets it go on")
        case .alreadyFailed(let id):
            self.init(.refused, "download \(id) has failed already", next: "'ledger retry \(id)' tries it again")
        case .notPaused(let id):
            self.init(.refused, "download \(id) is not paused", next: "'ledger show \(id)' shows its state")
        case .notRetryable(let id):
            self.init(
                .refused, "download \(id) has nothing to be tried again",
                cause: "only what failed, was cancelled or was lost can be", next: "'ledger show \(id)' shows its state"
            )
        case .publishing(let id):
            self.init(
                .refused, "download \(id) is just getting its final name", next: "try again in a moment")
        case .stale(let lease):
            self.init(.stale, "the work on download \(lease.id) was taken over or stopped (lease \(lease))")
        case .outOfOrder(let lease):
            self.init(.internal, "a report on download \(lease.id) does not fit its state (lease \(lease))")
        case .notCompleted(let id):
            self.init(.refused, "download \(id) is not completed", next: "'ledger show \(id)' shows its state")
        case .nothingToUndo, .nothingToUndoOf, .notUndoable, .expired, .notInTrash, .notDeleted, .inTrash, .noEvent:
            self.init(past: rejection)
        case .noListing, .noEntry, .badFilter, .badLimit, .tooMuch, .notEvictable:
            self.init(library: rejection)
        case .destinationTaken(let path, let id):
            self.init(
                .destinationTaken, "'\(path)' is being written by download \(id)",
                cause: "a file has one writer at a time",
                next:
                    "wait for it ('ledger show \(id)'), give another name with '-o', or use '--again' for a numbered "
                    + "name")
        case .unchecked(let id):
            self.init(
                .refused, "download \(id) fetches, or has fetched, that without looking at certificates",
                cause: "it was asked for with '--insecure', and this was not",
                next: "'--again' fetches it anew, with a look at them; '--insecure' takes what that one got")
        case .queueFull(let max):
            self.init(
                .queueFull, "the queue is full: it may hold \(max) downloads",
                cause: "nothing in it that does not run has a lower priority, or it evicts nothing",
                next: "'ledger run' works it off; 'ledger cancel' makes room")
        case .orderTooLarge(let bytes, let max):
            self.init(
                .refused, "what was asked for one download is too long: \(bytes) bytes, and \(max) are the most",
                next: "shorten its title, details, tags or mirrors")
        case .unrecordable(let cause):
            self.init(
                .refused, "that can not be recorded so that it reads back as it is", cause: cause,
                next: "nothing was done; what was asked for holds a value that can not be")
        }
    }
}

extension Problem {
    private static let whatCanBeUndone =
        "deletions, cancellations, pauses, resumes, moves and changes can be, while their download stands as they "
        + "left it"

    /// Why what was done stays as it is.
    private init(past rejection: Rejection) {
        switch rejection {
        case .nothingToUndo:
            self.init(.refused, "there is nothing to undo", next: "'ledger replay' shows what happened")
        case .notUndoable(let sequence):
            self.init(
                .refused, "event \(sequence) can not be undone", cause: Self.whatCanBeUndone,
                next: "'ledger undo --list' shows what can be undone")
        case .nothingToUndoOf(let id):
            self.init(
                .refused, "nothing that was done to download \(id) can be undone now", cause: Self.whatCanBeUndone,
                next: "'ledger explain \(id)' tells what was done to it")
        case .expired(let sequence, let id):
            self.init(
                .refused, "event \(sequence) can not be undone: the file of download \(id) left the trash",
                cause: "it was there for too long, or the trash held too much ('trashDaysMax', 'trashSizeMax')",
                next: "fetch it again: 'ledger show \(id)' shows its URL")
        case .inTrash(let id):
            self.init(
                .refused, "the file of download \(id) is still in the trash, so it can not be redacted",
                cause: "nobody would know of the file any longer",
                next: "'ledger delete --purge \(id)' removes it for good")
        case .notDeleted(let id):
            self.init(
                .refused, "download \(id) is not deleted, so it can not be redacted",
                cause: "a redaction leaves nothing by which the download could go on",
                next: "'ledger delete \(id)' first; with '--keep-file' its file stays where it is")
        case .notInTrash(let id):
            self.init(.refused, "the file of download \(id) is not in the trash")
        case .noEvent(let sequence, let last):
            self.init(
                .notFound, "there is no event \(sequence), and no download \(sequence)",
                cause: "the last event is \(last)", next: "'ledger undo' undoes what was done last")
        case .notFound, .alreadyCompleted, .alreadyMissing, .alreadyAltered, .alreadyCancelled, .alreadyDeleted,
            .alreadyPaused, .alreadyFailed, .notPaused, .notRetryable, .publishing, .stale, .outOfOrder, .notCompleted,
            .destinationTaken, .unchecked, .queueFull, .orderTooLarge, .unrecordable, .noListing, .noEntry, .badFilter,
            .badLimit, .tooMuch, .notEvictable:
            preconditionFailure("only what is about the past comes here")
        }
    }
}

extension Problem {
    /// Why something is not done that concerns feeds, catalogs, hooks or what groups may hold.
    private init(library rejection: Rejection) {
        switch rejection {
        case .noListing(let id):
            self.init(
                .notFound, "there is no feed and no catalog \(id)",
                next: "'ledger feed list' and 'ledger catalog list' show what is followed")
        case .noEntry(let id, let guid):
            self.init(
                .notFound, "\(id) has no entry '\(guid)'",
                next: "'ledger feed list \(id)' or 'ledger catalog list \(id)' shows what it has")
        case .badFilter(let filter, let why):
            self.init(
                .usage, "'\(filter)' is no regular expression that titles can be matched with", cause: why,
                next: "'--filter interview' lets titles with it through", exitCode: .usage)
        case .badLimit(let why):
            self.init(
                .usage, "no group can have that limit", cause: why,
                next: "name the group and give 1 or more; without a limit it keeps everything", exitCode: .usage)
        case .tooMuch(let what, let max):
            self.init(.refused, "that is more than a ledger takes: \(what) are limited to \(max)")
        case .notEvictable(let id):
            self.init(.refused, "download \(id) was pinned, or is no finished file any longer")
        case .notFound, .alreadyCompleted, .alreadyMissing, .alreadyAltered, .alreadyCancelled, .alreadyDeleted,
            .alreadyPaused, .alreadyFailed, .notPaused, .notRetryable, .publishing, .stale, .outOfOrder, .notCompleted,
            .destinationTaken, .unchecked, .queueFull, .orderTooLarge, .unrecordable, .nothingToUndo, .nothingToUndoOf,
            .notUndoable, .expired, .notInTrash, .notDeleted, .inTrash, .noEvent:
            preconditionFailure("only what is about the library comes here")
        }
    }
}
