import HTTPTypes
package import LedgerModel
package import LedgerSystem
import Synchronization

/// Fetches what is small and read as a whole: a Metalink, a file of checksums, a feed. By the rules of a
/// download, redirects, mirrors and secrets included, but into memory and in one attempt.
package struct DocumentFetch: Sendable {
    private let transport: any Transport
    private let clock: any LedgerClock
    private let settings: TransferSettings

    /// What was fetched.
    package struct Document: Hashable, Sendable {
        /// Where it was, after redirects, with its secrets.
        package let url: ResourceURL
        /// Its `Content-Type` as it was given, a `charset` in it; nil when none was.
        package let contentType: String?
        /// Its bytes.
        package let bytes: [UInt8]
        /// What the origin said of it, its validators among it.
        package let origin: Origin
    }

    /// A way to fetch documents.
    package init(transport: any Transport, clock: any LedgerClock, settings: TransferSettings) {
        self.transport = transport
        self.clock = clock
        self.settings = settings
    }

    /// Fetches what an assignment is about; its destination means nothing here.
    /// - Throws: a ``Failure`` when it is not to be had, or is longer than `bytesMax`.
    package func fetch(_ assignment: Assignment, bytesMax: Int) async throws(Failure) -> Document {
        guard let document = try await fetch(assignment, bytesMax: bytesMax, unless: nil) else {
            preconditionFailure("a document that is asked for without a condition is answered")
        }
        return document
    }

    /// The same, unless it still is what it was when its origin said `known` of it: then nil.
    package func fetch(
        _ assignment: Assignment, bytesMax: Int, unless known: Origin?
    ) async throws(Failure) -> Document? {
        var machine = WorkerStateMachine(assignment.unpacking, settings: settings, held: nil)
        machine.condition = known?.condition
        let exchange = Exchange(machine, bytesMax: bytesMax)
        var action = exchange.start()
        while true {
            switch action {
            case .fail(let failure): throw failure
            case .finish: return exchange.document
            case .unchanged: return nil
            case .leaveDoubt(let words): throw Failure(.suspicious, words, isRetryable: true)
            case .request(let request):
                var failure: Failure?
                do throws(Failure) {
                    try await transport.fetch(request) { response throws(Failure) in
                        exchange.answered(request, response, now: clock.now())
                    }
                } catch { failure = error }
                action = exchange.ended(failure)
            }
        }
    }
}

/// One document on its way: the machine that judges, and the bytes that came.
private final class Exchange: BodySink {
    private let state: Mutex<State>
    private let bytesMax: Int

    private struct State {
        var machine: WorkerStateMachine
        var document: DocumentFetch.Document?
        var bytes: [UInt8] = []
        /// What the head of the answer led to, when its body is not wanted.
        var left: WorkerStateMachine.Action?
    }

    init(_ machine: WorkerStateMachine, bytesMax: Int) {
        state = Mutex(State(machine: machine))
        self.bytesMax = bytesMax
    }

    /// A document is short: nothing holds it back.
    func pause() -> Duration { .zero }

    func start() -> WorkerStateMachine.Action { state.withLock { $0.machine.start() } }

    /// The sink for the body when it is wanted.
    func answered(_ request: TransferRequest, _ response: TransferResponse, now: Timestamp) -> Exchange? {
        state.withLock { state in
            switch state.machine.answered(response, now: now) {
            case .leave(let action): state.left = action
            case .begin(let origin, let end):
                guard end == nil || origin.length == nil || end == origin.length else {
                    let words = "the origin answered with a part of the document, which nobody asked for"
                    state.machine.lostPart()
                    state.left = state.machine.failed(Failure(.protocolViolation, words, isRetryable: true))
                    return nil
                }
                state.bytes = []
                state.document = DocumentFetch.Document(
                    url: request.url, contentType: response.fields[.contentType], bytes: [],
                    origin: origin)
                return self
            case .append: preconditionFailure("nothing is held that a document could be appended to")
            }
            return nil
        }
    }

    /// The request is over: what comes next.
    func ended(_ failure: Failure?) -> WorkerStateMachine.Action {
        state.withLock { state in
            defer { state.left = nil }
            if let action = state.left { return action }
            if failure == nil, state.document != nil { return .finish(length: UInt64(state.bytes.count)) }
            state.document = nil
            state.machine.lostPart()
            return state.machine.failed(
                failure ?? Failure(.protocolViolation, "the origin closed without an answer", isRetryable: true))
        }
    }

    var document: DocumentFetch.Document {
        state.withLock { state in
            guard let document = state.document else { preconditionFailure("a document was accepted before it ended") }
            return DocumentFetch.Document(
                url: document.url, contentType: document.contentType, bytes: state.bytes, origin: document.origin)
        }
    }

    func write(_ bytes: RawSpan) throws(Failure) -> Duration {
        try state.withLock { state throws(Failure) in
            guard state.bytes.count + bytes.byteCount <= bytesMax else {
                throw Failure(.protocolViolation, "the document is longer than \(bytesMax) bytes", isRetryable: false)
            }
            unsafe bytes.withUnsafeBytes { unsafe state.bytes.append(contentsOf: $0) }
        }
        return .zero
    }
}
