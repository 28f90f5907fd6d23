import HTTPTypes
package import LedgerModel
package import LedgerTransfer
import Synchronization

/// What every ``Transport`` keeps, as one suite of checks that is run on each of them.
///
/// The origin behind `base` serves, at these paths: `/whole` ``wholeBody`` with its length, `/cut` the same cut after
/// ``cutBytes``, `/silent` nothing at all, `/missing` a 404 with a short body, `/secret` a 401 and `/moved` a 302 to
/// `/whole`, both with a body of two bytes.
package struct TransportContract: Sendable {
    /// The body of `/whole`.
    package static let wholeBody = OriginEntity.pattern(150_000)
    /// How much of it `/cut` sends before the connection closes.
    package static let cutBytes = 40_000

    private let transport: any Transport
    private let url: @Sendable (String) throws -> ResourceURL

    /// The contract for a transport, with the URLs of its origin.
    package init(_ transport: any Transport, url: @escaping @Sendable (String) throws -> ResourceURL) {
        self.transport = transport
        self.url = url
    }

    /// What came of one fetch.
    package struct Outcome: Sendable {
        /// The status of the head; nil when there was none.
        package var status: Int?
        /// How the head said the body would end.
        package var framing: BodyFraming?
        /// The bytes the sink was given.
        package var bytes: [UInt8]
        /// How the fetch ended; nil when it returned.
        package var failure: Failure?
    }

    /// Fetches a path, keeping what `keeps` says: `.all`, also with what came `.early` taken before the sink is told,
    /// `.nothing` (no sink), nothing before it is cancelled (`.waiting`) or a sink that refuses.
    package func fetch(_ path: String, _ keeps: Keeping = .all) async throws -> Outcome {
        let request = TransferRequest(
            url: try url(path), fields: [:], route: TransferRequest.Route(silenceMillisecondsMax: 30_000))
        let sink = Sink(keeps)
        let seen = Seen()
        do throws(Failure) {
            try await transport.fetch(request) { response throws(Failure) in
                seen.response.withLock { $0 = response }
                if case .refusingHead(let failure) = keeps { throw failure }
                if case .nothing = keeps { return nil }
                if case .waiting(let gate) = keeps { return await gate.waitForCancellation() }
                // Asked again until there is some: it arrives while nobody has said where it goes. By way of another
                // executor: an event loop on which this yields again and again does not come to its sockets.
                while case .early = keeps, let early = response.early, sink.bytes.withLock(\.isEmpty) {
                    await Task.detached { await Task.yield() }.value
                    try early.take { bytes throws(Failure) in _ = try sink.write(bytes) }
                }
                return sink
            }
        } catch { return outcome(seen, sink, error) }
        return outcome(seen, sink, nil)
    }

    /// What to do with an answer.
    package enum Keeping: Sendable {
        case all
        case early
        case nothing
        case waiting(Waiting)
        case refusingHead(Failure)
        case refusingBody(Failure)
    }

    /// Who takes an answer and does not before it is cancelled.
    package final class Waiting: Sendable {
        private let hasBegun = AsyncStream.makeStream(of: Void.self)
        private let isOver = AsyncStream.makeStream(of: Void.self)

        /// One that has no answer yet.
        package init() {}

        /// Waits until it has one.
        package func untilBegun() async { for await _ in hasBegun.stream { return } }

        /// - Returns: that the body is not wanted, once cancelled.
        fileprivate func waitForCancellation() async -> (any BodySink)? {
            await withTaskCancellationHandler {
                hasBegun.continuation.yield()
                for await _ in isOver.stream { break }
            } onCancel: {
                isOver.continuation.finish()
            }
            return nil
        }
    }

    private func outcome(_ seen: Seen, _ sink: Sink, _ failure: Failure?) -> Outcome {
        let response = seen.response.withLock { $0 }
        return Outcome(
            status: response?.status, framing: response?.framing, bytes: sink.bytes.withLock { $0 }, failure: failure)
    }

    private final class Seen: Sendable {
        let response = Mutex<TransferResponse?>(nil)
    }

    private final class Sink: BodySink {
        let bytes = Mutex<[UInt8]>([])
        let keeps: Keeping

        init(_ keeps: Keeping) { self.keeps = keeps }

        func write(_ span: RawSpan) throws(Failure) -> Duration {
            if case .refusingBody(let failure) = keeps { throw failure }
            let copy = span.withUnsafeBytes { Array($0) }
            bytes.withLock { $0 += copy }
            return .zero
        }

        func pause() -> Duration { .zero }
    }
}
