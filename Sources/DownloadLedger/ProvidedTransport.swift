import FoundationEssentials
import LedgerModel
import LedgerTransfer

/// ``Transport`` over what an app provides.
final class ProvidedTransport: Transport {
    private let provider: any TransferProvider

    init(_ provider: any TransferProvider) { self.provider = provider }

    func fetch(
        _ request: TransferRequest,
        receive: @escaping @Sendable (TransferResponse) async throws(Failure) -> (any BodySink)?
    ) async throws(Failure) {
        let asked = TransferProviderRequest(
            url: URL(ofLedger: request.url.text), fields: request.pairs)
        let answer: TransferProviderAnswer
        do { answer = try await provider.answer(asked) } catch { throw Self.failure(error) }
        guard let sink = try await receive(answer.head) else { return }
        var (received, chunks) = (UInt64(0), answer.body.makeAsyncIterator())
        while true {
            let chunk: [UInt8]?
            do { chunk = try await chunks.next() } catch { throw Self.failure(error) }
            if Task.isCancelled { throw Self.failure(CancellationError()) }
            guard let chunk else { break }
            received += UInt64(chunk.count)
            if let length = answer.length, received > length {
                throw Failure(
                    .protocolViolation, "the provider gave more than the \(length) bytes it stated",
                    isRetryable: true)
            }
            try await sink.rest(try sink.write(chunk.span.bytes))
        }
        guard received == answer.length ?? received else {
            throw Failure(
                .connectionLost, "the provider gave \(received) bytes of \(answer.length ?? 0)", isRetryable: true)
        }
    }

    private static func failure(_ error: any Error) -> Failure {
        if Task.isCancelled { return .cancelled }
        return Failure(.connectionLost, "the provider of the transfer failed: \(error)", isRetryable: true)
    }
}

extension TransferProviderAnswer {
    /// The head as the ledger reads it.
    fileprivate var head: TransferResponse {
        TransferResponse(status: status, pairs: fields, framing: length.map(BodyFraming.length) ?? .close)
    }
}
