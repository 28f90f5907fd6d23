extension ResourceURL {
    /// The URL as it may be written down: ``Redaction`` of everything after its origin.
    package var redacted: ResourceURL {
        let start = authorityEnd
        guard Redaction.mayHide(in: text.utf8.span.extracting(start...)) else { return self }
        let tail = part(start..<text.utf8.count)
        let redacted = Redaction.redacted(tail)
        return redacted == tail ? self : ResourceURL(recorded: origin + redacted)
    }

    /// The text without what is good for one request: of a query with a secret in it, the secret, and what goes with a
    /// signature (``Redaction/signingParameters``). What else differs names another place.
    package var unsigned: String {
        let shown = redacted.text
        guard let mark = shown.utf8.firstIndex(of: UInt8(ascii: "?")), !Redaction.isIn(String(shown[..<mark])),
            Redaction.isIn(shown)
        else { return text }
        let parameters = shown.utf8[shown.utf8.index(after: mark)...].split(separator: UInt8(ascii: "&"))
        let query = Redaction.lasting(parameters).map { String(Substring($0)) }.joined(separator: "&")
        return shown[..<mark] + (query.isEmpty ? "" : "?" + query)
    }

    /// The last component of the path with its encoding undone; empty when the path ends in `/`.
    package var lastPathComponent: String {
        let bytes = text.utf8.span
        var (start, end, isEncoded) = (bytes.count, authorityStart, false)
        while end < bytes.count, bytes[end] != UInt8(ascii: "?") {
            switch bytes[end] {
            case UInt8(ascii: "/"): (start, isEncoded) = (end + 1, false)
            case UInt8(ascii: "%"): isEncoded = true
            default: break
            }
            end += 1
        }
        let last = Substring(text.utf8.dropFirst(start).prefix(max(0, end - start)))
        return isEncoded ? Self.percentDecoded(last) : String(last)
    }
}
