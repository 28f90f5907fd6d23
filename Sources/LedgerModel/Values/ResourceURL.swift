/// An absolute `http` or `https` URL in normal form (RFC 3986), without user information and without a fragment.
///
/// The only ways to have one are ``parse(_:)``, ``resolving(_:)`` and the log, so a value of this type is always fit
/// to be requested: scheme and host in lower case, a default port left out, a path that starts with `/`, and every byte
/// that a request line can not carry percent-encoded.
package struct ResourceURL: Hashable, Sendable, CustomStringConvertible {
    /// The longest URL accepted, in bytes of UTF-8.
    package static let bytesMax = 8192
    /// The longest name of a host, in bytes (RFC 1035, section 3.1, written with dots).
    private static let hostBytesMax = 253

    /// The whole URL.
    package let text: String

    /// What one text held: the URL, and the user information that must not be written down with it.
    package struct Parsed: Hashable, Sendable {
        /// The URL without its user information.
        package let url: ResourceURL
        /// `user:password` with its percent-encoding undone, when the text had it.
        package let userInformation: String?

        /// `user:password` for basic authentication (RFC 7617): the password is empty when only a user was given, and
        /// nothing at all before the `@` means none.
        package var credentials: String? {
            userInformation.flatMap { $0.isEmpty ? nil : $0.utf8.contains(UInt8(ascii: ":")) ? $0 : $0 + ":" }
        }

        /// Both in one text, which parses to the same again.
        package var text: String { userInformation.map { url.whole(with: $0) } ?? url.text }
    }

    /// Parses what a person, a file or a client gave.
    ///
    /// White space around the text is dropped; inside it is percent-encoded, as browsers do. The host of the result is
    /// in lower case.
    /// - Throws: ``URLProblem`` that names what is wrong.
    package static func parse(_ text: String) throws(URLProblem) -> Parsed {
        if isPlain(text) { return Parsed(url: ResourceURL(normal: text), userInformation: nil) }
        let trimmed = text.trimmingSpace()
        guard !trimmed.isEmpty else { throw .empty }
        guard trimmed.utf8.count <= bytesMax else { throw .tooLong(bytes: trimmed.utf8.count) }
        guard !trimmed.unicodeScalars.contains(where: { $0.value < 32 || $0.value == 127 }) else {
            throw .controlCharacter
        }
        guard let colon = trimmed.firstIndex(of: ":"), isScheme(trimmed[..<colon]) else { throw .noScheme }
        let scheme = trimmed[..<colon].lowercased()
        let rest = trimmed[trimmed.index(after: colon)...]
        guard scheme == "http" || scheme == "https" else {
            // `example.org:8080/x` reads as a scheme too; a person who typed it forgot the real one.
            let port = rest.prefix { $0 != "/" }
            let looksLikePort = !port.isEmpty && port.allSatisfy { $0.isASCII && $0.isNumber }
            throw scheme.contains(".") || looksLikePort ? .noScheme : .unsupportedScheme(scheme)
        }
        guard rest.hasPrefix("//") else { throw .noHost }
        // In ASCII a character is a byte, so that no combining mark can hide a delimiter from what follows.
        return try parse(scheme: scheme, afterSlashes: percentEncoded(rest.dropFirst(2)) { $0 >= 128 }[...])
    }

    /// The URL that a `Location` or `Link` reference means here (RFC 3986, section 5.2); its fragment is dropped.
    /// - Throws: ``URLProblem`` when the reference leaves http and https or can not be parsed.
    package func resolving(_ reference: String) throws(URLProblem) -> Parsed {
        let trimmed = reference.trimmingSpace()
        if let colon = trimmed.firstIndex(of: ":"), ResourceURL.isScheme(trimmed[..<colon]),
            !trimmed[..<colon].contains("/")
        {
            return try ResourceURL.parse(trimmed)
        }
        guard !trimmed.isEmpty else { throw .empty }
        if trimmed.hasPrefix("//") { return try ResourceURL.parse(scheme + ":" + trimmed) }
        if trimmed.hasPrefix("/") { return try ResourceURL.parse(origin + trimmed) }
        if trimmed.hasPrefix("?") { return try ResourceURL.parse(origin + path + trimmed) }
        if trimmed.hasPrefix("#") { return Parsed(url: self, userInformation: nil) }
        let directory = path[...(path.lastIndex(of: "/") ?? path.startIndex)]
        return try ResourceURL.parse(origin + directory + trimmed)
    }

    package var description: String { text }
}

