import LedgerModel

/// Reads RSS and Atom.
struct FeedReader {
    var xml: XMLScanner
    var listing = ListingDraft()

    /// A reader of a document in UTF-8 whose URLs are relative to `base`.
    init(_ bytes: [UInt8], base: ResourceURL) { xml = XMLScanner(bytes, base: base) }

    /// Reads the whole document.
    mutating func read() throws(ListingProblem) -> ParsedListing {
        guard let root = try xml.nextChild() else { throw XMLScanner.noElement }
        switch (root.namespace, root.name) {
        case (.rss, "rss"), (.rdf, "RDF"):
            try readRSS()
            return listing.listing(.rss)
        case (.atom, "feed"):
            try readAtom()
            return listing.listing(.atom)
        default:
            throw ListingProblem(
                "this is XML, but no feed: its outermost element is '\(root.name)'",
                next: "check that the address is that of a feed: RSS, Atom or JSON Feed")
        }
    }

    /// The text of the innermost element, which is left, as HTML in it reads.
    mutating func html(bytesMax: Int) throws(ListingProblem) -> String? {
        PlainText.ofHTML(try xml.text(), bytesMax: bytesMax)
    }

    /// Reads what RSS and Atom borrow from the same vocabularies, of an entry.
    mutating func readExtension(_ element: XMLScanner.Element, of entry: inout EntryDraft) throws(ListingProblem) {
        let attributes = element.attributes
        switch (element.namespace, element.name) {
        case (.itunes, "title"): entry.title.offer(try html(bytesMax: ListingReader.titleBytesMax), rank: 1)
        case (.itunes, "summary"): entry.details.offer(try html(bytesMax: ListingReader.detailsBytesMax), rank: 2)
        case (.itunes, "subtitle"): entry.details.offer(try html(bytesMax: ListingReader.detailsBytesMax), rank: 3)
        case (.itunes, "duration"): entry.durationSeconds.offer(PlayingTime.seconds(try xml.text()))
        case (.itunes, "season"): entry.season = UInt32(try xml.text().trimmingSpace())
        case (.itunes, "episode"): entry.episode = UInt32(try xml.text().trimmingSpace())
        case (.itunes, "image"):
            entry.thumbnail.offer(element.base.listed(attributes["href"])?.text)
            try xml.skip()
        case (.media, "group"), (.media, "content"):
            // What stands in a group belongs to the entry as what stands beside it does.
            if element.name == "content" {
                entry.offer(
                    element.base.whole(attributes["url"]), mediaType: attributes["type"],
                    length: attributes["fileSize"].flatMap(Self.length),
                    durationSeconds: attributes["duration"].flatMap(PlayingTime.seconds), isFallback: true)
            }
            while let child = try xml.nextChild() { try readExtension(child, of: &entry) }
        case (.media, "thumbnail"):
            entry.thumbnail.offer(element.base.listed(attributes["url"])?.text, rank: 1)
            try xml.skip()
        case (.media, "title"): entry.title.offer(try html(bytesMax: ListingReader.titleBytesMax), rank: 2)
        case (.media, "description"): entry.details.offer(try html(bytesMax: ListingReader.detailsBytesMax), rank: 4)
        case (.content, "encoded"): entry.details.offer(try html(bytesMax: ListingReader.detailsBytesMax), rank: 1)
        case (.dublinCore, "date"): entry.published.offer(Timestamp(listed: try xml.text()), rank: 2)
        default: try xml.skip()
        }
    }

    /// Reads what RSS and Atom borrow from the same vocabularies, of the listing.
    mutating func readExtension(_ element: XMLScanner.Element) throws(ListingProblem) {
        switch (element.namespace, element.name) {
        case (.atom, "link"):
            if element.relations.contains("next") {
                listing.next.offer(element.base.listed(element.attributes["href"])?.text)
            }
            try xml.skip()
        case (.itunes, "summary"): listing.details.offer(try html(bytesMax: ListingReader.detailsBytesMax), rank: 1)
        case (.itunes, "subtitle"): listing.details.offer(try html(bytesMax: ListingReader.detailsBytesMax), rank: 2)
        case (.itunes, "image"):
            listing.image.offer(element.base.listed(element.attributes["href"])?.text)
            try xml.skip()
        default: try xml.skip()
        }
    }

    /// A length in bytes; nil for 0, which means that nobody knew, and for what is no number.
    static func length(_ text: String) -> UInt64? {
        UInt64(text.trimmingSpace()).flatMap { $0 > 0 ? $0 : nil }
    }
}

extension XMLScanner.Element {
    /// What a link leads to, in lower case; `alternate` when it does not say.
    var relations: [String] {
        (attributes["rel"] ?? "alternate").lowercased().split(separator: " ").map(String.init)
    }
}
