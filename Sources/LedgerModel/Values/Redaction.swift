/// Takes out of a text what opens doors: values of secret parameters of a query or a path, and user information of URLs
/// in it.
///
/// A URL may stand inside another one, in its path or in a value of its query, as it is or percent-encoded, and once
/// more inside that. What is harmless stays byte for byte; what was replaced reads `REDACTED`.
package enum Redaction {
    /// The query parameters whose values open doors: signed-URL and token names in common use, in lower case.
    package static let secretParameters: Set<String> = [
        "key", "api-key", "api_key", "auth", "bearer", "pass", "passwd", "pwd", "sig", "hmac", "session", "policy",
        "key-pair-id", "awsaccesskeyid", "sas", "sid", "ticket", "hdnea", "hdnts", "x-amz-credential", "sign",
        "temp_url_sig", "torrent_pass", "cookie", "otp", "pw", "tok", "md5",
    ]

    /// Words that make a parameter secret wherever they stand in its name; `-`, `_` and `.` are not looked at.
    package static let secretWords = [
        "token", "secret", "password", "passphrase", "signature", "credential", "authorization", "apikey", "accesskey",
        "privatekey", "sessionid", "sessid", "passkey", "authkey", "rsskey", "subscriptionkey", "jwt",
    ]

    /// What stands beside a signature in a query, and is made anew with it, in lower case: of CloudFront, Azure,
    /// Google, OpenStack, nginx and others.
    static let signingParameters: Set<String> = [
        "timestamp", "ts", "nonce", "date", "se", "st", "sp", "sv", "sr", "spr", "ske", "skt", "sks", "skv", "skoid",
        "sktid", "keyname", "googleaccessid", "temp_url_expires", "validfrom", "validto", "validuntil",
    ]
    /// Until when any secret in a query is good, in lower case.
    static let expiryParameters: Set<String> = ["expires", "expire", "expiry", "exp", "wstime", "txtime"]
    /// What names of secrets hold that are signatures.
    static let signingWords = ["sig", "hmac", "md5"]
    /// What the names of such begin with.
    static let signingPrefixes = ["x-amz-", "x-goog-", "x-oss-", "x-cos-", "x-jf-", "q-"]

    /// How often percent-encoding is undone to look inside.
    package static let depthMax = 4

    /// The text as it may be shown and written down.
    package static func redacted(_ text: String) -> String {
        guard mayHide(in: text.utf8.span) else { return text }
        return String(decoding: redacted(Array(text.utf8)[...], isQuery: false, depth: 0), as: UTF8.self)
    }

    /// Whether there may be anything to take out: neither a value, nor a user, nor anything encoded can stand without
    /// `=`, `@` or `%`.
    static func mayHide(in bytes: Span<UInt8>) -> Bool {
        for place in bytes.indices {
            switch bytes[place] {
            case UInt8(ascii: "="), UInt8(ascii: "@"), UInt8(ascii: "%"): return true
            default: continue
            }
        }
        return false
    }

    /// Whether something was taken out of a text.
    package static func isIn(_ text: String) -> Bool {
        let bytes = text.utf8.span
        var (place, seen) = (0, 0)
        while place < bytes.count, seen < mark.count {
            // No letter of the word but its first could begin it anew.
            seen = bytes[place] == mark[seen] ? seen + 1 : bytes[place] == mark[0] ? 1 : 0
            place += 1
        }
        return seen == mark.count
    }

    /// Whether a URL is one that was written down without its secrets, and so opens nothing: ``word`` stands in it
    /// where any other would be taken out.
    package static func isIncomplete(_ url: String) -> Bool {
        isIn(url) && redacted(url) == url && isIn(redacted(url.replacing(word, with: "x")))
    }

    /// Those parameters of a query, its secrets taken out, that are not made anew with each secret or signature.
    static func lasting(_ parameters: [Substring.UTF8View]) -> [Substring.UTF8View] {
        let named = parameters.map { parameter in
            let name = undone(Array(parameter.prefix { $0 != UInt8(ascii: "=") })[...])
            return (parameter, name: String(decoding: name, as: UTF8.self).lowercased())
        }
        let secrets = named.filter { isIn(String(Substring($0.0))) }.map(\.name)
        let isSigned = secrets.contains { name in signingWords.contains { name.contains($0) } }
        return named.filter { parameter, name in
            if isIn(String(Substring(parameter))) || expiryParameters.contains(name) { return false }
            return !isSigned
                || !signingParameters.contains(name) && !signingPrefixes.contains { name.hasPrefix($0) }
        }.map(\.0)
    }

    /// What stands where something was taken out.
    package static let word = "REDACTED"
    private static let mark = Array(word.utf8)

    private static func redacted(_ text: ArraySlice<UInt8>, isQuery: Bool, depth: Int) -> [UInt8] {
        var rest = withoutUsers(text)[...]
        var result: [UInt8] = []
        // RFC 3986, section 3.3: a segment of a path may have parameters behind semicolons.
        var (isQuery, isParameter) = (isQuery, false)
        while true {
            let piece = rest.prefix { !isSeparator($0) }
            let name = piece.prefix { $0 != UInt8(ascii: "=") }
            let assigned = rest[name.endIndex...]
            // A URL that is encoded but for the `=` in it may begin in this piece.
            isQuery = isQuery || undone(piece).contains { queryBegins.contains($0) }
            let shown = inside(name, isQuery, depth)
            let plain = undone(shown)
            let before = plain.lastIndex { separators.contains($0) }
            isParameter = isParameter || before.map { plain[$0] == UInt8(ascii: ";") } ?? false
            let own = plain[(before.map { $0 + 1 } ?? plain.startIndex)...]
            if isQuery || isParameter, name.endIndex < piece.endIndex, isSecret(own) {
                let ends = isQuery ? valueEnds : separators
                let value = assigned.dropFirst().prefix { $0 > 32 && !ends.contains($0) }
                result += shown + [UInt8(ascii: "=")] + (value.isEmpty ? [] : mark)
                rest = rest[value.endIndex...]
            } else {
                result += shown
                let value = piece[name.endIndex...].dropFirst()
                if name.endIndex < piece.endIndex { result += [UInt8(ascii: "=")] + inside(value, isQuery, depth) }
                rest = rest[piece.endIndex...]
            }
            guard let separator = rest.popFirst() else { return result }
            if queryBegins.contains(separator) { isQuery = true }
            isParameter = separator == UInt8(ascii: ";")
            result.append(separator)
        }
    }

    /// What is percent-encoded in a piece is looked at with that undone.
    private static func inside(_ piece: ArraySlice<UInt8>, _ isQuery: Bool, _ depth: Int) -> ArraySlice<UInt8> {
        guard depth < depthMax, piece.contains(UInt8(ascii: "%")) else { return piece }
        let decoded = ResourceURL.percentDecoded(piece)
        let clean = redacted(decoded[...], isQuery: isQuery, depth: depth + 1)
        return clean == decoded ? piece : ResourceURL.percentEncoded(clean) { !ResourceURL.isUnreserved($0) }[...]
    }

    /// The text without what stands before an `@` in an authority: after `:/` or `://`, or after `//` where a value
    /// begins. Colon and `@` may be encoded though the slashes are not.
    private static func withoutUsers(_ text: ArraySlice<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        var rest = text
        while let byte = rest.popFirst() {
            result.append(byte)
            // Again behind each authority: it may end in the `=` that the next one begins after.
            while let before = result.last, rest.first == UInt8(ascii: "/") {
                let slashes = rest.prefix { $0 == UInt8(ascii: "/") }
                let isAfterScheme = before == UInt8(ascii: ":") || endsInEncoded(result[...], "3a")
                guard isAfterScheme || (before == UInt8(ascii: "=") && slashes.count > 1) else { break }
                let authority = rest[slashes.endIndex...].prefix { !isAuthorityEnd($0) }
                rest = rest[authority.endIndex...]
                result += slashes
                result += userEnd(of: authority).map { mark + authority[$0...] } ?? Array(authority)
            }
        }
        return result
    }

    /// Where the `@` behind user information stands.
    private static func userEnd(of authority: ArraySlice<UInt8>) -> Int? {
        authority.lastIndex(of: UInt8(ascii: "@"))
            ?? authority.indices.last { endsInEncoded(authority[...$0], "40") }.map { $0 - 2 }
    }

    /// Whether a text ends in `%` and these lower-case digits.
    private static func endsInEncoded(_ text: ArraySlice<UInt8>, _ digits: String) -> Bool {
        let tail = text.suffix(3)
        return tail.first == UInt8(ascii: "%")
            && String(decoding: tail.dropFirst(), as: UTF8.self).lowercased() == digits
    }

    /// A text with its percent-encoding undone, however often it was encoded.
    private static func undone(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var text = text
        for _ in 0..<depthMax where text.contains(UInt8(ascii: "%")) { text = ResourceURL.percentDecoded(text)[...] }
        return text
    }

    private static func isSecret(_ name: ArraySlice<UInt8>) -> Bool {
        let plain = String(decoding: name, as: UTF8.self).lowercased()
        if secretParameters.contains(plain) { return true }
        // Byte by byte: this is asked of every parameter of every URL, and texts are searched slowly.
        let bare = plain.utf8.filter { !nameJoints.contains($0) }
        return secretWordBytes.contains { word in
            bare.indices.dropLast(word.count - 1).contains { bare[$0...].starts(with: word) }
        }
    }

    private static func isSeparator(_ byte: UInt8) -> Bool { byte <= 32 || separators.contains(byte) }
    private static func isAuthorityEnd(_ byte: UInt8) -> Bool { byte <= 32 || authorityEnds.contains(byte) }
    private static let secretWordBytes = secretWords.map { Array($0.utf8) }
    private static let nameJoints = Array("-_.".utf8)
    private static let separators = Array("/?&#;".utf8)
    private static let queryBegins = Array("?#".utf8)
    private static let valueEnds = Array("&#".utf8)
    /// An apostrophe may stand in a password as it is.
    private static let authorityEnds = Array("/?&#\\\"<>".utf8)
}
