import LedgerModel

extension EnqueueRequest {
    /// How to fetch, parsed; what is secret of it goes into `secrets`.
    func options(_ secrets: inout OrderSecrets) throws(RequestProblem) -> TransferOptions {
        var options = TransferOptions()
        var others: [ResourceURL.Parsed] = []
        for mirror in mirrors {
            let parsed = try Self.parse(mirror)
            if let credentials = parsed.credentials { try Self.check(credentials) }
            others.append(parsed)
        }
        options.mirrors = others.map(\.url.redacted)
        let whole = others.map(\.text)
        if options.mirrors.map(\.text) != whole { secrets.mirrors = whole }
        for header in headers where !header.isValid { throw .header(header.name) }
        if let userAgent, !Header(name: "User-Agent", value: userAgent).isValid { throw .header("User-Agent") }
        secrets.headers = headers
        options.headerNames = headers.map(\.name)
        options.userAgent = userAgent
        options.forwardsHeaders = forwardsHeaders
        options.allowsDowngrade = allowsDowngrade
        options.resumesUnvalidated = resumesUnvalidated
        limit(&options)
        try route(&options, &secrets)
        try check(&options, &secrets)
        if let window {
            guard let parsed = DailyWindow(parsing: window) else { throw .window(window) }
            options.window = parsed
        }
        options.keepsRemoteTime = keepsRemoteTime
        options.decompresses = decompresses
        if refusesPrivateAddresses { try confine(&options) }
        options.refusesLinks = refusesLinks
        options.namedComponents = namedComponents
        return options
    }

    private func limit(_ options: inout TransferOptions) {
        options.bytesPerSecondMax = bytesPerSecondMax == 0 ? nil : bytesPerSecondMax
        options.retriesMax = retriesMax
        options.silenceMillisecondsMax = silenceMillisecondsMax
        options.notBefore = notBefore
        options.rangesMax = rangesMax
    }

    private func route(_ options: inout TransferOptions, _ secrets: inout OrderSecrets) throws(RequestProblem) {
        if let proxy { (options.proxy, secrets.proxyCredentials) = try Self.parse(proxy: proxy) }
        options.noProxy = noProxy
        options.certificateAuthorityFile = try Self.absolute(certificateAuthorityFile)
        options.isInsecure = isInsecure
        options.clientCertificateFile = try Self.absolute(clientCertificateFile)
        options.clientKeyFile = try Self.absolute(clientKeyFile)
        options.cookieFile = try Self.absolute(cookieFile)
        options.prefersHTTP2 = prefersHTTP2
    }

    /// What is to be checked of the file.
    private func check(_ options: inout TransferOptions, _ secrets: inout OrderSecrets) throws(RequestProblem) {
        if let expectedType {
            guard Self.isMediaRange(expectedType) else { throw .mediaType(expectedType) }
            options.expectedType = expectedType.lowercased()
        }
        if let checksumFile {
            let parsed = try Self.parse(checksumFile)
            options.checksumFile = parsed.url.redacted
            if parsed.url.redacted.text != parsed.text { secrets.checksumFile = parsed.text }
        }
        options.expectedLength = expectedLength
    }

    /// What a client that may not reach private networks asks for is refused as far as names tell; what they stand for
    /// shows when the connection is made.
    private func confine(_ options: inout TransferOptions) throws(RequestProblem) {
        options.refusesPrivateAddresses = true
        if proxy != nil, !trustsProxy { throw .foreignProxy }
        for url in options.mirrors + [options.checksumFile].compactMap(\.self) { try Self.confine(url) }
    }

    /// - Throws: ``RequestProblem/privateAddress(_:)`` for a URL that leads into a private network by its host.
    static func confine(_ url: ResourceURL) throws(RequestProblem) {
        if NetworkAddress.isPrivate(host: url.host) { throw .privateAddress(url.host) }
    }

    /// What the pieces must hash to, parsed.
    func pieceHashes() throws(RequestProblem) -> PieceHashes? {
        guard let pieces else { return nil }
        guard let algorithm = Digest.Algorithm(named: pieces.algorithm), let bytes = [UInt8](hex: pieces.hashes[...]),
            let hashes = PieceHashes(algorithm, pieceLength: pieces.length, bytes: bytes)
        else { throw .pieces }
        return hashes
    }

    /// A path that the log takes: what it does not take for one could never be read back from it.
    private static func absolute(_ path: String?) throws(RequestProblem) -> String? {
        guard let path else { return nil }
        guard path.utf8.first == UInt8(ascii: "/"), !path.utf8.contains(0) else { throw .file(path) }
        return path
    }

    /// Whether a text is `TYPE/SUBTYPE` or `TYPE/*` (RFC 9110, section 12.5.1), without parameters.
    private static func isMediaRange(_ text: String) -> Bool {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        return parts.count == 2
            && parts.allSatisfy { part in
                !part.isEmpty && part.utf8.allSatisfy { $0 > 32 && $0 < 127 && !"()<>@,;:\\\"?=[]".utf8.contains($0) }
            }
    }
}
