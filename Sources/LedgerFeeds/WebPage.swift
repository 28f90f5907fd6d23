import LedgerModel

/// A page in HTML, which is what people give when they mean its feed.
enum WebPage {
    /// How much of a page is searched for its feed, in bytes; one that is told of later is not found.
    static let searchBytesMax = 1 << 20

    /// Whether a document is a page: by the first tag that is neither a comment nor a declaration of XML.
    static func isOne(_ text: [UInt8]) -> Bool {
        var scanner = HTMLScanner(Array(text.prefix(searchBytesMax)))
        while let piece = scanner.next() {
            guard case .tag(let tag) = piece else {
                if case .text(let bytes) = piece, bytes.allSatisfy(ListingReader.isSpace) { continue }
                return false
            }
            if !tag.name.isEmpty { return pageTags.contains(tag.name) }
            if tag.isHTMLDeclaration(in: text) { return true }
        }
        return false
    }

    /// What is wrong with a page, and where its feed is if it says so.
    static func problem(_ text: [UInt8], base: ResourceURL) -> ListingProblem {
        let feed = feed(text, base: base)
        return ListingProblem(
            "this is a web page and not a feed",
            next: feed.map { "take the address of its feed: \($0.redacted.text)" }
                ?? "look on the page for the address of its feed (RSS, Atom)")
    }

    /// The first feed that a page names in a `link`.
    private static func feed(_ text: [UInt8], base: ResourceURL) -> ResourceURL? {
        var scanner = HTMLScanner(Array(text.prefix(searchBytesMax)))
        while let piece = scanner.next() {
            guard case .tag(let tag) = piece, tag.name == "link", !tag.isEnd else { continue }
            let attributes = scanner.attributes(of: tag)
            let relations = attributes["rel"]?.lowercased().split(whereSeparator: \.isWhitespace) ?? []
            guard relations.contains("alternate"), let type = PlainText.mediaType(attributes["type"]),
                feedTypes.contains(type), let url = base.listed(attributes["href"])
            else { continue }
            return url
        }
        return nil
    }

    private static let feedTypes: Set<String> = [
        "application/rss+xml", "application/atom+xml", "application/feed+json",
    ]
    private static let pageTags: Set<String> = [
        "html", "head", "body", "title", "meta", "script", "style", "div", "p", "h1", "center", "table",
    ]
}

extension HTMLScanner.Tag {
    /// Whether it is `<!DOCTYPE html ...>`.
    fileprivate func isHTMLDeclaration(in bytes: [UInt8]) -> Bool {
        let words = String(decoding: bytes[inside].prefix(32), as: UTF8.self).lowercased()
            .split { $0.isWhitespace || $0 == "!" }
        return words.starts(with: ["doctype", "html"])
    }
}
