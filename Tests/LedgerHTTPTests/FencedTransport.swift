import LedgerHTTP
import LedgerModel
import LedgerTransfer

/// The real transport, but for requests that a spoilt redirect leads to somebody else's machine.
struct FencedTransport: Transport {
    let transport: HTTPTransport
    let origin: String

    func fetch(
        _ request: TransferRequest,
        receive: @escaping @Sendable (TransferResponse) async throws(Failure) -> (any BodySink)?
    ) async throws(Failure) {
        guard request.url.origin == origin else {
            throw Failure(.unreachable, "'\(request.url.origin)' is none of our business", isRetryable: true)
        }
        try await transport.fetch(request, receive: receive)
    }
}
