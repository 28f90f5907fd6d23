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

    private struct State {
        /// The downloads that have not ended, as they were shown last.
        var live: [Download.ID: Download] = [:]
        /// How those ended that were seen to end.
        var ended: [Download.ID: Download.State] = [:]
        var lookers: [Download.ID: [UInt64: AsyncStream<Look>.Continuation]] = [:]
        var followers: [UInt64: AsyncStream<DownloadChange>.Continuation] = [:]
        var nextToken: UInt64 = 0
        var failure: DownloadError?
        /// Whether what there was at the beginning is shown.
        var isFilled = false

        mutating func token() -> UInt64 {
            nextToken += 1
            return nextToken
        }
    }

    private let state = Mutex(State())

    /// The downloads that have not ended.
    var live: [Download] { state.withLock { Array($0.live.values) } }

    /// What changes from now on; ends when the ledger is closed.
    func changes() -> AsyncStream<DownloadChange> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: DownloadChange.self, bufferingPolicy: .bufferingNewest(DownloadChange.bufferedMax))
        let token = state.withLock { state -> UInt64? in
            guard state.failure == nil else { return nil }
            let token = state.token()
            state.followers[token] = continuation
            return token
        }
        guard let token else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in self?.leave(token) }
        return stream
    }

    /// A download as it is, once it is known, and as it becomes, until it has ended. Who is slow sees only the newest.
    /// - Parameter find: brings the download here that the board does not hold.
    func looks(at id: Download.ID, find: @escaping @Sendable () async -> Look) -> AsyncStream<Look> {
        let (stream, continuation) = AsyncStream.makeStream(of: Look.self, bufferingPolicy: .bufferingNewest(1))
        let (token, known, failure) = state.withLock { state in
            let token = state.token()
            if state.failure == nil { state.lookers[id, default: [:]][token] = continuation }
            return (token, state.live[id], state.failure)
        }
        continuation.onTermination = { [weak self] _ in self?.leave(id, token) }
        if let failure {
            continuation.yield(.lost(failure))
            continuation.finish()
        } else if let known {
            continuation.yield(.download(known))
        } else {
            Task { self.show(await find(), to: id, token) }
        }
        return stream
    }

    /// Shows what was found to one looker, unless it was shown something since.
    private func show(_ look: Look, to id: Download.ID, _ token: UInt64) {
        let continuation = state.withLock { state in state.live[id] == nil ? state.lookers[id]?[token] : nil }
        guard let continuation else { return }
        continuation.yield(look)
        switch look {
        case .download(let download): if download.state.isEnd { continuation.finish() }
        case .lost: continuation.finish()
        }
    }

    /// Takes downloads that changed, and says what that amounts to.
    @discardableResult
    func take(_ downloads: [Download]) -> [DownloadChange] {
        var changes: [DownloadChange] = []
        var shown: [(AsyncStream<Look>.Continuation, Download)] = []
        let followers = state.withLock { state in
            for download in downloads {
                let before = state.live[download.id]
                guard before != download else { continue }
                if state.isFilled {
                    let last = before?.state ?? state.ended[download.id]
                    changes.append(DownloadChange(to: download, from: before, last))
                }
                state.live[download.id] = download.state.isEnd ? nil : download
                state.ended[download.id] = download.state.isEnd ? download.state : nil
                for continuation in state.lookers[download.id, default: [:]].values {
                    shown.append((continuation, download))
                }
            }
            state.isFilled = true
            return Array(state.followers.values)
        }
        // Outside the lock: the end of a stream calls back.
        for (continuation, download) in shown {
            continuation.yield(.download(download))
            if download.state.isEnd { continuation.finish() }
        }
        for follower in followers {
            for change in changes {
                if case .dropped = follower.yield(change) { follower.yield(.missed) }
            }
        }
        return changes
    }

    /// Ends every stream: the ledger was closed, or closed itself.
    func end(_ failure: DownloadError) {
        let (lookers, followers) = state.withLock { state in
            state.failure = state.failure ?? failure
            defer { (state.lookers, state.followers) = ([:], [:]) }
            return (state.lookers.values.flatMap(\.values), Array(state.followers.values))
        }
        for continuation in lookers {
            continuation.yield(.lost(failure))
            continuation.finish()
        }
        for continuation in followers { continuation.finish() }
    }

    private func leave(_ token: UInt64) { state.withLock { $0.followers[token] = nil } }

    private func leave(_ id: Download.ID, _ token: UInt64) {
        state.withLock { state in
            state.lookers[id]?[token] = nil
            if state.lookers[id]?.isEmpty ?? false { state.lookers[id] = nil }
        }
    }
}
