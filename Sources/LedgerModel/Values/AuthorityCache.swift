/// What was found for the scheme, host and port of URLs that were seen last: a host's name is made and looked up once,
/// not for each of its URLs.
///
/// A cache of fixed size: what takes another's place is found for that one anew.
struct AuthorityCache<Value: Sendable>: Sendable {
    private struct Entry: Sendable {
        let url: ResourceURL
        let value: Value
    }

    private var entries: [Entry?]

    /// Nothing found yet, and room for at most `countMax`.
    init(countMax: Int) { entries = Array(repeating: nil, count: countMax) }

    /// What was found for the authority of a URL; nil where that is not known, or no longer.
    subscript(url: ResourceURL) -> Value? {
        get {
            guard let entry = entries[place(of: url)], entry.url.hasOrigin(of: url) else { return nil }
            return entry.value
        }
        set { entries[place(of: url)] = newValue.map { Entry(url: url, value: $0) } }
    }

    /// Forgets everything.
    mutating func removeAll() { entries = Array(repeating: nil, count: entries.count) }

    private func place(of url: ResourceURL) -> Int { Int(url.authorityHash) % entries.count }
}
