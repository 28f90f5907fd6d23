import AsyncHTTPClient
import LedgerModel
import LedgerTransfer
import NIOCore
import NIOHTTP1
import NIOHTTP2
import NIOPosix
import NIOSSL
import SystemPackage

extension Failure {
    /// What an error of the HTTP engine, of TLS or of the socket means.
    /// - Parameters:
    ///   - peer: the other end, as messages name it: an origin in quotes, or a proxy.
    ///   - hasHead: whether the answer had begun.
    ///   - patience: the longest silence allowed.
    static func of(_ error: any Error, peer: String, hasHead: Bool, patience: TimeAmount) -> Failure {
        switch error {
        case let error as Failure: return error
        case let error as HTTPClientError: return client(error, hasHead, peer, patience)
        case let error as HTTPParserError: return parser(error)
        case let error as NIOConnectionError: return connection(error, peer, patience)
        case let error as IOError: return socket(Errno(rawValue: error.errnoCode), peer)
        case let error as ChannelError: return channel(error, hasHead, peer, patience)
        case let error as NIOSSLError: return tls(error, peer)
        case let error as BoringSSLError: return tls(error, peer)
        case is StaleConnection: return unanswered(peer)
        case is NIOSSLExtraError:
            return Failure(.tls, "the certificate of \(peer) is for another name", isRetryable: false)
        case let error as NIOHTTP2Errors.StreamClosed:
            // Either side may have: what does not keep to the protocol is reset by us.
            let code = String(error.errorCode.networkCode, radix: 16)
            return Failure(
                .connectionLost, "the stream with \(peer) was reset (HTTP/2 error 0x\(code))", isRetryable: true)
        default:
            return Failure(.connectionLost, "the connection to \(peer) failed: \(words(error))", isRetryable: true)
        }
    }

    /// The same failure, excused when it is one to connect and this machine has no way to any address of the other
    /// end.
    /// - Parameters:
    ///   - problem: what the engine said: of addresses in numbers it names none.
    ///   - peer: the host that was to be connected to: a proxy, or the one of the URL.
    ///   - host: that of the URL.
    func excused(_ problem: (any Error)?, peer: String, host: String, _ ways: LostWays) async -> Failure {
        guard [.nameNotResolved, .unreachable, .connectTimeout].contains(code) else { return self }
        let tried = (problem as? NIOConnectionError)?.connectionErrors.compactMap(\.target.ipAddress)
        guard await ways.note(host, tried ?? [peer]) else { return self }
        var failure = self
        failure.isExcused = true
        failure.message = "this machine has no network: \(message)"
        return failure
    }

    /// What an error of a library is called, without the place in its source that it may name.
    static func words(_ error: any Error) -> String {
        let text = "\(error)"
        return text.contains(".swift") ? "\(type(of: error))" : text
    }

    private static func client(
        _ error: HTTPClientError, _ hasHead: Bool, _ peer: String, _ patience: TimeAmount
    ) -> Failure {
        let limit = patience.words
        switch error {
        case .connectTimeout, .getConnectionFromPoolTimeout:
            return Failure(.connectTimeout, "no connection to \(peer) within \(limit)", isRetryable: true)
        case .tlsHandshakeTimeout:
            return Failure(.connectTimeout, "TLS with \(peer) did not begin within \(limit)", isRetryable: true)
        case .remoteConnectionClosed:
            return hasHead ? cut : unanswered(peer)
        case .uncleanShutdown: return unclean
        case .readTimeout, .deadlineExceeded:
            return Failure(.silence, "no byte from \(peer) for \(limit)", isRetryable: true)
        case .cancelled: return .cancelled
        default:
            return Failure(.protocolViolation, "\(peer) can not be talked to: \(error)", isRetryable: false)
        }
    }

    private static func unanswered(_ peer: String) -> Failure {
        Failure(.connectionLost, "\(peer) closed without an answer", isRetryable: true)
    }

    private static func parser(_ error: HTTPParserError) -> Failure {
        if error == .invalidEOFState { return cut }
        return Failure(.protocolViolation, "the origin does not speak HTTP: \(error)", isRetryable: false)
    }

    private static func channel(
        _ error: ChannelError, _ hasHead: Bool, _ peer: String, _ patience: TimeAmount
    ) -> Failure {
        switch error {
        case .connectTimeout:
            return Failure(
                .connectTimeout, "no connection to \(peer) within \(patience.words)", isRetryable: true)
        case .inputClosed, .eof, .ioOnClosedChannel, .alreadyClosed, .outputClosed:
            return hasHead ? cut : unanswered(peer)
        default:
            return Failure(.connectionLost, "the connection to \(peer) failed: \(error)", isRetryable: true)
        }
    }

    private static func connection(_ error: NIOConnectionError, _ peer: String, _ patience: TimeAmount) -> Failure {
        guard let first = error.connectionErrors.first?.error else {
            return Failure(.nameNotResolved, "the name '\(error.host)' is not known", isRetryable: true)
        }
        if let io = first as? IOError { return socket(Errno(rawValue: io.errnoCode), peer) }
        if let channel = first as? ChannelError { return self.channel(channel, false, peer, patience) }
        return Failure(.unreachable, "no connection to \(peer): \(first)", isRetryable: true)
    }

    private static func socket(_ errno: Errno, _ peer: String) -> Failure {
        switch errno {
        case .connectionRefused:
            return Failure(.unreachable, "\(peer) refused the connection", isRetryable: true)
        case .connectionReset, .brokenPipe, .connectionAbort:
            return Failure(.connectionLost, "\(peer) reset the connection", isRetryable: true)
        case .timedOut:
            return Failure(.connectTimeout, "the connection to \(peer) timed out", isRetryable: true)
        case .noRouteToHost, .networkUnreachable, .networkDown, .hostIsDown:
            return Failure(.unreachable, "there is no way to \(peer): \(errno)", isRetryable: true)
        default:
            return Failure(.connectionLost, "the connection to \(peer) failed: \(errno)", isRetryable: true)
        }
    }
}

extension TimeAmount {
    /// In words: whole seconds as such, else milliseconds.
    fileprivate var words: String {
        let milliseconds = nanoseconds / 1_000_000
        return milliseconds % 1000 == 0 ? "\(milliseconds / 1000) s" : "\(milliseconds) ms"
    }
}
