import NIOSSL

/// A certificate that signs itself, for `localhost` and 127.0.0.1, and its key: made for these tests, trusted by
/// nobody.
package enum OriginCertificate {
    /// The certificate, also the authority to trust, as PEM.
    package static let certificate = """
        -----BEGIN CERTIFICATE-----
        MIIBmzCCAUGgAwIBAgIUA39c7OaIqQq7358MXs9rbb+T6EEwCgYIKoZIzj0EAwIw
        FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMTAzMzM0NFoYDzIxMjYxMDI4
        MDMzMzQ0WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
        PQMBBwNCAASR/sCiWuFe0AqGmZNdXXofJreURchLRsfR5BpgGfTefjqcfBtAUHvp
        27A1bq+xe1DQZ94bb1R/bHC20SPinYCSo28wbTAdBgNVHQ4EFgQUBTyhr+q5xs/J
        FjgDscCfEoeXNRQwHwYDVR0jBBgwFoAUBTyhr+q5xs/JFjgDscCfEoeXNRQwGgYD
        VR0RBBMwEYIJbG9jYWxob3N0hwR/AAABMA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZI
        zj0EAwIDSAAwRQIhAK2hdOna2nxKOhjlsisw1q5YhcU8xjFvxrIjRlVb+esVAiB2
        5e6SxAPXv5CAUlP3ziB1HYkvBXTFPKlP0YDcLpAPGQ==
        -----END CERTIFICATE-----
        """

    /// Its key, as PEM.
    package static let key = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQglQc8bRuqOK2BMGh6
        XvsmAP46BM+3UjcpngwIHmW7mDyhRANCAASR/sCiWuFe0AqGmZNdXXofJreURchL
        RsfR5BpgGfTefjqcfBtAUHvp27A1bq+xe1DQZ94bb1R/bHC20SPinYCS
        -----END PRIVATE KEY-----
        """

    /// Another certificate for the same names, as after a renewal, as PEM.
    package static let renewedCertificate = """
        -----BEGIN CERTIFICATE-----
        MIIBmzCCAUGgAwIBAgIUXihsN5vqYTeatUdMIQD3pUKCgYEwCgYIKoZIzj0EAwIw
        FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyNDA4MjYxNloYDzIxMjYxMDMx
        MDgyNjE2WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
        PQMBBwNCAAST0e0CHrUQLSKqDWXfaH5Of7AvYkeYQAHQeIEAYdomvRy0sWmOrQB2
        7/oGr7iPzzZnbDl6nz03abGg7WZ86d/No28wbTAdBgNVHQ4EFgQUOTbqZeVTMxCC
        X8quR6D39JPTiugwHwYDVR0jBBgwFoAUOTbqZeVTMxCCX8quR6D39JPTiugwDwYD
        VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
        zj0EAwIDSAAwRQIgA6BkDGU3e3DX3jFE2OlY7QpD03xSdwLGOI1lwQRqCGkCIQD9
        aBB3jz1XIvulZQNMOpw8Am3bOCwHHcU70c8osFQK7w==
        -----END CERTIFICATE-----
        """

    /// The key of ``renewedCertificate``, as PEM.
    package static let renewedKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgDHaGhz9GQf3HD0oW
        gbn6ihEWzvlxPYXlNDv9Svik6eShRANCAAST0e0CHrUQLSKqDWXfaH5Of7AvYkeY
        QAHQeIEAYdomvRy0sWmOrQB27/oGr7iPzzZnbDl6nz03abGg7WZ86d/N
        -----END PRIVATE KEY-----
        """

    static func context(asksForCertificate: Bool, protocols: [String]) throws -> NIOSSLContext {
        let chain = try NIOSSLCertificate.fromPEMBytes(Array(certificate.utf8))
        let key = try NIOSSLPrivateKey(bytes: Array(key.utf8), format: .pem)
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
        if asksForCertificate {
            configuration.trustRoots = .certificates(chain)
            configuration.certificateVerification = .noHostnameVerification
        }
        configuration.applicationProtocols = protocols
        return try NIOSSLContext(configuration: configuration)
    }
}
