import Synchronization

/// Counts WebSockets: they stay open, and who opens one needs no token for that.
final class SessionCount: Sendable {
    private let count = Atomic(0)

    /// Whether there may be one more.
    var hasRoom: Bool { count.load(ordering: .relaxed) < WebSocketSession.sessionsMax }

    /// Counts one while `body` runs.
    func during(_ body: () async -> Void) async {
        count.add(1, ordering: .relaxed)
        await body()
        count.subtract(1, ordering: .relaxed)
    }
}
