package import LedgerModel

/// What a command can ask of a ledger, wherever it is held: in this process, or in another one behind its socket.
///
/// - Throws: each method a ``Problem``; with the code ``Problem/Code/holderLeft`` the request may be repeated, under
///   the same names, on the next holder.
package protocol LedgerClient: Sendable {
    /// Who holds the ledger.
    func status() async throws(Problem) -> HolderStatus

    /// What the state that is held now hashes to. O(downloads).
    func digest() async throws(Problem) -> StateDigest

    /// Enqueues all in one batch; returns once they are durable, with one answer for each, in order.
    func enqueue(_ requests: [EnqueueRequest]) async throws(Problem) -> [EnqueueAnswer]

    /// Does something to downloads; one answer for each that was meant.
    func act(_ action: Action, on selection: Selection, command: CommandID) async throws(Problem) -> [ActionAnswer]

    /// Undoes; see ``ControlRequest/Body/undo(_:_:)``.
    func undo(_ sequence: SequenceNumber?, command: CommandID) async throws(Problem) -> [ActionAnswer]

    /// The rows as they are now. `query.at` is not looked at.
    func list(_ query: ListQuery) async throws(Problem) -> [DownloadRow]

    /// Hands over all rows that are watched, then those that changed, until `receive` says false, until all that are
    /// watched have ended (if the query says so), or until the holder leaves.
    func watch(_ query: WatchQuery, _ receive: @escaping @Sendable ([DownloadRow]) async -> Bool)
        async throws(Problem)

    /// Changes what is done at once, and says what it is now.
    func limit(_ change: LimitChange) async throws(Problem) -> LimitReport

    /// Does something about listings and groups; see ``LibraryRequest``.
    func library(_ request: LibraryRequest) async throws(Problem) -> LibraryAnswer

    /// Asks it to leave the ledger in order; returns once it has agreed, before it has left.
    /// - Throws: ``Problem/Code/refused`` by a holder that stays until its own work is done.
    func leave() async throws(Problem)

    /// Makes the log smaller; see ``CompactRequest``.
    func compact(_ request: CompactRequest) async throws(Problem) -> CompactReport

    /// Compares finished files with the disk; see ``ReconcileRequest``.
    func reconcile(_ request: ReconcileRequest) async throws(Problem) -> ReconcileReport

    /// Leaves nothing of what was recorded about downloads; see ``RedactRequest``.
    func redact(_ request: RedactRequest) async throws(Problem) -> RedactReport
}
