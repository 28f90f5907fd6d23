package import LedgerAPI
import NIOCore
import NIOSSL
import Synchronization
import SystemPackage

/// The certificate that the server shows: a chain and its private key, both PEM. What runs for years outlives any of
/// them, so the files are read anew when they were renewed.
package final class ServerCertificate: Sendable {
    /// The chain's file; absolute.
    package let chainFile: String
    /// The private key's file; absolute.
    package let keyFile: String
    private let shown: Mutex<NIOSSLContextConfigurationOverride>

    /// Reads both files.
    /// - Throws: a ``Problem`` when one can not be read, or the key is not that of the chain's first certificate.
    package init(chainFile: String, keyFile: String) throws(Problem) {
        self.chainFile = chainFile
        self.keyFile = keyFile
        shown = Mutex(try Self.read(chainFile, keyFile))
    }

    /// Reads both files anew: connections that begin from now on are shown what they hold.
    /// - Throws: as at the start; what was shown is shown on then.
    package func reload() throws(Problem) {
        let read = try Self.read(chainFile, keyFile)
        shown.withLock { $0 = read }
    }

    /// TLS 1.2 (RFC 5246) or 1.3 (RFC 8446) with whatever certificate is shown when a connection begins.
    var tls: TLSConfiguration {
        var tls = Self.configuration(shown.withLock { $0 })
        tls.sslContextCallback = { [self] _, promise in promise.succeed(shown.withLock { $0 }) }
        return tls
    }

    private static func read(
        _ chainFile: String, _ keyFile: String
    ) throws(Problem) -> NIOSSLContextConfigurationOverride {
        do {
            var read = NIOSSLContextConfigurationOverride()
            read.certificateChain = try NIOSSLCertificate.fromPEMFile(chainFile).map { .certificate($0) }
            read.privateKey = .privateKey(try NIOSSLPrivateKey(file: keyFile, format: .pem))
            // Whether they belong together shows here.
            _ = try NIOSSLContext(configuration: configuration(read))
            return read
        } catch {
            throw Problem(
                .usage, "the certificate '\(chainFile)' and its key '\(keyFile)' can not be used", cause: words(error),
                next: "both are PEM files that this user may read; the first certificate belongs to the key",
                exitCode: .usage)
        }
    }

    private static func words(_ error: any Error) -> String {
        switch error {
        case NIOSSLError.failedToLoadCertificate: "no certificate could be read"
        case NIOSSLError.failedToLoadPrivateKey: "no key could be read"
        case let error as IOError: "\(Errno(rawValue: error.errnoCode))"
        default: "\(error)"
        }
    }

    private static func configuration(_ read: NIOSSLContextConfigurationOverride) -> TLSConfiguration {
        guard let chain = read.certificateChain, let key = read.privateKey else {
            preconditionFailure("what was read has both")
        }
        var tls = TLSConfiguration.makeServerConfiguration(certificateChain: chain, privateKey: key)
        tls.minimumTLSVersion = .tlsv12
        tls.applicationProtocols = ["http/1.1"]
        return tls
    }
}
