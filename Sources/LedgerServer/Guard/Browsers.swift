import HTTPTypes
import LedgerAPI
import LedgerModel

/// Whom a browser may speak for: keeps pages of other sites from using a person's browser to reach this server.
///
/// `Host` tells whether a name was bent to this address (DNS rebinding); `Origin` (RFC 6454) and `Sec-Fetch-Site` (W3C
/// Fetch Metadata) tell which page asks. Programs send neither of the latter.
struct Browsers: Sendable {
    /// Names besides `localhost` and addresses that `Host` may hold, in lower case.
    private let hosts: Set<String>
    /// Origins besides the server's own, in lower case; `*` for any.
    private let origins: Set<String>

    /// What is allowed beside the server's own names.
    init(hosts: [String], origins: [String]) {
        self.hosts = Set(hosts.map { $0.lowercased() })
        self.origins = Set(origins.map { $0.lowercased() })
    }

    /// What a request is for, as far as it matters here.
    enum Purpose: Sendable {
        /// What a person may follow a link to: the page itself.
        case page
        /// aria2's endpoint, where extensions of browsers are clients too.
        case extensions
        case data
    }

    /// What the request of a foreign origin that is allowed gets beside its answer; nil for one of no foreign origin.
    /// - Throws: a ``Refusal`` 403 for what may not ask, 400 for what does not say whom (RFC 9112, section 3.2).
    func admit(_ request: HTTPRequest, for purpose: Purpose) throws(Refusal) -> HTTPFields? {
        let authority = (request.authority ?? request.headerFields[.init("Host")!] ?? "").lowercased()
        guard !authority.isEmpty else {
            throw Refusal.badRequest(
                "the request has no 'Host'", next: "send the field, with the name or address that is asked")
        }
        guard Self.isOwn(host(of: authority)) || hosts.contains(host(of: authority)) else {
            throw Self.refusal(
                "the name '\(Problem.presentable(authority))' in 'Host' is none of this server's",
                "give it with 'ledger run --allow-host NAME', or use the address")
        }
        guard let origin = request.headerFields[.origin]?.lowercased() else {
            let site = request.headerFields[.fetchSite]?.lowercased() ?? "none"
            let isVisit = purpose == .page && request.headerFields[.fetchMode]?.lowercased() == "navigate"
            guard ["none", "same-origin"].contains(site) || isVisit else {
                throw Self.refusal("a page of another site asks", "open this server's own page")
            }
            return nil
        }
        if origin == "http://" + authority || origin == "https://" + authority { return nil }
        let isExtension = ["chrome-extension://", "moz-extension://", "safari-web-extension://"]
            .contains(where: origin.hasPrefix)
        guard origins.contains(origin) || origins.contains("*") || purpose == .extensions && isExtension else {
            throw Self.refusal(
                "pages of '\(Problem.presentable(origin))' may not ask",
                "allow it with 'ledger run --allow-origin \(Problem.presentable(origin))'")
        }
        return [
            .accessControlAllowOrigin: request.headerFields[.origin] ?? origin, .vary: "Origin",
            .accessControlExposeHeaders: "ETag, Content-Range, Location",
        ]
    }

    /// What a browser is told that asks before it sends a request of another origin (CORS preflight).
    static func preflight(_ request: HTTPRequest) -> HTTPFields {
        var fields: HTTPFields = [
            .accessControlAllowMethods: "GET, POST, PATCH, PUT, DELETE, OPTIONS", .accessControlMaxAge: "1728000",
        ]
        fields[.accessControlAllowHeaders] = request.headerFields[.accessControlRequestHeaders]
        return fields
    }

    /// The host of `HOST:PORT`, without brackets; empty when it is none.
    private func host(of authority: String) -> String {
        var (host, rest) = (authority.prefix { $0 != ":" }, authority.drop { $0 != ":" })
        if authority.hasPrefix("[") {
            host = authority.dropFirst().prefix { $0 != "]" }
            rest = authority.drop { $0 != "]" }.dropFirst()
        }
        // What goes on behind it is a name that begins like an address.
        let isWhole = rest.isEmpty || rest.hasPrefix(":") && rest.dropFirst().utf8.allSatisfy { (48...57).contains($0) }
        return isWhole ? String(host) : ""
    }

    private static func isOwn(_ host: String) -> Bool {
        // An address was not looked up, so no name was bent.
        let isName = host.utf8.allSatisfy { byte in
            Character(Unicode.Scalar(byte)).isLetter || Character(Unicode.Scalar(byte)).isNumber
                || "-.".utf8.contains(byte)
        }
        return isName && (host == "localhost" || host.hasSuffix(".localhost")) || NetworkAddress(literal: host) != nil
    }

    private static func refusal(_ words: String, _ next: String) -> Refusal {
        Refusal(.forbidden, Problem(.refused, words, next: next))
    }
}
