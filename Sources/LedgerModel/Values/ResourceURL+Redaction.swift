extension ResourceURL {
    /// The URL as it may be written down: ``Redaction`` of everything after its origin.
    package var redacted: ResourceURL {
        let origin = origin
        let tail = String(text.dropFirst(origin.count))
        let redacted = Redaction.redacted(tail)
        return redacted == tail ? self : ResourceURL(recorded: origin + redacted)
    }

    /// The last component of the path with its encoding undone; empty when the path ends in `/`.
    package var lastPathComponent: String {
        Self.percentDecoded(path.suffix(from: path.index(after: path.lastIndex(of: "/") ?? path.startIndex)))
    }
}
