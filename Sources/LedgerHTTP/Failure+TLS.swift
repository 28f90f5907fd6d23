import LedgerModel
import NIOSSL

extension Failure {
    /// What an error of TLS means, in words without the library's own file names.
    static func tls(_ error: NIOSSLError, _ peer: String) -> Failure {
        switch error {
        case .uncleanShutdown: return unclean
        case .handshakeFailed(let reason): return handshake(reasons(in: "\(reason)"), peer)
        default: return handshake(reasons(in: "\(error)"), peer)
        }
    }

    /// What an error of a TLS connection that stood means.
    static func tls(_ error: BoringSSLError, _ peer: String) -> Failure { handshake(reasons(in: "\(error)"), peer) }

    /// Whether a handshake failed because the other end takes none of the protocols that were offered (RFC 7301,
    /// section 3.2).
    static func isForWantOfProtocol(_ error: any Error) -> Bool {
        guard case .handshakeFailed(let reason)? = error as? NIOSSLError else { return false }
        return reasons(in: "\(reason)").contains("TLSV1_ALERT_NO_APPLICATION_PROTOCOL")
    }

    /// A body whose end TLS does not vouch for.
    static let unclean = Failure(
        .connectionLost, "the connection closed without TLS's own end, so the body may be cut", isRetryable: true)

    /// What the reasons that BoringSSL names for a handshake that failed mean.
    static func handshake(_ reasons: [String], _ peer: String) -> Failure {
        if reasons.contains("CERTIFICATE_VERIFY_FAILED") {
            return Failure(
                .tls,
                "the certificate of \(peer) is not trusted or out of its dates; "
                    + "an authority of your own goes in with --cacert", isRetryable: false)
        }
        if reasons.contains(where: {
            $0 == "WRONG_VERSION_NUMBER" || $0 == "HTTP_REQUEST" || $0 == "HTTPS_PROXY_REQUEST"
        }) {
            return Failure(.tls, "\(peer) does not speak TLS at this port", isRetryable: false)
        }
        if reasons.contains("TLSV1_ALERT_CERTIFICATE_REQUIRED") {
            return Failure(
                .tls, "\(peer) asks for a client certificate: give it with --cert FILE and --key FILE",
                isRetryable: false)
        }
        if reasons.contains("TLSV1_ALERT_NO_APPLICATION_PROTOCOL") {
            return Failure(
                .tls,
                "\(peer) takes none of the protocols that were offered: HTTP/1.1, and HTTP/2 where no proxy is on the "
                    + "way and the path is UTF-8", isRetryable: false)
        }
        if reasons.contains("SSLV3_ALERT_BAD_CERTIFICATE") {
            return Failure(
                .tls,
                "\(peer) takes no client without a certificate that it knows: give it with --cert FILE and --key FILE",
                isRetryable: false)
        }
        if reasons.contains("SSLV3_ALERT_HANDSHAKE_FAILURE") {
            return Failure(
                .tls,
                "\(peer) refuses TLS with what was offered: it may ask for a client certificate "
                    + "(--cert FILE and --key FILE)", isRetryable: true)
        }
        let words = reasons.map { $0.lowercased().replacing("_", with: " ") }.joined(separator: ", ")
        return Failure(.tls, "TLS with \(peer) failed" + (words.isEmpty ? "" : ": " + words), isRetryable: true)
    }

    /// The reasons that BoringSSL names: `error:1000007d:SSL routines:OPENSSL_internal:WRONG_VERSION_NUMBER at ...`.
    private static func reasons(in text: String) -> [String] {
        text.split(separator: "OPENSSL_internal:").dropFirst().map { part in
            String(part.prefix { $0.isUppercase || $0.isNumber || $0 == "_" })
        }
    }
}
