import LedgerModel

extension FeedReader {
    /// Reads a feed.
    mutating func readAtom() throws(ListingProblem) {
        while let element = try xml.nextChild() {
            switch (element.namespace, element.name) {
            case (.atom, "entry"): try readEntry()
            case (.atom, "title"): listing.title.offer(try construct(element, bytesMax: ListingReader.titleBytesMax))
            case (.atom, "subtitle"):
                listing.details.offer(try construct(element, bytesMax: ListingReader.detailsBytesMax))
            case (.atom, "logo"): listing.image.offer(element.base.listed(try xml.text())?.text, rank: 1)
            case (.atom, "icon"): listing.image.offer(element.base.listed(try xml.text())?.text, rank: 2)
            default: try readExtension(element)
            }
        }
    }

    private mutating func readEntry() throws(ListingProblem) {
        guard !listing.isFull else {
            try xml.skip()
            return listing.add(nil)
        }
        var entry = EntryDraft()
        while let element = try xml.nextChild() {
            switch (element.namespace, element.name) {
            case (.atom, "id"): entry.guid = try xml.text()
            case (.atom, "title"): entry.title.offer(try construct(element, bytesMax: ListingReader.titleBytesMax))
            case (.atom, "summary"):
                entry.details.offer(try construct(element, bytesMax: ListingReader.detailsBytesMax))
            case (.atom, "content"):
                entry.details.offer(try construct(element, bytesMax: ListingReader.detailsBytesMax), rank: 1)
            case (.atom, "published"): entry.published.offer(Timestamp(listed: try xml.text()))
            case (.atom, "updated"): entry.published.offer(Timestamp(listed: try xml.text()), rank: 1)
            case (.atom, "link"):
                if element.relations.contains("enclosure") {
                    offerEnclosure(element, url: element.attributes["href"], to: &entry)
                }
                try xml.skip()
            default: try readExtension(element, of: &entry)
            }
        }
        listing.add(entry.entry())
    }

    /// A text construct (RFC 4287, section 3.1), or content of a type that reads as one.
    private mutating func construct(_ element: XMLScanner.Element, bytesMax: Int) throws(ListingProblem) -> String? {
        switch element.attributes["type"]?.lowercased() ?? "text" {
        case "html", "text/html": return try html(bytesMax: bytesMax)
        // The tags of XHTML were read as XML: what looks like tags now is text.
        case "text", "xhtml", "text/plain", "application/xhtml+xml":
            return PlainText.plain(try xml.text(), bytesMax: bytesMax)
        default:
            try xml.skip()
            return nil
        }
    }
}
