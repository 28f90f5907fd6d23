import FoundationEssentials
import Synchronization

/// What is shown of downloads as they go, and who looks on. Fed by one follower of the ledger, whatever the number of
/// those who look.
final class Board: Sendable {
    /// What someone who looks at one download is shown.
    enum Look: Sendable {
        case download(Download)
        /// The ledger ended first, or there is no such download.
        case lost(DownloadError)
    }

    /// What happened at once.
    struct Batch: Sendable {
        /// One more than that of the batch before it: who was shown another one has missed some.
        let number: UInt64
        let changes: [DownloadChange]
    }

    /// What happened to downloads that are taken together.
    struct News {
        /// Those that are new, or were brought back.
        var added: Set<Download.ID> = []
        /// Those that came to an end.
        var ended: Set<Download.ID> = []
    }

    /// How many batches are kept for one who reads slowly; beyond it the oldest are let go.
    private static let batchesMax = 64

    /// One who is told of every change.
    private struct Follower {
        let continuation: AsyncStream<DownloadChange>.Continuation
        /// How many changes were told since ``DownloadChange/missed`` was; while they are fewer than are kept, that one
        /// is still to be read when something is let go.
        var sinceMissed = DownloadChange.bufferedMax

        mutating func tell(_ change: DownloadChange) {
            let result = continuation.yield(change)
            sinceMissed += 1
            guard case .dropped = result, sinceMissed >= DownloadChange.bufferedMax else { return }
            continuation.yield(.missed)
            sinceMissed = 0
        }
    }

    private struct State {
        /// The downloads that have not ended, as they were shown last.
        var live: [Download.ID: Download] = [:]
        var lookers: [Download.ID: [UInt64: AsyncStream<Look>.Continuation]] = [:]
        var followers: [UInt64: Follower] = [:]
        var lists: [UInt64: AsyncStream<Batch>.Continuation] = [:]
        var batches: UInt64 = 0
        var nextToken: UInt64 = 0
        var failure: DownloadError?
        /// Whether what there was at the beginning is shown.
        var isFilled = false

        mutating func token() -> UInt64 {
            nextToken += 1
            return nextToken
        }

        mutating func remove(_ leaver: Leaver) {
            switch leaver {
            case .follower(let token): (followers[token], lists[token]) = (nil, nil)
            case .looker(let id, let token):
                lookers[id]?[token] = nil
                if lookers[id]?.isEmpty ?? false { lookers[id] = nil }
            }
        }

        mutating func tell(_ changes: [DownloadChange]) {
            for token in Array(followers.keys) {
                for change in changes { followers[token]?.tell(change) }
            }
            batches += 1
            for continuation in lists.values { continuation.yield(Batch(number: batches, changes: changes)) }
        }
    }

    /// One who reads no more.
    private enum Leaver {
        case follower(UInt64)
        case looker(Download.ID, UInt64)
    }

    // Streams are told within the lock, so that nothing older comes after something newer; they are ended outside of
    // it, since that calls back.
    private let state = Mutex(State())
    // Who leaves calls back too, out of a cancellation that holds a lock of its task, and telling wants that one: so it
    // takes no more than a lock that nobody tells within, and is let go with what happens next.
    private let leavers = Mutex<[Leaver]>([])

    private func withState<Answer>(_ body: (inout State) -> sending Answer) -> sending Answer {
        let leavers = leavers.withLock { leavers in
            defer { leavers = [] }
            return leavers
        }
        return state.withLock { state in
            for leaver in leavers { state.remove(leaver) }
            return body(&state)
        }
    }

