import LedgerModel
import NIOSSL

extension Failure {
    /// What an error of TLS means, in words without the library's own file names.
    static func tls(_ error: NIOSSLError, _ host: String) -> Failure {
        switch error {
        case .uncleanShutdown: return unclean
        case .handshakeFailed(let reason): return handshake(reasons(in: "\(reason)"), host)
        default: return handshake(reasons(in: "\(error)"), host)
        }
    }

    /// A body whose end TLS does not vouch for.
    static let unclean = Failure(
        .connectionLost, "the connection closed without TLS's own end, so the body may be cut", isRetryable: true)

    private static func handshake(_ reasons: [String], _ host: String) -> Failure {
        if reasons.contains("CERTIFICATE_VERIFY_FAILED") {
            return Failure(
                .tls,
                "the certificate of '\(host)' is not trusted or out of its dates; "
                    + "an authority of your own goes in with --cacert", isRetryable: false)
        }
        if reasons.contains(where: {
            $0 == "WRONG_VERSION_NUMBER" || $0 == "HTTP_REQUEST" || $0 == "HTTPS_PROXY_REQUEST"
        }) {
            return Failure(.tls, "'\(host)' does not speak TLS at this port", isRetryable: false)
        }
        let words = reasons.map { $0.lowercased().replacing("_", with: " ") }.joined(separator: ", ")
        return Failure(.tls, "TLS with '\(host)' failed" + (words.isEmpty ? "" : ": " + words), isRetryable: true)
    }

    /// The reasons that BoringSSL names: `error:1000007d:SSL routines:OPENSSL_internal:WRONG_VERSION_NUMBER at ...`.
    private static func reasons(in text: String) -> [String] {
        text.split(separator: "OPENSSL_internal:").dropFirst().map { part in
            String(part.prefix { $0.isUppercase || $0.isNumber || $0 == "_" })
        }
    }
}
