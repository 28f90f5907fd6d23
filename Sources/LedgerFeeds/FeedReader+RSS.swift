import LedgerModel

extension FeedReader {
    /// Reads a channel, or what stands around it: in RSS 1.0 the items stand beside it.
    mutating func readRSS() throws(ListingProblem) {
        while let element = try xml.nextChild() {
            switch (element.namespace, element.name) {
            case (.rss, "channel"): try readRSS()
            case (.rss, "item"): try readItem(element)
            case (.rss, "title"): listing.title.offer(try html(bytesMax: ListingReader.titleBytesMax))
            case (.rss, "description"): listing.details.offer(try html(bytesMax: ListingReader.detailsBytesMax))
            case (.rss, "image"): try readImage()
            default: try readExtension(element)
            }
        }
    }

    private mutating func readItem(_ item: XMLScanner.Element) throws(ListingProblem) {
        guard !listing.isFull else {
            try xml.skip()
            return listing.add(nil)
        }
        var entry = EntryDraft()
        entry.guid = item.attributes["about"]
        while let element = try xml.nextChild() {
            switch (element.namespace, element.name) {
            case (.rss, "guid"): entry.guid = try xml.text()
            case (.rss, "title"): entry.title.offer(try html(bytesMax: ListingReader.titleBytesMax))
            case (.rss, "description"): entry.details.offer(try html(bytesMax: ListingReader.detailsBytesMax))
            case (.rss, "pubDate"): entry.published.offer(Timestamp(listed: try xml.text()))
            case (.rss, "enclosure"):
                offerEnclosure(element, url: element.attributes["url"] ?? element.attributes["resource"], to: &entry)
                try xml.skip()
            default: try readExtension(element, of: &entry)
            }
        }
        listing.add(entry.entry())
    }

    private mutating func readImage() throws(ListingProblem) {
        while let element = try xml.nextChild() {
            if element.namespace == .rss, element.name == "url" {
                listing.image.offer(element.base.listed(try xml.text())?.text, rank: 1)
            } else {
                try xml.skip()
            }
        }
    }

    /// Takes an enclosure of RSS, or a link to one in Atom.
    func offerEnclosure(_ element: XMLScanner.Element, url: String?, to entry: inout EntryDraft) {
        entry.offer(
            element.base.whole(url), mediaType: element.attributes["type"],
            length: element.attributes["length"].flatMap(Self.length))
    }
}
