extension ResourceURL {
    /// The URL as it may be written down: ``Redaction`` of everything after its origin.
    package var redacted: ResourceURL {
        let start = authorityEnd
        guard Redaction.mayHide(in: text.utf8.span.extracting(start...)) else { return self }
        let tail = part(start..<text.utf8.count)
        let redacted = Redaction.redacted(tail)
        return redacted == tail ? self : ResourceURL(recorded: origin + redacted)
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
