/// A server that requests go through: how it is spoken to, where it stands, and who we are to it.
package struct Proxy: Hashable, Sendable {
    /// How a proxy is spoken to.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// Requests with the whole URL in them, and `CONNECT` for https (RFC 9110, section 9.3.6).
        case http
        /// The same, over TLS.
        case https
        /// SOCKS 5 (RFC 1928); names are looked up here.
        case socks5
        /// SOCKS 5; names are looked up by the proxy.
        case socks5h
    }

    /// How it is spoken to.
    package let kind: Kind
    /// Its name or address, without the brackets of IPv6.
    package let host: String
    /// Its port.
    package let port: Int
    /// `user:password` for it: a secret.
    package var credentials: String?

    /// Parses `[KIND://][USER:PASSWORD@]HOST[:PORT]`; without a kind it is http, without a port the kind's own (80,
    /// 443, 1080).
    /// - Throws: ``URLProblem`` that names what is wrong.
    package static func parse(_ text: String) throws(URLProblem) -> Proxy {
        let mark = text.firstRange(of: "://")
        let scheme = mark.map { text[..<$0.lowerBound].lowercased() } ?? Kind.http.rawValue
        guard let kind = Kind(rawValue: scheme) else { throw .unsupportedScheme(scheme) }
        let rest = mark.map { text[$0.upperBound...] } ?? text[...]
        let parsed = try ResourceURL.parse("http://" + rest)
        let other = try ResourceURL.parse("https://" + rest).url
        // A port that both schemes agree on was written down.
        let port = parsed.url.port == other.port ? other.port : kind.defaultPort
        return Proxy(kind: kind, host: parsed.url.host, port: port, credentials: parsed.credentials)
    }

    /// `HOST:PORT`, as a URL has it.
    package var authority: String { (host.contains(":") ? "[\(host)]" : host) + ":\(port)" }

    /// The proxy as it may be written down: without the credentials.
    package var text: String { "\(kind.rawValue)://\(authority)" }

    /// The proxy with its credentials, which parses to the same again: a secret.
    package var whole: String {
        guard let credentials else { return text }
        let url = ResourceURL(recorded: "http://\(authority)/").whole(with: credentials)
        return kind.rawValue + url.dropFirst(4).dropLast()
    }
}

extension Proxy.Kind {
    fileprivate var defaultPort: Int {
        switch self {
        case .http: 80
        case .https: 443
        case .socks5, .socks5h: 1080
        }
    }
}
