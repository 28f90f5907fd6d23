import AsyncHTTPClient
import HTTPTypes
import LedgerModel
import LedgerTransfer
import NIOCore
import NIOHTTP1
import Synchronization

/// One answer: shows its head, and puts its body into the sink on the event loop.
///
/// The methods of the delegate are called on the task's event loop, one at a time; the lock is for the task that runs
/// `receive` and for whoever asks afterwards. What arrives while `receive` is at work is kept here: the engine drops
/// what it holds itself when the connection ends, and a short body that was cut would then never make progress.
final class ResponseDelegate: HTTPClientResponseDelegate, EarlyBody {
    /// How much of an unwanted body is read so that its connection can be used again, in bytes; a longer one is cut.
    static let drainBytesMax = 64 << 10
    /// How long that may take at most: what comes next is known, and an origin that drips must not hold it up.
    static let drainTimeMax = TimeAmount.seconds(1)
    /// How much is kept while `receive` is at work, in bytes; the rest is held back by TCP. Hundreds of connections may
    /// wait so at once.
    static let earlyBytesMax = 64 << 10

    /// The body was not wanted: not an error.
    struct Left: Error {}

    typealias Receive = @Sendable (TransferResponse) async throws(Failure) -> (any BodySink)?

    private let receive: Receive
    private let executor: any TaskExecutor
    private let silence: SilenceWatch
    private let state = Mutex(State())

    private struct State {
        var receiving: Task<Void, Never>?
        var isReady = false
        var sink: (any BodySink)?
        var early: [ByteBuffer] = []
        var earlyBytes = 0
        var whenReady: EventLoopPromise<Void>?
        var isSent = false
        var hasHead = false
        var drained = 0
        var drainEnd: Scheduled<Void>?
        var failure: Failure?
        var isCancelled = false
    }

    /// A delegate that shows the head to `receive`, on the task's own event loop, which is `executor`.
    init(receive: @escaping Receive, on executor: any TaskExecutor, host: String, silence: TimeAmount) {
        self.receive = receive
        self.executor = executor
        self.silence = SilenceWatch(longest: silence, host: host)
    }

    func didSendRequest(task: HTTPClient.Task<Void>) {
        state.withLock { $0.isSent = true }
        silence.start(on: task)
    }

    func didReceiveHead(task: HTTPClient.Task<Void>, _ head: HTTPResponseHead) -> EventLoopFuture<Void> {
        silence.hold()
        if let refusal = head.refusal {
            state.withLock { state in
                state.hasHead = true
                state.failure = refusal
            }
            return task.eventLoop.makeFailedFuture(refusal)
        }
        let response = TransferResponse(head, early: self)
        let receiving = Task(executorPreference: executor) {
            var sink: (any BodySink)?
            var failure: Failure?
            do throws(Failure) { sink = try await self.receive(response) } catch { failure = error }
            let (wanted, reason) = (sink, failure)
            await withCheckedContinuation { continuation in
                task.eventLoop.execute {
                    self.ready(wanted, reason, response, task)
                    continuation.resume()
                }
            }
        }
        let isCancelled = state.withLock { state in
            (state.hasHead, state.receiving) = (true, receiving)
            return state.isCancelled
        }
        if isCancelled { receiving.cancel() }
        return task.eventLoop.makeSucceededVoidFuture()
    }

    /// `receive` is over: what came meanwhile goes where it said.
    private func ready(
        _ sink: (any BodySink)?, _ failure: Failure?, _ response: TransferResponse, _ task: HTTPClient.Task<Void>
    ) {
        let (early, promise) = state.withLock { state in
            state.isReady = true
            state.sink = sink
            state.failure = failure
            defer { (state.early, state.whenReady) = ([], nil) }
            return (state.early, state.whenReady)
        }
        silence.resume(.body)
        if let failure {
            task.fail(reason: failure)
        } else if sink == nil, !Self.isShort(response) {
            task.fail(reason: Left())
        } else if sink == nil {
            let end = task.eventLoop.scheduleTask(in: Self.drainTimeMax) { task.fail(reason: Left()) }
            state.withLock { $0.drainEnd = end }
        }
        for buffer in early {
            didReceiveBodyPart(task: task, buffer).whenFailure { task.fail(reason: $0) }
        }
        promise?.succeed()
    }

    func didReceiveBodyPart(task: HTTPClient.Task<Void>, _ buffer: ByteBuffer) -> EventLoopFuture<Void> {
        let loop = task.eventLoop
        let (isReady, sink, failure) = state.withLock { ($0.isReady, $0.sink, $0.failure) }
        guard isReady else { return keep(buffer, loop) }
        if let failure { return loop.makeFailedFuture(failure) }
        guard let sink else { return drain(buffer.readableBytes, loop) }
        do throws(Failure) {
            let pause = try sink.write(buffer.readableBytesSpan)
            guard pause > .zero else {
                silence.note(buffer.readableBytes)
                return loop.makeSucceededVoidFuture()
            }
            silence.hold()
            return rest(pause, sink, loop)
        } catch {
            state.withLock { $0.failure = error }
            return loop.makeFailedFuture(error)
        }
    }

