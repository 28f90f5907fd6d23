package import LedgerModel

/// How bytes arrive: one request, one answer, its body streamed into a sink. Redirects, retries and ranges are the
/// caller's; a transport follows nothing and repeats nothing.
package protocol Transport: Sendable {
    /// Sends `request`, shows the answer's head to `receive`, and streams the body into the sink it returns.
    ///
    /// `receive` may wait (the body is held back meanwhile, by TCP); returning nil leaves without the body, which
    /// closes the connection or drains a short rest. The sink is called on the transport's own thread, one chunk at a
    /// time.
    /// - Returns: once the body ended as its framing says it must (for a body without length: by a clean close).
    /// - Throws: a ``Failure``, also the one `receive` or the sink threw. Cancelling the task closes the connection and
    ///   throws the failure `connection-lost`.
    func fetch(
        _ request: TransferRequest,
        receive: @escaping @Sendable (TransferResponse) async throws(Failure) -> (any BodySink)?
    ) async throws(Failure)

    /// Closes every connection. Fetches under way fail; later ones are refused.
    func shutdown() async

    /// Where the steps of a worker are best taken: where its bytes arrive. What blocks has no place there; see
    /// ``LedgerSystem/BlockingPool``. Nil for Swift's shared pool.
    var executor: (any TaskExecutor)? { get }

    /// The hosts that could not be connected to since this machine has no way to them: to ask for what they have is of
    /// no use now. Looked at anew each time, without waiting. A fetch that failed by this is
    /// ``LedgerModel/Failure/isExcused``.
    var lostHosts: Set<String> { get }
}

extension Transport {
    /// Nothing, for a transport that keeps nothing open.
    package func shutdown() async {}

    /// Swift's shared pool.
    package var executor: (any TaskExecutor)? { nil }

    /// None that is known of.
    package var lostHosts: Set<String> { [] }
}

/// What came of a body with its head, before its sink is known: to be written by the call that opens the file, on a
/// thread that may wait, and not on the transport's own.
package protocol EarlyBody: AnyObject, Sendable {
    /// Hands over what came so far and was not handed over before, in order; the sink gets what comes behind that.
    /// - Throws: what `body` throws; nothing of what came so far is kept then.
    func take(_ body: (RawSpan) throws(Failure) -> Void) throws(Failure)
}

/// Where a body goes.
package protocol BodySink: AnyObject, Sendable {
    /// Takes the next bytes, in order. Called on the transport's thread: it writes, and must not wait for anything
    /// else.
    /// - Returns: how long the next bytes are to be held back (by TCP), for a rate limit; zero for not at all. Silence
    ///   that was asked for here does not count against ``TransferRequest/Route/silenceMillisecondsMax``.
    /// - Throws: a ``Failure`` that ends the fetch and closes the connection.
    func write(_ bytes: RawSpan) throws(Failure) -> Duration

    /// How much longer the next bytes are to be held back. Asked now and then while they are, since a limit may have
    /// been raised.
    func pause() -> Duration
}

extension BodySink {
    /// Holds the next bytes back in a transport that runs in a task: as long as ``write(_:)`` said, or less when a
    /// limit is raised meanwhile.
    /// - Throws: ``LedgerModel/Failure/cancelled``.
    package func rest(_ pause: Duration) async throws(Failure) {
        var left = pause
        while left > .zero {
            do { try await Task.sleep(for: min(left, RateLimiter.pauseMax)) } catch { throw Failure.cancelled }
            left = self.pause()
        }
    }
}

extension Failure {
    /// How a fetch ends of which the task was cancelled.
    package static let cancelled = Failure(.connectionLost, "the transfer was cancelled", isRetryable: true)

    /// How a fetch ends of which the body stops before its framing says so: its length was not reached, or its last
    /// chunk is missing.
    package static let cut = Failure(
        .connectionLost, "the connection closed before the body was whole", isRetryable: true)
}
