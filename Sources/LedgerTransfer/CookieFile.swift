package import LedgerModel

/// The cookies of a file in Netscape's format, as browsers' exporters, curl and wget write it.
///
/// A line holds, with tabs between them, the domain, whether it includes what is below it, the path, whether TLS is
/// needed, the second since 1970 in which it expires (0: with the session), the name and the value. `#HttpOnly_` stands
/// before some domains; other lines that start with `#` are comments.
package struct CookieFile: Hashable, Sendable {
    /// The longest file that is read, in bytes.
    package static let fileBytesMax = 4 << 20
    /// The longest `Cookie` field that is sent, in bytes.
    package static let fieldBytesMax = Cookie.fieldBytesMax

    private let cookies: [Cookie]

    /// Reads a whole file; what has expired is left out, and lines that are no cookies are passed over.
    ///
    /// Nil when it holds lines and none is a cookie.
    package init?(parsing text: String, now: Timestamp) {
        var cookies: [Cookie] = []
        var (hasCookie, isForeign) = (false, false)
        for line in text.split(whereSeparator: \.isNewline) {
            let isMarked = line.hasPrefix(Self.mark)
            guard isMarked || !line.hasPrefix("#"), line.contains(where: { !$0.isWhitespace }) else { continue }
            if let (cookie, expires) = Self.cookie(isMarked ? line.dropFirst(Self.mark.count) : line) {
                hasCookie = true
                if expires == 0 || expires > now.milliseconds / 1000 { cookies.append(cookie) }
            } else {
                isForeign = true
            }
        }
        if isForeign, !hasCookie { return nil }
        // Longer paths come first (RFC 6265, section 5.4), then what stands first in the file.
        self.cookies = cookies.enumerated().sorted { left, right in
            (right.element.path.utf8.count, left.offset) < (left.element.path.utf8.count, right.offset)
        }.map(\.element)
    }

    /// The `Cookie` field of a request to `url`; nil when no cookie is for it.
    package func field(for url: ResourceURL) -> String? {
        Cookie.field(of: cookies.lazy.filter { $0.fits(url) }.map(\.pair))
    }

    private static let mark = "#HttpOnly_"

    private static func cookie(_ line: Substring) -> (Cookie, expires: Int64)? {
        let parts = line.split(separator: "\t", omittingEmptySubsequences: false)
        guard parts.count == 6 || parts.count == 7, let expires = Int64(parts[4]), !parts[5].isEmpty else { return nil }
        let domain = parts[0].lowercased().drop { $0 == "." }
        let pair = parts[5] + "=" + (parts.count == 7 ? parts[6] : "")
        guard !domain.isEmpty, parts[2].hasPrefix("/"), Cookie.isSendable(pair) else { return nil }
        let cookie = Cookie(
            domain: String(domain), includesSubdomains: isTrue(parts[1]), path: String(parts[2]),
            isSecure: isTrue(parts[3]), pair: String(pair))
        return (cookie, expires)
    }

    private static func isTrue(_ text: Substring) -> Bool { text.uppercased() == "TRUE" }
}