extension ResourceURL {
    // The text is ASCII, where a byte is a character: every part is found by its bytes, which costs a tenth.

    /// `http` or `https`.
    package var scheme: String { isSecure ? "https" : "http" }

    /// Whether the connection is encrypted.
    package var isSecure: Bool {
        // It begins with `http:` or with `https:`; what a file of JSON calls a URL may be shorter than that.
        let bytes = text.utf8.span
        return bytes.count > 5 && bytes[4] == UInt8(ascii: "s") && bytes[5] == UInt8(ascii: ":")
    }

    /// The host, without the brackets of an IPv6 address.
    package var host: String {
        let bytes = text.utf8.span
        var first = hostStart
        let isBracketed = first < bytes.count && bytes[first] == UInt8(ascii: "[")
        if isBracketed { first += 1 }
        let mark = UInt8(ascii: isBracketed ? "]" : ":")
        var end = first
        while end < bytes.count, bytes[end] != mark, bytes[end] != UInt8(ascii: "/") { end += 1 }
        return part(first..<end)
    }

    /// The port, the scheme's own when none was written.
    package var port: Int {
        let authority = part(hostStart..<authorityEnd).utf8
        let afterHost =
            authority.first == UInt8(ascii: "[")
            ? authority.drop { $0 != UInt8(ascii: "]") }.dropFirst() : authority.drop { $0 != UInt8(ascii: ":") }
        return Int(Substring(afterHost.dropFirst())) ?? (isSecure ? 443 : 80)
    }

    /// `scheme://host[:port]`: two URLs with equal origins may share credentials (RFC 6454).
    package var origin: String { part(0..<authorityEnd) }

    /// Where host and port begin: behind `http://` or `https://`.
    var authorityStart: Int { isSecure ? 8 : 7 }

    /// A hash of scheme, host and port: FNV-1a, 32 bits.
    var authorityHash: UInt32 {
        let bytes = text.utf8.span
        // Behind the scheme, whose only letter that may differ is one byte more.
        var (hash, place): (UInt32, Int) = (isSecure ? 2_166_136_261 : 0, authorityStart)
        while place < bytes.count, bytes[place] != UInt8(ascii: "/") {
            hash = (hash ^ UInt32(bytes[place])) &* 16_777_619
            place += 1
        }
        return hash
    }

    /// Whether another URL has the same ``origin``; no text is made of either.
    package func hasOrigin(of other: ResourceURL) -> Bool {
        let (own, theirs) = (text.utf8.span, other.text.utf8.span)
        let (shared, slash) = (min(own.count, theirs.count), UInt8(ascii: "/"))
        var place = authorityStart
        guard shared >= place, isSecure == other.isSecure else { return text == other.text }
        while place < shared {
            guard own[place] == theirs[place] else { return false }
            if own[place] == slash { return true }
            place += 1
        }
        return own.count == theirs.count || (own.count > shared ? own[shared] : theirs[shared]) == slash
    }

    /// The path, `/` at least, percent-encoded.
    package var path: String { part(authorityEnd..<(queryMark ?? text.utf8.count)) }

    /// The query without its `?`, percent-encoded; nil when there is none.
    package var query: String? { queryMark.map { part($0 + 1..<text.utf8.count) } }

    /// The whole URL with user information in it, percent-encoded where that is needed.
    package func whole(with userInformation: String) -> String {
        let user = Self.percentEncoded(userInformation) { !Self.isUnreserved($0) && $0 != UInt8(ascii: ":") }
        return scheme + "://" + user + "@" + part(hostStart..<text.utf8.count)
    }

    /// Whether a byte is `unreserved` (RFC 3986, section 2.3).
    static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }

    /// The same within the text: what a file of JSON calls a URL may be shorter.
    private var hostStart: Int { min(authorityStart, text.utf8.count) }

    /// One past host and port, where the path begins.
    var authorityEnd: Int {
        let bytes = text.utf8.span
        var place = hostStart
        while place < bytes.count, bytes[place] != UInt8(ascii: "/") { place += 1 }
        return place
    }

    /// Where the `?` before the query stands; nil when there is none.
    private var queryMark: Int? {
        let bytes = text.utf8.span
        for place in authorityEnd..<bytes.count where bytes[place] == UInt8(ascii: "?") { return place }
        return nil
    }

    /// Some of the bytes. Cut at bytes that are characters of their own, a text is still one.
    func part(_ range: Range<Int>) -> String {
        do { return String(copying: try UTF8Span(validating: text.utf8.span.extracting(range))) } catch { return "" }
    }
}

