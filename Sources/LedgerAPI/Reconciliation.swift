package import LedgerModel

/// What `reconcile` asks for: finished files are compared with the disk, by length and time, and by their bytes where
/// those differ.
package struct ReconcileRequest: Hashable, Sendable, Codable {
    /// Whether to say what would be recorded, and record nothing.
    package var isDryRun = false
    /// Whether a file that someone else changed is taken as the finished one.
    package var adopts = false
    /// Whether what is missing or changed is fetched again.
    package var requeues = false
    /// Names the request: asked again because the holder left before it answered, nothing is fetched twice.
    package var command: CommandID

    /// A request that only compares, and records what it finds.
    package init(command: CommandID) { self.command = command }
}

/// What `reconcile` found, and did about it.
package struct ReconcileReport: Hashable, Sendable, Codable {
    /// A finished file that is not, or was not, as the catalog says.
    package struct Finding: Hashable, Sendable, Codable {
        /// The download it is of.
        package var id: DownloadID
        /// Its absolute path.
        package var path: String
        /// What was on record.
        package var was: DownloadState
        /// What it is: `missing`, `altered`, or `completed` once more.
        package var state: DownloadState
        /// What was done, or would be.
        package var action: Action
        /// Why nothing more was done about it, as a sentence without a full stop; nil when nothing was refused.
        package var note: String?

        /// A finding with every field but the note given.
        package init(id: DownloadID, path: String, was: DownloadState, state: DownloadState, action: Action) {
            self.id = id
            self.path = path
            self.was = was
            self.state = state
            self.action = action
        }

        /// Whether the disk is still otherwise than the catalog would have it.
        package var isOpen: Bool {
            action == .unseen || state != .completed && action != .adopted && action != .requeued
        }
    }

    /// What was done about a file.
    package enum Action: String, Hashable, Sendable, Codable {
        /// Nothing: the disk does not let it be looked at, and nobody knows what it is.
        case unseen
        /// It was on record before.
        case known
        /// It is on record now.
        case recorded
        /// The file that stands there is the finished one now.
        case adopted
        /// It is fetched again.
        case requeued
    }

    /// How many finished files were looked at.
    package var looked = 0
    /// What is otherwise, by the numbers of the downloads; ``findingsMax`` at most.
    package var findings: [Finding] = []
    /// How many more there are, which were treated the same.
    package var more = 0
    /// How many of all are in each state.
    package var states: [DownloadState: Int] = [:]
    /// Of how many of all each thing was done.
    package var actions: [Action: Int] = [:]
    /// How many of all are ``Finding/isOpen``.
    package var open = 0
    /// Whether nothing was recorded.
    package var isDryRun: Bool

    /// How many findings are told one by one.
    package static let findingsMax = 10_000

    /// A report of nothing yet.
    package init(isDryRun: Bool) { self.isDryRun = isDryRun }
}
