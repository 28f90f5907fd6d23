import LedgerModel
import LedgerTransfer
import NIOSSL

/// How TLS is set up for a way there. The files are read now, so that a wrong one is this download's failure and says
/// so.
enum TLSSetup {
    /// The configuration of a way.
    /// - Throws: a ``Failure`` that names the file that can not be used.
    static func configuration(_ route: TransferRequest.Route) throws(Failure) -> TLSConfiguration {
        var tls = TLSConfiguration.makeClientConfiguration()
        // What is older must not be spoken any more (RFC 8996).
        tls.minimumTLSVersion = .tlsv12
        if route.isInsecure { tls.certificateVerification = .none }
        if let file = route.certificateAuthorityFile {
            tls.trustRoots = .certificates(try certificates(file, "the file of authorities"))
        }
        if let identity = route.clientCertificate {
            let chain = try certificates(identity.certificateFile, "the file of the client certificate")
            let file = identity.keyFile ?? identity.certificateFile
            do {
                tls.privateKey = .privateKey(try NIOSSLPrivateKey(file: file, format: .pem))
            } catch {
                throw Failure(
                    .tls,
                    "the key '\(file)' of the client certificate is not there, or is no private key (PEM) "
                        + "without a password", isRetryable: false)
            }
            tls.certificateChain = chain.map { .certificate($0) }
            // Only a context finds out whether they belong together.
            _ = try context(tls)
        }
        return tls
    }

    /// What connections over a way share.
    static func context(_ route: TransferRequest.Route) throws(Failure) -> NIOSSLContext {
        var tls = try configuration(route)
        tls.applicationProtocols = ["http/1.1"]
        return try context(tls)
    }

    private static func context(_ tls: TLSConfiguration) throws(Failure) -> NIOSSLContext {
        do { return try NIOSSLContext(configuration: tls) } catch {
            let words =
                tls.certificateChain.isEmpty
                ? "TLS can not be set up: \(error)" : "the key does not belong to the client certificate"
            throw Failure(.tls, words, isRetryable: false)
        }
    }

    private static func certificates(_ file: String, _ what: String) throws(Failure) -> [NIOSSLCertificate] {
        do { return try NIOSSLCertificate.fromPEMFile(file) } catch {
            throw Failure(
                .tls, "\(what) '\(file)' is not there or holds no certificate (PEM)", isRetryable: false)
        }
    }
}