    /// What changes from now on; ends when the ledger is closed.
    func changes() -> AsyncStream<DownloadChange> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: DownloadChange.self, bufferingPolicy: .bufferingNewest(DownloadChange.bufferedMax))
        join(continuation) { state, token in state.followers[token] = Follower(continuation: continuation) }
        return stream
    }

    /// The same in the portions that it happens in, and the number of the last one before them.
    func batches() -> (AsyncStream<Batch>, last: UInt64) {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Batch.self, bufferingPolicy: .bufferingNewest(Self.batchesMax))
        var last: UInt64 = 0
        join(continuation) { state, token in
            state.lists[token] = continuation
            last = state.batches
        }
        return (stream, last)
    }

    private func join<Element>(
        _ continuation: AsyncStream<Element>.Continuation, _ enter: (inout State, UInt64) -> Void
    ) {
        let token = withState { state -> UInt64? in
            guard state.failure == nil else { return nil }
            let token = state.token()
            enter(&state, token)
            return token
        }
        guard let token else { return continuation.finish() }
        continuation.onTermination = { [weak self] _ in self?.leave(.follower(token)) }
    }

    /// A download as it is, once it is known, and as it becomes, until it has ended. Who is slow sees only the newest.
    /// - Parameter find: brings the download here that the board does not hold.
    func looks(at id: Download.ID, find: @escaping @Sendable () async -> Look) -> AsyncStream<Look> {
        let (stream, continuation) = AsyncStream.makeStream(of: Look.self, bufferingPolicy: .bufferingNewest(1))
        let (token, isKnown, failure) = withState { state in
            let token = state.token()
            if state.failure == nil { state.lookers[id, default: [:]][token] = continuation }
            if let known = state.live[id] { continuation.yield(.download(known)) }
            return (token, state.live[id] != nil, state.failure)
        }
        continuation.onTermination = { [weak self] _ in self?.leave(.looker(id, token)) }
        if let failure {
            continuation.yield(.lost(failure))
            continuation.finish()
        } else if !isKnown {
            Task { self.show(await find(), to: id, token) }
        }
        return stream
    }

    /// Shows what was found to one looker, unless it was shown something since.
    private func show(_ look: Look, to id: Download.ID, _ token: UInt64) {
        let ended = withState { state -> AsyncStream<Look>.Continuation? in
            guard state.live[id] == nil, let continuation = state.lookers[id]?[token] else { return nil }
            continuation.yield(look)
            if case .download(let download) = look, !download.state.isEnd { return nil }
            return continuation
        }
        ended?.finish()
    }

    /// Takes downloads that changed, with what happened to them, and says what that amounts to.
    @discardableResult
    func take(_ downloads: [Download], _ news: News) -> [DownloadChange] {
        let (changes, ended) = withState { state in
            var changes: [DownloadChange] = []
            var ended: [AsyncStream<Look>.Continuation] = []
            for download in downloads {
                let before = state.live[download.id]
                // What was shown already and is told as brought back had only a pause, or the like, undone.
                let isNew = before == nil && news.added.contains(download.id)
                let hasEnded = news.ended.contains(download.id)
                guard before != download || isNew else { continue }
                if state.isFilled {
                    changes.append(DownloadChange(to: download, from: before, isNew: isNew, hasEnded: hasEnded))
                }
                state.live[download.id] = download.state.isEnd ? nil : download
                for continuation in state.lookers[download.id, default: [:]].values {
                    continuation.yield(.download(download))
                    if download.state.isEnd { ended.append(continuation) }
                }
                // Nothing that was found before is shown after the end.
                if download.state.isEnd { state.lookers[download.id] = nil }
            }
            state.isFilled = true
            if !changes.isEmpty { state.tell(changes) }
            return (changes, ended)
        }
        for continuation in ended { continuation.finish() }
        return changes
    }

    /// Ends every stream: the ledger was closed, or closed itself.
    func end(_ failure: DownloadError) {
        let (lookers, followers, lists) = withState { state in
            state.failure = state.failure ?? failure
            defer { (state.lookers, state.followers, state.lists) = ([:], [:], [:]) }
            return (state.lookers.values.flatMap(\.values), state.followers.values, state.lists.values)
        }
        for continuation in lookers {
            continuation.yield(.lost(failure))
            continuation.finish()
        }
        for follower in followers { follower.continuation.finish() }
        for continuation in lists { continuation.finish() }
    }

    private func leave(_ leaver: Leaver) { leavers.withLock { $0.append(leaver) } }
}