    /// Holds the next bytes back, as long as the sink said, or less when its limit is raised meanwhile.
    private func rest(_ pause: Duration, _ sink: any BodySink, _ loop: any EventLoop) -> EventLoopFuture<Void> {
        loop.scheduleTask(in: TimeAmount(min(pause, RateLimiter.pauseMax))) {}.futureResult.flatMap {
            if self.state.withLock({ $0.isCancelled }) { return loop.makeFailedFuture(CancellationError()) }
            let left = pause > RateLimiter.pauseMax ? min(sink.pause(), pause - RateLimiter.pauseMax) : .zero
            if left > .zero { return self.rest(left, sink, loop) }
            self.silence.resume(.body)
            return loop.makeSucceededVoidFuture()
        }
    }

    /// Whether the request went out on a connection.
    var isSent: Bool { state.withLock { $0.isSent } }

    /// Whether the connection was closed before the request went out on it.
    func foundClosed(_ error: (any Error)?) -> Bool {
        guard error as? HTTPClientError == .remoteConnectionClosed || error as? ChannelError == .ioOnClosedChannel
        else { return false }
        return !isSent
    }

    /// The fetch is over: what a rate limit holds back is held no longer, and what `receive` does by turns is left off.
    /// The client does not say so while it has the end of the body already.
    func cancel() {
        let receiving = state.withLock { state in
            state.isCancelled = true
            return state.receiving
        }
        receiving?.cancel()
    }

    private func keep(_ buffer: ByteBuffer, _ loop: any EventLoop) -> EventLoopFuture<Void> {
        state.withLock { state in
            state.early.append(buffer)
            state.earlyBytes += buffer.readableBytes
            guard state.earlyBytes > Self.earlyBytesMax else { return loop.makeSucceededVoidFuture() }
            let promise = state.whenReady ?? loop.makePromise(of: Void.self)
            state.whenReady = promise
            return promise.futureResult
        }
    }

    func take(_ body: (RawSpan) throws(Failure) -> Void) throws(Failure) {
        let early = state.withLock { state in
            // They count until the sink is known: so much is in memory until `body` is done with it.
            defer { state.early = [] }
            return state.early
        }
        for buffer in early { try body(buffer.readableBytesSpan) }
    }

    func didFinishRequest(task: HTTPClient.Task<Void>) { end() }

    func didReceiveError(task: HTTPClient.Task<Void>, _ error: any Error) { end() }

    private func end() {
        silence.stop()
        state.withLock { $0.drainEnd }?.cancel()
    }

    /// Waits until `receive` is over.
    func settled() async {
        silence.stop()
        await state.withLock { $0.receiving }?.value
    }

    /// What the end of the fetch means; nil for a whole body, or one that was not wanted.
    func outcome(of problem: (any Error)?, _ request: TransferRequest) -> Failure? {
        let (failure, isSent, hasHead) = state.withLock { ($0.failure, $0.isSent, $0.hasHead) }
        if let failure { return failure }
        guard let problem, !(problem is Left) else { return nil }
        // Until a request could be sent, the other end is the proxy.
        let proxy = isSent ? nil : request.route.proxy
        return Failure.of(
            problem, peer: proxy.map { "the proxy '\($0.authority)'" } ?? "'\(request.url.host)'", hasHead: hasHead,
            patience: .milliseconds(Int64(request.route.silenceMillisecondsMax)))
    }

    private func drain(_ count: Int, _ loop: any EventLoop) -> EventLoopFuture<Void> {
        let drained = state.withLock { state in
            state.drained += count
            return state.drained
        }
        silence.note(count)
        return drained > Self.drainBytesMax ? loop.makeFailedFuture(Left()) : loop.makeSucceededVoidFuture()
    }

    private static func isShort(_ response: TransferResponse) -> Bool {
        switch response.framing {
        case .length(let length): length <= UInt64(drainBytesMax)
        case .chunked: true
        case .close: false
        }
    }
}

extension TransferResponse {
    fileprivate init(_ head: HTTPResponseHead, early: any EarlyBody) {
        var fields = HTTPFields()
        for (name, value) in head.headers {
            guard let name = HTTPField.Name(name) else { continue }
            fields.append(HTTPField(name: name, value: value))
        }
        let status = Int(head.status.code)
        let framing: BodyFraming
        if status < 200 || status == 204 || status == 304 {
            framing = .length(0)
        } else if let coding = head.transferCoding {
            framing = coding == "chunked" ? .chunked : .close
        } else if let length = head.headers.first(name: "content-length").flatMap({ UInt64($0) }) {
            framing = .length(length)
        } else {
            // HTTP/2 ends a body as the chunked coding does: by a mark of its own (RFC 9113, section 8.1).
            framing = head.version.major > 1 ? .chunked : .close
        }
        self.init(status: status, fields: fields, framing: framing)
        self.early = early
    }
}

extension HTTPResponseHead {
    /// The transfer codings as they came, in one text in lower case; nil for none. Not taken apart: the engine does not
    /// know its own coding in a list either.
    fileprivate var transferCoding: String? {
        let codings = headers["transfer-encoding"].filter { !$0.isEmpty }
        return codings.isEmpty ? nil : codings.joined(separator: ", ").lowercased()
    }

    /// Why the body can not be read: any coding but these leaves its own bytes in it (RFC 9112, 6.1), and the engine
    /// hands them over as they are.
    fileprivate var refusal: Failure? {
        guard let coding = transferCoding, coding != "chunked", coding != "identity" else { return nil }
        let words = "the origin sends the body in the transfer coding '\(coding.prefix(64))', which nobody asked for"
        return Failure(.protocolViolation, words, isRetryable: false)
    }
}

extension TimeAmount {
    fileprivate init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        self = .nanoseconds(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    }
}
