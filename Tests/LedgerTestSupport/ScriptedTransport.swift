import HTTPTypes
package import LedgerModel
package import LedgerTransfer
import Synchronization

/// A transport without a network: each request is answered by the script of its path, chunk by chunk, in an order that
/// is the same each time.
package final class ScriptedTransport: Transport {
    /// An answer, or what happens instead.
    package enum Answer: Sendable {
        /// A head, chunks, and how the body ends: whole (nil) or with a failure.
        case response(TransferResponse, chunks: [[UInt8]], end: Failure?)
        /// The request fails before an answer.
        case failure(Failure)
        /// Nothing, until the task is cancelled.
        case silence
    }

    /// Makes the answer to a request.
    package typealias Script = @Sendable (TransferRequest) -> Answer

    private let state = Mutex<(scripts: [String: [Script]], seen: [TransferRequest])>(([:], []))
    private let lost = Mutex<Set<String>>([])
    private let earlyChunks: Int

    /// A network where nothing answers yet, and where so many chunks of each body come with its head.
    package init(earlyChunks: Int = 0) { self.earlyChunks = earlyChunks }

    /// Answers every request for a path.
    package func on(_ path: String, _ answer: @escaping Script) { script(path, [answer]) }

    /// Answers the requests for a path one after the other; the last answer is given again and again.
    package func script(_ path: String, _ answers: [Script]) { state.withLock { $0.scripts[path] = answers } }

    package var lostHosts: Set<String> { lost.withLock { $0 } }

    /// Has the machine no way to these hosts from now on, and to all others.
    package func lose(_ hosts: Set<String>) { lost.withLock { $0 = hosts } }

    /// What was asked for so far, in order.
    package var requests: [TransferRequest] { state.withLock { $0.seen } }

    /// How a request fails to which there is no way.
    package static let noNetwork: Failure = {
        var failure = Failure(.unreachable, "this machine has no network", isRetryable: true)
        failure.isExcused = true
        return failure
    }()

    /// The answer of an origin in good order, its body in chunks of `chunkBytes`.
    package static func entity(_ entity: OriginEntity, chunkBytes: Int = 1 << 16) -> Script {
        { request in
            let (head, body) = entity.answer(to: request)
            let chunks = stride(from: 0, to: body.count, by: chunkBytes).map {
                Array(body[$0..<min($0 + chunkBytes, body.count)])
            }
            return .response(head, chunks: chunks, end: nil)
        }
    }

    package func fetch(
        _ request: TransferRequest,
        receive: @escaping @Sendable (TransferResponse) async throws(Failure) -> (any BodySink)?
    ) async throws(Failure) {
        if lostHosts.contains(request.url.host) { throw Self.noNetwork }
        switch answer(to: request) {
        case .failure(let failure): throw failure
        case .silence:
            await untilCancelled()
            throw Failure.cancelled
        case .response(var response, let chunks, let end):
            let early = EarlyChunks(Array(chunks.prefix(earlyChunks)))
            if earlyChunks > 0 { response.early = early }
            guard let sink = try await receive(response) else { return }
            for chunk in early.takeAll() + chunks.dropFirst(earlyChunks) {
                if Task.isCancelled { throw Failure.cancelled }
                _ = try sink.write(chunk.span.bytes)
                await Task.yield()
            }
            if let end { throw end }
        }
    }

    private func answer(to request: TransferRequest) -> Answer {
        let script = state.withLock { state -> Script? in
            state.seen.append(request)
            guard var script = state.scripts[request.url.path], let first = script.first else { return nil }
            if script.count > 1 {
                script.removeFirst()
                state.scripts[request.url.path] = script
            }
            return first
        }
        return script?(request)
            ?? .response(TransferResponse(status: 404, fields: [:], framing: .length(0)), chunks: [], end: nil)
    }

    private func untilCancelled() async {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        for await _ in stream {}
        continuation.finish()
    }
}

/// The chunks that came with a head, until somebody takes them.
private final class EarlyChunks: EarlyBody {
    private let left: Mutex<[[UInt8]]>

    init(_ chunks: [[UInt8]]) { left = Mutex(chunks) }

    func take(_ body: (RawSpan) throws(Failure) -> Void) throws(Failure) {
        for chunk in takeAll() { try body(chunk.span.bytes) }
    }

    func takeAll() -> [[UInt8]] {
        left.withLock { chunks in
            defer { chunks = [] }
            return chunks
        }
    }
}
