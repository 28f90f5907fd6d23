package import LedgerAPI
package import LedgerModel

/// A ledger that this process holds, for commands of someone else than the process itself: they are recorded as that
/// actor's.
package struct ActingClient: LedgerClient {
    private let service: LedgerService
    private let actor: EventActor

    fileprivate init(_ service: LedgerService, as actor: EventActor) {
        self.service = service
        self.actor = actor
    }

    package func status() async throws(Problem) -> HolderStatus { try await service.status() }

    package func digest() async throws(Problem) -> StateDigest { try await service.digest() }

    package func enqueue(_ requests: [EnqueueRequest]) async throws(Problem) -> [EnqueueAnswer] {
        try await service.enqueue(requests, as: actor)
    }

    package func act(
        _ action: Action, on selection: Selection, command: CommandID
    ) async throws(Problem) -> [ActionAnswer] {
        try await service.act(action, on: selection, command: command, as: actor)
    }

    package func undo(_ sequence: SequenceNumber?, command: CommandID) async throws(Problem) -> [ActionAnswer] {
        try await service.undo(sequence, command: command, as: actor)
    }

    package func list(_ query: ListQuery) async throws(Problem) -> [DownloadRow] { try await service.list(query) }

    package func watch(
        _ query: WatchQuery, _ receive: @escaping @Sendable ([DownloadRow]) async -> Bool
    ) async throws(Problem) {
        try await service.watch(query, receive)
    }

    package func limit(_ change: LimitChange) async throws(Problem) -> LimitReport { try await service.limit(change) }

    package func library(_ request: LibraryRequest) async throws(Problem) -> LibraryAnswer {
        try await service.library(request, as: actor)
    }

    package func leave() async throws(Problem) { try await service.leave() }

    package func compact(_ request: CompactRequest) async throws(Problem) -> CompactReport {
        try await service.compact(request)
    }

    package func reconcile(_ request: ReconcileRequest) async throws(Problem) -> ReconcileReport {
        try await service.reconcile(request, as: actor)
    }

    package func redact(_ request: RedactRequest) async throws(Problem) -> RedactReport {
        try await service.redact(request)
    }
}

extension LedgerService {
    /// This ledger, whose commands are recorded as another actor's.
    package func acting(as actor: EventActor) -> ActingClient { ActingClient(self, as: actor) }
}
