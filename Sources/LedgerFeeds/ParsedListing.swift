package import LedgerModel

/// What a feed or a catalog says, in the order it says it.
package struct ParsedListing: Hashable, Sendable {
    /// What sort of document it was.
    package enum Format: Hashable, Sendable {
        /// RSS 0.9x, 1.0 (RDF) or 2.0.
        case rss
        /// RFC 4287.
        case atom
        /// JSON Feed 1.0 or 1.1.
        case jsonFeed
        /// A list of objects in JSON.
        case catalog
    }

    /// What sort of document it was.
    package var format: Format
    /// Its name; plain text on one line, bounded as that of an entry.
    package var title: String?
    /// What it is about; plain text on one line, bounded as that of an entry.
    package var details: String?
    /// The URL of its picture; absolute.
    package var image: String?
    /// What it offers, each guid once; ``ListingReader/entriesMax`` at most.
    package var entries: [ListedEntry] = []
    /// How many more it holds that offer nothing to download, can not be used, stand twice or are too many.
    package var passedOver = 0
    /// Whether there was something behind ``ListingReader/entriesMax`` entries.
    package var isCut = false
    /// The URL of its next page; absolute.
    package var next: String?
}
