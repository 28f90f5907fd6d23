import LedgerAPI
import LedgerEngine
import LedgerHolder
import LedgerModel
import LedgerSystem
import Synchronization

/// Tells clients over WebSockets what becomes of downloads, while there are any.
///
/// The log does not say when a worker takes a download up, so what runs is looked at a few times a second beside it,
/// while something does; one that came and went in between is told of from its events.
final class Herald: Sendable {
    /// How far a listener may be behind.
    static let behindMax = 1000
    /// How often it is looked at what runs.
    private static let pause = Duration.milliseconds(250)
    /// How long news waits: who asked for something is answered before it is told of it.
    private static let delay = Duration.milliseconds(20)

    private struct State {
        var listeners: [Int: AsyncStream<[UInt8]>.Continuation] = [:]
        var next = 0
        var follower: Task<Void, Never>?
    }

    private let service: LedgerService
    private let scheme: GIDScheme
    private let state = Mutex(State())

    init(_ service: LedgerService, _ scheme: GIDScheme) {
        self.service = service
        self.scheme = scheme
    }

    /// Frames from now on, until the one who listens leaves, is too far behind, or the ledger is closed.
    func listen() -> AsyncStream<[UInt8]> {
        let last = service.ledger.lastSequence
        return AsyncStream(bufferingPolicy: .bufferingOldest(Self.behindMax)) { continuation in
            let number = state.withLock { state in
                state.next += 1
                state.listeners[state.next] = continuation
                if state.follower == nil {
                    state.follower = Task { await self.follow(after: last) }
                }
                return state.next
            }
            continuation.onTermination = { [weak self] _ in self?.leave(number) }
        }
    }

    /// Tells of something that the ledger knows nothing of.
    func tell(_ notification: Notification, _ gid: GID) {
        let clock = service.ledger.world.clock
        Task {
            do { try await clock.sleep(until: clock.uptime() + Self.delay) } catch { return }
            send([(notification, gid)])
        }
    }

    private func leave(_ number: Int) {
        state.withLock { state in
            state.listeners[number] = nil
            guard state.listeners.isEmpty else { return }
            state.follower?.cancel()
            state.follower = nil
        }
    }

    private func send(_ news: [(Notification, GID)]) {
        guard !news.isEmpty else { return }
        let frames = news.map { Self.frame($0.0, $0.1) }
        // Outside the lock: who leaves asks for it.
        for (_, listener) in state.withLock({ $0.listeners }) {
            for frame in frames {
                if case .dropped = listener.yield(frame) {
                    listener.finish()
                    break
                }
            }
        }
    }

    static func frame(_ notification: Notification, _ gid: GID) -> [UInt8] {
        Array(#"{"jsonrpc":"2.0","method":"\#(notification.rawValue)","params":[{"gid":"\#(gid)"}]}"#.utf8)
    }
}

extension Herald {
    private func follow(after start: SequenceNumber) async {
        let follower = Follower(service, Chronicle(after: start), after: start)
        do throws(Problem) {
            while !Task.isCancelled {
                await rest()
                let (running, hindrances) = (service.running, service.hindrances)
                guard let news = try await news(of: follower, running) else { continue }
                send(news)
                await service.waitForNews(
                    after: follower.seen, ran: running, unless: hindrances, atMost: running.isEmpty ? nil : Self.pause)
            }
        } catch {
            // The ledger is closed: there is no more to tell. Where the last listener left meanwhile, those that came
            // since have another who follows.
            let listeners = state.withLock { state in
                guard !Task.isCancelled else { return [AsyncStream<[UInt8]>.Continuation]() }
                state.follower = nil
                return Array(state.listeners.values)
            }
            for listener in listeners { listener.finish() }
        }
    }

    private func rest(_ pause: Duration = Herald.delay) async {
        let clock = service.ledger.world.clock
        do { try await clock.sleep(until: clock.uptime() + pause) } catch { return }
    }

    /// What there is to tell; nil, a moment later, where it could not be read for want of a descriptor.
    private func news(
        of follower: Follower<Chronicle>, _ running: Set<DownloadID>
    ) async throws(Problem) -> [(Notification, GID)]? {
        do throws(Problem) { return try await look(at: follower, running) } catch {
            guard error.code == .disk else { throw error }
            await rest(Ledger.followPauseMin)
            return nil
        }
    }

    private func look(
        at follower: Follower<Chronicle>, _ running: Set<DownloadID>
    ) async throws(Problem) -> [(Notification, GID)] {
        let scheme = scheme
        return try await follower.look { chronicle, state in
            let active = running.filter { state.queue[$0]?.phase.mayRun ?? false }
            // What was redacted has no name any longer.
            return chronicle.tell(active: active).compactMap { news in
                state.queue[news.id].map { (news.notification, scheme.gid(of: $0)) }
            }
        }
    }
}
