import LedgerModel

/// The vocabularies that feeds are written in.
enum Namespace: Hashable, Sendable {
    /// None, or one of those that RSS has had.
    case rss
    case atom
    case rdf
    /// Apple's tags for podcasts.
    case itunes
    /// Media RSS.
    case media
    /// `content:encoded`.
    case content
    /// Dublin Core.
    case dublinCore
    /// Any other: nothing in it is read.
    case other

    /// The vocabulary of a namespace's name; case and a slash at its end make no difference, as publishers vary them.
    init(_ name: String) {
        let lower = name.trimmingSpace().lowercased()
        switch lower.hasSuffix("/") ? String(lower.dropLast()) : lower {
        case "", "http://purl.org/rss/1.0", "http://my.netscape.com/rdf/simple/0.9",
            "http://channel.netscape.com/rdf/simple/0.9",
            "http://backend.userland.com/rss2", "http://blogs.law.harvard.edu/tech/rss",
            "http://purl.oclc.org/net/rss_2.0/enc#":
            self = .rss
        case "http://www.w3.org/2005/atom": self = .atom
        case "http://www.w3.org/1999/02/22-rdf-syntax-ns#": self = .rdf
        case "http://www.itunes.com/dtds/podcast-1.0.dtd": self = .itunes
        case "http://search.yahoo.com/mrss": self = .media
        case "http://purl.org/rss/1.0/modules/content": self = .content
        case "http://purl.org/dc/elements/1.1": self = .dublinCore
        default: self = .other
        }
    }

    /// What the usual prefixes mean where a document forgets to declare them.
    static let usual: [String: Namespace] = [
        "": .rss, "atom": .atom, "rdf": .rdf, "itunes": .itunes, "media": .media, "content": .content,
        "dc": .dublinCore,
    ]
}
