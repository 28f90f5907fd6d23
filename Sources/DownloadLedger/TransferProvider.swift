public import FoundationEssentials

/// Another way for bytes to arrive than the ledger's own HTTP: a client of the app's, files it brought along, a test.
/// Everything else stays as it is: queue, retries, ranges, durability, digests. How long to wait for an origin that is
/// silent is for the provider to know: throw then, and it is tried again.
///
/// ```swift
/// struct Samples: TransferProvider {
///     func answer(_ request: TransferProviderRequest) async throws -> TransferProviderAnswer {
///         TransferProviderAnswer(status: 200, body: [try sample(named: request.url.lastPathComponent)])
///     }
/// }
/// configuration.provider = Samples()
/// ```
public protocol TransferProvider: Sendable {
    /// Answers one request. Redirects, retries and ranges are the ledger's: follow nothing and repeat nothing, and
    /// answer with the whole where `Range` is not understood.
    ///
    /// What it throws, here or in the body, is a lost connection to the ledger, which tries again; its description
    /// goes on record. When the task is cancelled it is to return soon: nobody wants the rest.
    func answer(_ request: TransferProviderRequest) async throws -> TransferProviderAnswer
}

/// What a ledger asks a provider for.
public struct TransferProviderRequest: Sendable {
    /// What to fetch, with the secrets that stand in it.
    public let url: URL
    /// The fields to send, in their order, those with secrets among them.
    public let fields: [(name: String, value: String)]

    /// The first value of a field; nil when there is none. Case does not count.
    public subscript(_ name: String) -> String? {
        fields.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}

/// What a provider answers.
public struct TransferProviderAnswer: Sendable {
    /// The status code of HTTP: 200 for the whole, 206 for the range that was asked for, 404 for nothing.
    public var status: Int
    /// The fields; those that a range needs are `Content-Range` and `ETag` or `Last-Modified`.
    public var fields: [(name: String, value: String)]
    /// How many bytes the body has; nil when its end alone tells.
    public var length: UInt64?
    /// The body, chunk by chunk. One that is fed by a continuation waits in memory for a slow disk or a limit: for what
    /// is large take `AsyncThrowingStream(unfolding:)`, which is asked for the next chunk once the last was written.
    public var body: AsyncThrowingStream<[UInt8], any Error>

    /// An answer of which the body comes as it comes.
    public init(
        status: Int, fields: [(name: String, value: String)] = [], length: UInt64? = nil,
        body: AsyncThrowingStream<[UInt8], any Error>
    ) {
        (self.status, self.fields, self.length, self.body) = (status, fields, length, body)
    }

    /// An answer of which the body is at hand.
    public init(status: Int, fields: [(name: String, value: String)] = [], body: [[UInt8]]) {
        let (stream, continuation) = AsyncThrowingStream.makeStream(of: [UInt8].self)
        for chunk in body { continuation.yield(chunk) }
        continuation.finish()
        self.init(
            status: status, fields: fields, length: body.reduce(0) { $0 + UInt64($1.count) }, body: stream)
    }
}
