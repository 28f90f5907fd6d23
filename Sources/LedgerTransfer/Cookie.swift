import LedgerModel

/// A cookie, and which requests it is for (RFC 6265).
struct Cookie: Hashable, Sendable {
    /// The longest `Cookie` field that is sent, in bytes; origins refuse longer ones.
    static let fieldBytesMax = 8190

    /// The host it is for, in lower case.
    var domain: String
    /// Whether also for what is below that.
    var includesSubdomains: Bool
    /// The path that it is for, with what is below it.
    var path: String
    /// Whether for TLS alone.
    var isSecure: Bool
    /// `name=value`.
    var pair: String
    /// Whether it is over already: who sets it so takes it back.
    var isOver = false

    /// What it is called.
    var name: Substring { Self.name(of: pair) }

    /// Whether it goes along with a request to `url`.
    func fits(_ url: ResourceURL) -> Bool {
        (url.isSecure || !isSecure) && Self.host(url.host, isOf: domain, orBelow: includesSubdomains)
            && fits(path: url.path)
    }

    /// RFC 6265, section 5.1.4.
    private func fits(path requested: String) -> Bool {
        guard requested.hasPrefix(path) else { return false }
        return path.hasSuffix("/") || requested.count == path.count || requested.dropFirst(path.count).first == "/"
    }

    /// RFC 6265, section 5.1.3.
    private static func host(_ host: String, isOf domain: String, orBelow isWide: Bool) -> Bool {
        if host == domain { return true }
        return isWide && host.hasSuffix("." + domain) && IPAddress(parsing: host) == nil
    }

    /// The value of a `Cookie` field of these pairs behind others, as many as go into it; nil for none.
    static func field(of pairs: some Sequence<String>, behind others: String = "") -> String? {
        var field = others
        for pair in pairs {
            let more = (field.isEmpty ? "" : "; ") + pair
            if field.utf8.count + more.utf8.count <= fieldBytesMax { field += more }
        }
        return field.isEmpty ? nil : field
    }

    /// Whether a pair can stand in a field.
    static func isSendable(_ pair: some StringProtocol) -> Bool {
        pair.utf8.allSatisfy { $0 > 31 && $0 != 127 && $0 != UInt8(ascii: ";") }
    }

    /// The name of a pair.
    static func name(of pair: String) -> Substring { pair.prefix { $0 != "=" } }
}

extension Cookie {
    /// The cookie that the value of a `Set-Cookie` field sets (RFC 6265, section 5.2), for as long as one way to a file
    /// goes on. Nil for none, and for one of a domain that the URL is not of.
    init?(_ field: String, setBy url: ResourceURL, now: Timestamp) {
        let parts = field.split(separator: ";", omittingEmptySubsequences: false).map(Self.trimmed)
        guard let pair = parts.first, pair.contains("="), pair.first != "=", Self.isSendable(pair) else { return nil }
        self.init(
            domain: url.host, includesSubdomains: false, path: Self.directory(of: url.path), isSecure: false,
            pair: String(pair))
        var (age, expires) = (Int64?.none, Timestamp?.none)
        for part in parts.dropFirst() {
            let name = part.prefix { $0 != "=" }
            let value = Self.trimmed(part.dropFirst(name.count + 1))
            switch name.lowercased() {
            case "domain":
                let wanted = String(value.drop { $0 == "." }).lowercased()
                guard !wanted.isEmpty else { continue }
                // One label is a whole top-level domain's.
                guard Self.host(url.host, isOf: wanted, orBelow: wanted.contains(".")) else { return nil }
                (domain, includesSubdomains) = (wanted, true)
            case "path": if value.hasPrefix("/") { path = String(value) }
            case "secure": isSecure = true
            case "max-age": if let seconds = Int64(value) { age = seconds }
            case "expires": if let date = HTTPDate.parse(String(value), now: now) { expires = date }
            default: break
            }
        }
        isOver = age.map { $0 <= 0 } ?? expires.map { $0 <= now } ?? false
    }

    private static func trimmed(_ text: Substring) -> Substring {
        let rest = text.drop { $0 == " " || $0 == "\t" }
        return rest.prefix(rest.reversed().drop { $0 == " " || $0 == "\t" }.count)
    }

    /// RFC 6265, section 5.1.4: the path without what stands behind its last slash.
    private static func directory(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return "/" }
        return String(path[..<slash])
    }
}
