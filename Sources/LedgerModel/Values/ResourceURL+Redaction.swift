extension ResourceURL {
    /// The URL as it may be written down: ``Redaction`` of everything after its origin.
    package var redacted: ResourceURL {
        let tail = String(afterAuthority)
        let redacted = Redaction.redacted(tail)
        return redacted == tail ? self : ResourceURL(recorded: origin + redacted)
    }

    /// The last component of the path with its encoding undone; empty when the path ends in `/`.
    package var lastPathComponent: String {
        let path = path.utf8
        let slash = path.lastIndex(of: UInt8(ascii: "/")) ?? path.startIndex
        let last = Substring(path[path.index(after: slash)...])
        return last.utf8.contains(UInt8(ascii: "%")) ? Self.percentDecoded(last) : String(last)
    }
}