extension ResourceURL {
    private init(normal text: String) { self.text = text }

    /// A URL that was normal when it was written to the log.
    package init(recorded text: String) { self.text = text }

    private static func isScheme(_ text: Substring) -> Bool {
        guard let first = text.unicodeScalars.first, first.properties.isAlphabetic, first.isASCII else { return false }
        return text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "+" || $0 == "-" || $0 == ".") }
    }

    private static func parse(scheme: String, afterSlashes text: Substring) throws(URLProblem) -> Parsed {
        let authority = text.prefix { $0 != "/" && $0 != "?" && $0 != "#" && $0 != "\\" }
        let at = authority.lastIndex(of: "@")
        let hostAndPort = at.map { authority[authority.index(after: $0)...] } ?? authority
        let (host, port) = try splitHost(hostAndPort)
        let isDefaultPort = port == nil || port == (scheme == "https" ? 443 : 80)
        let tail = text[authority.endIndex...].prefix { $0 != "#" }
        let pathText = tail.prefix { $0 != "?" }
        let path = removingDotSegments(percentEncoded(pathText))
        let query = tail[pathText.endIndex...]
        let url = ResourceURL(
            normal: scheme + "://" + host + (isDefaultPort ? "" : ":" + String(port ?? 0)) + path
                + percentEncoded(query))
        guard url.text.utf8.count <= bytesMax else { throw .tooLong(bytes: url.text.utf8.count) }
        return Parsed(url: url, userInformation: at.map { percentDecoded(authority[..<$0]) })
    }

    private static func splitHost(_ text: Substring) throws(URLProblem) -> (host: String, port: Int?) {
        let host: Substring
        if text.hasPrefix("[") {
            guard let close = text.firstIndex(of: "]") else { throw .badHost(percentDecoded(text)) }
            host = text[...close]
            let inside = host.dropFirst().dropLast()
            guard inside.contains(":"), inside.allSatisfy({ $0.isHexDigit && $0.isASCII || $0 == ":" || $0 == "." })
            else { throw .badHost(percentDecoded(host)) }
        } else {
            host = text.prefix { $0 != ":" }
            guard !host.isEmpty else { throw .noHost }
            guard host.utf8.count <= hostBytesMax,
                host.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "." || $0 == "_") }),
                !host.hasPrefix("."), !host.hasPrefix("-"), !host.contains("..")
            else { throw .badHost(percentDecoded(host)) }
        }
        let rest = text[host.endIndex...]
        if rest.isEmpty || rest == ":" { return (host.lowercased(), nil) }
        let digits = rest.dropFirst()
        guard rest.hasPrefix(":"), digits.allSatisfy({ $0.isASCII && $0.isNumber }), let port = Int(digits),
            (1...65_535).contains(port)
        else { throw .badPort(String(digits)) }
        return (host.lowercased(), port)
    }

    /// Encodes what neither a path nor a query may carry as it is (RFC 3986, sections 3.3 and 3.4), a `%` that encodes
    /// nothing too; what is already encoded stays.
    private static func percentEncoded(_ text: some StringProtocol) -> String {
        let bytes = Array(text.utf8)
        var whole: [UInt8] = []
        for (index, byte) in bytes.enumerated() {
            whole.append(byte)
            guard byte == UInt8(ascii: "%") else { continue }
            let digits = String(decoding: bytes[(index + 1)...].prefix(2), as: UTF8.self)
            if digits.utf8.count < 2 || [UInt8](hex: digits) == nil { whole += Array("25".utf8) }
        }
        return String(
            decoding: percentEncoded(whole) { $0 <= 32 || $0 >= 127 || unfit.contains($0) }, as: UTF8.self)
    }

    private static let unfit = Array("\"<>[\\]^`{|}".utf8)

    private static func percentEncoded(_ text: some StringProtocol, where isEncoded: (UInt8) -> Bool) -> String {
        String(decoding: percentEncoded(Array(text.utf8), where: isEncoded), as: UTF8.self)
    }

    /// Writes the bytes that `isEncoded` names as `%` and two digits.
    static func percentEncoded(_ bytes: [UInt8], where isEncoded: (UInt8) -> Bool) -> [UInt8] {
        var result: [UInt8] = []
        for byte in bytes {
            if isEncoded(byte) {
                result.append(UInt8(ascii: "%"))
                result.append(contentsOf: [byte].hex.uppercased().utf8)
            } else {
                result.append(byte)
            }
        }
        return result
    }

    /// RFC 3986, section 5.2.4.
    private static func removingDotSegments(_ text: String) -> String {
        let path = text.hasPrefix("/") ? text : "/" + text
        guard path.contains("/.") else { return path }
        var kept: [Substring] = []
        let segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        for segment in segments {
            switch segment {
            case ".": continue
            case "..": if !kept.isEmpty { kept.removeLast() }
            default: kept.append(segment)
            }
        }
        let endsInDirectory = segments.last == "." || segments.last == ".."
        return "/" + kept.joined(separator: "/") + (endsInDirectory && !kept.isEmpty ? "/" : "")
    }

    /// Whether a text is in normal form as it stands, as nearly all are: one look at each byte tells. What this does
    /// not see is parsed.
    private static func isPlain(_ text: String) -> Bool {
        let (bytes, isSecure) = (text.utf8.span, text.hasPrefix("https://"))
        guard bytes.count <= bytesMax, isSecure || text.hasPrefix("http://") else { return false }
        guard let path = plainAuthorityEnd(bytes, from: isSecure ? 8 : 7, schemePort: isSecure ? 443 : 80) else {
            return false
        }
        var isQuery = false
        for place in path..<bytes.count {
            switch bytes[place] {
            case UInt8(ascii: "%"):
                guard place + 2 < bytes.count, isHexDigit(bytes[place + 1]), isHexDigit(bytes[place + 2]) else {
                    return false
                }
            case UInt8(ascii: "?"): isQuery = true
            // It may be a segment of dots.
            case UInt8(ascii: "."): if !isQuery, bytes[place - 1] == UInt8(ascii: "/") { return false }
            case UInt8(ascii: "#"), 0...32, 127...: return false
            default: if unfit.contains(bytes[place]) { return false }
            }
        }
        return true
    }

    /// Where the path begins behind a host of lower-case letters, digits, hyphens, underscores and dots, and a port
    /// that is not the scheme's own; nil when anything else stands there.
    private static func plainAuthorityEnd(_ bytes: Span<UInt8>, from start: Int, schemePort: Int) -> Int? {
        var (place, dots) = (start, 0)
        while place < bytes.count, isPlainHost(bytes[place]) {
            dots = bytes[place] == UInt8(ascii: ".") ? dots + 1 : 0
            guard dots < 2 else { return nil }
            place += 1
        }
        guard place > start, place - start <= hostBytesMax, bytes[start] != UInt8(ascii: "."),
            bytes[start] != UInt8(ascii: "-"), place < bytes.count
        else { return nil }
        guard bytes[place] == UInt8(ascii: ":") else { return bytes[place] == UInt8(ascii: "/") ? place : nil }
        var port = 0
        place += 1
        while place < bytes.count, isDigit(bytes[place]), port <= 65_535 {
            port = port * 10 + Int(bytes[place] - UInt8(ascii: "0"))
            // One that begins with a zero is written without it.
            guard port > 0 else { return nil }
            place += 1
        }
        guard (1...65_535).contains(port), port != schemePort, place < bytes.count else { return nil }
        return bytes[place] == UInt8(ascii: "/") ? place : nil
    }

    private static func isPlainHost(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."): true
        default: isDigit(byte)
        }
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"): true
        default: isDigit(byte)
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    /// Undoes percent-encoding; bytes that are not UTF-8 become replacement characters.
    package static func percentDecoded(_ text: some StringProtocol) -> String {
        String(decoding: percentDecoded(Array(text.utf8)[...]), as: UTF8.self)
    }

    /// Undoes percent-encoding, byte by byte.
    package static func percentDecoded(_ source: ArraySlice<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        var index = source.startIndex
        while index < source.endIndex {
            if source[index] == UInt8(ascii: "%"), index + 2 < source.endIndex,
                let byte = [UInt8](hex: String(decoding: source[index + 1...index + 2], as: UTF8.self))
            {
                bytes.append(byte[0])
                index += 3
            } else {
                bytes.append(source[index])
                index += 1
            }
        }
        return bytes
    }
}

extension StringProtocol {
    /// The text without the white space at its ends.
    package func trimmingSpace() -> String {
        let start = drop { $0.isWhitespace }
        guard let last = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(start[...last])
    }
}
