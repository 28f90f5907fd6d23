import LedgerAPI
import LedgerModel
import LedgerViews

extension RequestBuilder {
    /// What the flags and the configuration say of the way there.
    func route(_ request: inout EnqueueRequest) {
        let route = options.route
        request.proxy = route.proxy ?? settings.proxy
        request.noProxy = route.noProxy ?? settings.noProxy
        request.userAgent = route.userAgent ?? settings.userAgent
        request.certificateAuthorityFile = file(route.cacert ?? settings.cacert)
        // A key belongs to the certificate beside it.
        request.clientCertificateFile = file(route.cert ?? settings.cert)
        request.clientKeyFile = file(route.cert == nil ? settings.key : route.key)
        request.cookieFile = file(route.cookies ?? settings.cookies)
        request.bearer = secrets.bearer
        request.isInsecure = route.insecure
        request.prefersHTTP2 = route.http2
        request.forwardsHeaders = route.forwardHeaders
        request.allowsDowngrade = route.allowDowngrade
        request.resumesUnvalidated = route.resumeUnvalidated
    }

    /// What only the URL decides: the proxy that the environment names for its scheme, and the passwords of `.netrc`.
    /// - Parameter usesNetrc: whether passwords are looked for.
    /// - Throws: a ``Problem`` that names the variable which holds no proxy.
    func finish(_ request: inout EnqueueRequest, usesNetrc: Bool) throws(Problem) {
        if request.proxy == nil { request.proxy = try environment.checkedProxy(isSecure: request.isSecure) }
        if request.proxy?.isEmpty == true { request.proxy = nil }
        request.noProxy = request.proxy == nil ? nil : request.noProxy ?? environment.noProxy
        guard usesNetrc, let netrc = secrets.netrc else { return }
        if !request.isAuthorized, let found = Self.credentials(for: request.url, netrc) {
            request.credentials = found.credentials
        }
        request.mirrors = request.mirrors.map { mirror in
            Self.credentials(for: mirror, netrc).map { $0.url.whole(with: $0.credentials) } ?? mirror
        }
    }

    /// What `.netrc` says for a URL that holds no password.
    private static func credentials(for text: String, _ netrc: Netrc) -> (url: ResourceURL, credentials: String)? {
        let parsed: ResourceURL.Parsed
        // What can not be parsed is told when the request is checked.
        do throws(URLProblem) { parsed = try ResourceURL.parse(text) } catch { return nil }
        let user = parsed.userInformation.flatMap { $0.isEmpty ? nil : $0 }
        guard user?.utf8.contains(UInt8(ascii: ":")) != true else { return nil }
        return netrc.credentials(for: parsed.url.host, login: user).map { (url: parsed.url, credentials: $0) }
    }

    private func file(_ path: String?) -> String? {
        path.map { Paths.absolute($0, from: directory, home: userHome) }
    }
}

extension EnqueueRequest {
    /// Whether it says who we are to the origin.
    fileprivate var isAuthorized: Bool {
        credentials != nil || bearer != nil || headers.contains { $0.name.lowercased() == "authorization" }
    }
}
