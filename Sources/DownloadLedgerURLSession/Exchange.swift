import Foundation
import LedgerModel
import LedgerTransfer
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One answer between the session's queue, on which it arrives, and the fetch, which takes it at its own pace.
final class Exchange: Sendable {
    /// How much of a body may wait to be taken, in bytes. Beyond it the session is held back where that can be done
    /// (Apple systems); where it can not, the answer is ended there.
    static let heldBytesMax = 16 << 20

    private enum Arrival: Sendable {
        case head(HTTPURLResponse)
        case body(Data)
    }

    private struct State {
        var hasHead = false
        var heldBytes = 0
        /// The task, while it is held back.
        var heldTask: URLSessionTask?
        /// Whether the answer was ended because too much of it waited.
        var isEnded = false
    }

    private let arriving: AsyncThrowingStream<Arrival, any Error>
    private let arrived: AsyncThrowingStream<Arrival, any Error>.Continuation
    private let state = Mutex(State())

    init() { (arriving, arrived) = AsyncThrowingStream.makeStream() }

    // MARK: On the session's queue

    func head(_ response: URLResponse) {
        // Nothing but HTTP is asked for; the end without a head is what is told of anything else.
        guard let response = response as? HTTPURLResponse else { return }
        state.withLock { $0.hasHead = true }
        arrived.yield(.head(response))
    }

    func body(_ data: Data, of task: URLSessionTask) {
        let isOver = state.withLock { state in
            guard !state.isEnded else { return false }
            arrived.yield(.body(data))
            state.heldBytes += data.count
            guard state.heldBytes > Self.heldBytesMax, state.heldTask == nil else { return false }
            #if canImport(FoundationNetworking)
                // Suspending a task would begin its request again from the start when it is resumed.
                state.isEnded = true
            #else
                // Within the lock, so that it does not come after the resuming.
                state.heldTask = task
                task.suspend()
            #endif
            return state.isEnded
        }
        if isOver { task.cancel() }
    }

    /// The task is over, with an error or after a whole answer, of which the head may not have been told (a redirect to
    /// nowhere).
    func end(_ error: (any Error)?, _ response: URLResponse?) {
        if error == nil, let response, !state.withLock({ $0.hasHead }) { head(response) }
        arrived.finish(throwing: state.withLock { $0.isEnded } ? nil : error)
    }

    // MARK: In the fetch

    /// Shows the head to `receive` and hands the body to the sink it returns.
    func hand(
        over request: TransferRequest,
        to receive: @Sendable (TransferResponse) async throws(Failure) -> (any BodySink)?
    ) async throws {
        var answer = arriving.makeAsyncIterator()
        guard case .head(let response)? = try await answer.next() else {
            try Task.checkCancellation()
            throw Failure(
                .connectionLost, "'\(request.url.host)' closed without an answer", isRetryable: true)
        }
        let head = TransferResponse(response)
        guard let sink = try await receive(head) else { return }
        let coding = ContentCoding(head.fields)
        guard coding == .identity || request.decodes else { throw Self.unpacked(coding, request) }
        var received: UInt64 = 0
        while case .body(let data)? = try await answer.next() {
            received += UInt64(data.count)
            let pause = try sink.write(data.span.bytes)
            took(data.count)
            try await sink.rest(pause)
        }
        try Task.checkCancellation()
        if state.withLock({ $0.isEnded }) { throw Self.heldBack }
        if case .length(let length) = head.framing, coding == .identity, received != length {
            throw Failure.cut
        }
    }

    private func took(_ count: Int) {
        state.withLock { state in
            state.heldBytes -= count
            guard state.heldBytes <= Self.heldBytesMax / 2 else { return }
            state.heldTask?.resume()
            state.heldTask = nil
        }
    }

    private static let heldBack = Failure(
        .connectionLost,
        "the answer was ended at \(heldBytesMax >> 20) MiB that were not taken yet: URLSession can not be held back "
            + "here. The rest is asked for next", isRetryable: true)

    private static func unpacked(_ coding: ContentCoding, _ request: TransferRequest) -> Failure {
        Failure(
            .unsupported,
            "'\(request.url.host)' sends the file packed (\(coding)) though nobody asked for that, and URLSession "
                + "hands it over unpacked: use the ledger's own client", isRetryable: false)
    }
}
