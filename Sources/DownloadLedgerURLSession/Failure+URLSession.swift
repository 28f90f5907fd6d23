import Foundation
import LedgerModel
import LedgerTransfer

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension Failure {
    /// What an error of a fetch through URLSession means.
    init(_ error: any Error, of request: TransferRequest) {
        let host = "'\(request.url.host)'"
        switch error {
        case let failure as Failure: self = failure
        case is CancellationError: self = .cancelled
        case let error as URLError: self.init(error, host, request.route.silenceMillisecondsMax)
        default: self.init(.connectionLost, "the connection to \(host) failed: \(error)", isRetryable: true)
        }
    }

    private init(_ error: URLError, _ host: String, _ silenceMillisecondsMax: UInt32) {
        switch error.code {
        case .cancelled: self = .cancelled
        case .timedOut:
            self.init(.silence, "no byte from \(host) for \(silenceMillisecondsMax) ms", isRetryable: true)
        case .cannotFindHost, .dnsLookupFailed:
            self.init(.nameNotResolved, "the name \(host) is not known", isRetryable: true)
        case .cannotConnectToHost, .notConnectedToInternet, .dataNotAllowed, .internationalRoamingOff:
            self.init(.unreachable, "no connection to \(host): \(error.words)", isRetryable: true)
            // No network, or none that may be used now.
            isExcused = error.code != .cannotConnectToHost
        case .secureConnectionFailed:
            self.init(.tls, "TLS with \(host) failed: \(error.words)", isRetryable: true)
        case .serverCertificateHasBadDate, .serverCertificateUntrusted, .serverCertificateHasUnknownRoot,
            .serverCertificateNotYetValid, .clientCertificateRejected, .clientCertificateRequired,
            .appTransportSecurityRequiresSecureConnection:
            self.init(.tls, "TLS with \(host) failed: \(error.words)", isRetryable: false)
        case .badServerResponse, .cannotParseResponse, .cannotDecodeRawData, .cannotDecodeContentData:
            self.init(.protocolViolation, "\(host) broke the rules of HTTP: \(error.words)", isRetryable: true)
        case .badURL, .unsupportedURL:
            self.init(.unsupported, "URLSession does not take the URL: \(error.words)", isRetryable: false)
        default:
            self.init(.connectionLost, "the connection to \(host) failed: \(error.words)", isRetryable: true)
        }
    }
}

extension URLError {
    /// The error without the URL, which may have secrets in it.
    fileprivate var words: String { "URLError \(code.rawValue)" }
}
