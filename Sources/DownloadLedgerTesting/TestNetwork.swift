import HTTPTypes
import LedgerModel
import LedgerTestSupport
import LedgerTransfer

/// A network that answers as it is told. Addresses are told apart by their paths; what nobody spoke of is `404`.
///
/// ```swift
/// world.network.answer("https://example.org/a.mp3", [.unreachable, .cut(bytes, after: 1000), .file(bytes)])
/// ```
public struct TestNetwork: Sendable {
    let scripted = ScriptedTransport()

    init() {}

    /// What becomes of a request.
    public enum Answer: Sendable {
        /// A file with an entity tag, from an origin that serves ranges.
        case file([UInt8], entityTag: String = "\"v1\"")
        /// The same, but the connection is lost after so many bytes of the body.
        case cut([UInt8], after: Int, entityTag: String = "\"v1\"")
        /// A status without a body.
        case status(Int)
        /// There is no way to the origin.
        case unreachable
        /// Nothing, until the download is stopped.
        case silence
    }

    /// Serves a file at an address.
    public func serve(_ address: String, _ bytes: [UInt8]) { answer(address, [.file(bytes)]) }

    /// Answers the requests for an address one after the other; the last answer is given again and again.
    public func answer(_ address: String, _ answers: [Answer]) {
        scripted.script(Self.path(of: address), answers.map(\.script))
    }

    /// The path as the ledger asks for it.
    private static func path(of address: String) -> String {
        do throws(URLProblem) { return try ResourceURL.parse(address).url.path } catch {
            // Nothing can be enqueued under it; a path alone is taken as it is.
            return ResourceURL(recorded: address).path
        }
    }

    /// The addresses that were asked for, in order.
    public var requests: [String] { scripted.requests.map(\.url.text) }
}

extension TestNetwork.Answer {
    fileprivate var script: ScriptedTransport.Script {
        switch self {
        case .file(let bytes, let tag): return ScriptedTransport.entity(OriginEntity(bytes, entityTag: tag))
        case .cut(let bytes, let count, let tag):
            let lost = Failure(.connectionLost, "the connection was lost", isRetryable: true)
            return { request in
                let whole = ScriptedTransport.entity(OriginEntity(bytes, entityTag: tag))(request)
                guard case .response(let head, let chunks, _) = whole else { return whole }
                return .response(head, chunks: [Array(chunks.joined().prefix(count))], end: lost)
            }
        case .status(let status):
            return { _ in
                .response(TransferResponse(status: status, fields: [:], framing: .length(0)), chunks: [], end: nil)
            }
        case .unreachable:
            return { _ in .failure(Failure(.unreachable, "the network is unreachable", isRetryable: true)) }
        case .silence: return { _ in .silence }
        }
    }
}
