import AsyncHTTPClient
import LedgerModel
import LedgerTransfer
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import SystemPackage

extension Failure {
    /// What an error of the HTTP engine, of TLS or of the socket means.
    /// - Parameter hasHead: whether the answer had begun.
    static func of(_ error: any Error, hasHead: Bool, _ request: TransferRequest) -> Failure {
        let host = request.url.host
        switch error {
        case let error as HTTPClientError: return client(error, hasHead, request)
        case let error as HTTPParserError: return parser(error)
        case let error as NIOConnectionError: return connection(error, request)
        case let error as IOError: return socket(Errno(rawValue: error.errnoCode), host)
        case let error as ChannelError: return channel(error, hasHead, request)
        case let error as NIOSSLError: return tls(error, host)
        case is NIOSSLExtraError:
            return Failure(.tls, "the certificate of '\(host)' is for another name", isRetryable: false)
        default:
            return Failure(.connectionLost, "the connection to '\(host)' failed: \(error)", isRetryable: true)
        }
    }

    private static func client(_ error: HTTPClientError, _ hasHead: Bool, _ request: TransferRequest) -> Failure {
        let (host, limit) = (request.url.host, seconds(request))
        switch error {
        case .connectTimeout, .getConnectionFromPoolTimeout:
            return Failure(.connectTimeout, "no connection to '\(host)' within \(limit)", isRetryable: true)
        case .tlsHandshakeTimeout:
            return Failure(.connectTimeout, "TLS with '\(host)' did not begin within \(limit)", isRetryable: true)
        case .httpProxyHandshakeTimeout, .socksHandshakeTimeout:
            return Failure(.connectTimeout, "the proxy did not answer within \(limit)", isRetryable: true)
        case .remoteConnectionClosed:
            return hasHead ? cut : Failure(.connectionLost, "'\(host)' closed without an answer", isRetryable: true)
        case .uncleanShutdown: return unclean
        case .readTimeout, .deadlineExceeded:
            return Failure(.silence, "no byte from '\(host)' for \(limit)", isRetryable: true)
        case .cancelled: return Failure(.connectionLost, "the transfer was cancelled", isRetryable: true)
        case .proxyAuthenticationRequired:
            return Failure(.unreachable, "the proxy asks for a user and a password", isRetryable: false)
        case .invalidProxyResponse:
            return Failure(.unreachable, "the proxy refused the connection to '\(host)'", isRetryable: true)
        default:
            return Failure(.protocolViolation, "'\(host)' can not be talked to: \(error)", isRetryable: false)
        }
    }

    /// A body that is not whole: its length was not reached, or its last chunk is missing.
    private static let cut = Failure(
        .connectionLost, "the connection closed before the body was whole", isRetryable: true)

    private static func parser(_ error: HTTPParserError) -> Failure {
        if error == .invalidEOFState { return cut }
        return Failure(.protocolViolation, "the origin does not speak HTTP/1.1: \(error)", isRetryable: false)
    }

    private static func channel(_ error: ChannelError, _ hasHead: Bool, _ request: TransferRequest) -> Failure {
        let host = request.url.host
        switch error {
        case .connectTimeout:
            return Failure(
                .connectTimeout, "no connection to '\(host)' within \(seconds(request))", isRetryable: true)
        case .inputClosed, .eof, .ioOnClosedChannel, .alreadyClosed, .outputClosed:
            return hasHead ? cut : Failure(.connectionLost, "'\(host)' closed without an answer", isRetryable: true)
        default:
            return Failure(.connectionLost, "the connection to '\(host)' failed: \(error)", isRetryable: true)
        }
    }

    private static func connection(_ error: NIOConnectionError, _ request: TransferRequest) -> Failure {
        let host = error.host
        guard let first = error.connectionErrors.first?.error else {
            return Failure(.nameNotResolved, "the name '\(host)' is not known", isRetryable: true)
        }
        if let io = first as? IOError { return socket(Errno(rawValue: io.errnoCode), host) }
        if let channel = first as? ChannelError { return self.channel(channel, false, request) }
        return Failure(.unreachable, "no connection to '\(host)': \(first)", isRetryable: true)
    }

    private static func socket(_ errno: Errno, _ host: String) -> Failure {
        switch errno {
        case .connectionRefused:
            return Failure(.unreachable, "'\(host)' refused the connection", isRetryable: true)
        case .connectionReset, .brokenPipe, .connectionAbort:
            return Failure(.connectionLost, "'\(host)' reset the connection", isRetryable: true)
        case .timedOut:
            return Failure(.connectTimeout, "the connection to '\(host)' timed out", isRetryable: true)
        case .noRouteToHost, .networkUnreachable, .networkDown, .hostIsDown:
            return Failure(.unreachable, "there is no way to '\(host)': \(errno)", isRetryable: true)
        default:
            return Failure(.connectionLost, "the connection to '\(host)' failed: \(errno)", isRetryable: true)
        }
    }

    private static func seconds(_ request: TransferRequest) -> String {
        let milliseconds = request.route.silenceMillisecondsMax
        return milliseconds % 1000 == 0 ? "\(milliseconds / 1000) s" : "\(milliseconds) ms"
    }
}
