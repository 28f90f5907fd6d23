import LedgerModel

extension Assignment {
    /// The value of `Authorization` for the origin of ``url``: a secret.
    var authorization: String? { bearer.map { "Bearer " + $0 } ?? credentials.map(Self.basic) }

    /// The value of `Authorization` for `user:password` (RFC 7617): a secret.
    package static func basic(_ credentials: String) -> String { "Basic " + base64(Array(credentials.utf8)) }

    /// The way to `url`: through the proxy unless its host is to be reached without it.
    /// - Parameter isTrusted: whether what is bound to the origin of the order goes there too.
    func route(to url: ResourceURL, isTrusted: Bool, _ settings: TransferSettings) -> TransferRequest.Route {
        let options = order.options.value
        let isDirect = options.noProxy.map { NoProxy(parsing: $0).covers(url.host) } ?? false
        let certificate = options.clientCertificateFile.map {
            TransferRequest.ClientCertificate(certificateFile: $0, keyFile: options.clientKeyFile)
        }
        return TransferRequest.Route(
            silenceMillisecondsMax: options.silenceMillisecondsMax ?? settings.silenceMillisecondsMax,
            proxy: isDirect ? nil : proxy,
            certificateAuthorityFile: options.certificateAuthorityFile ?? settings.certificateAuthorityFile,
            isInsecure: options.isInsecure, clientCertificate: isTrusted ? certificate : nil,
            prefersHTTP2: options.prefersHTTP2)
    }
}
