package import LedgerModel

/// Reads what is offered for download out of a document from anywhere: RSS, Atom, JSON Feed, or a catalog in JSON.
package enum ListingReader {
    /// The longest document, in bytes; a longer one is refused.
    package static let documentBytesMax = 16 << 20
    /// The most entries that are kept of one document; those behind them count as passed over.
    package static let entriesMax = Listing.entriesMax
    /// The longest guid, in bytes of UTF-8; an entry with a longer one is passed over, since a cut one could be that of
    /// another entry.
    package static let guidBytesMax = 1 << 10
    /// The longest title, and name of a group, in bytes of UTF-8; a longer one is cut between two characters.
    package static let titleBytesMax = 1 << 10
    /// The longest details, in bytes of UTF-8; longer ones are cut between two characters.
    package static let detailsBytesMax = 4 << 10
    /// The longest media type, in bytes; a longer one is taken for none.
    package static let mediaTypeBytesMax = 255

    /// Reads a document, finding out by its first character what it is.
    ///
    /// - Parameters:
    ///   - bytes: the document: UTF-8, UTF-16, or another encoding that it names and ``TextDecoding`` knows.
    ///   - mediaType: what its server said it is. Only a `charset` in it counts: servers say `text/html` for anything.
    ///   - base: where it was fetched from, for URLs that are relative.
    /// - Throws: ``ListingProblem`` for what is none of the four, or is damaged. An entry that can not be used is no
    ///   problem: ``ParsedListing/passedOver`` counts it.
    package static func read(
        _ bytes: [UInt8], mediaType: String?, base: ResourceURL
    ) throws(ListingProblem) -> ParsedListing {
        guard bytes.count <= documentBytesMax else {
            throw ListingProblem(
                "the document has \(bytes.count) bytes, and \(documentBytesMax) are the most",
                next: "ask its publisher for a feed in pages, or for a shorter one")
        }
        let text = try TextDecoding.utf8(bytes, mediaType: mediaType)
        switch text.first(where: { !isSpace($0) }) {
        case UInt8(ascii: "<"):
            if WebPage.isOne(text) { throw WebPage.problem(text, base: base) }
            var reader = FeedReader(text, base: base)
            return try reader.read()
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            return try JSONListing.read(text, base: base)
        case nil:
            throw ListingProblem("the document is empty", next: "try again later, or check the address")
        default:
            throw ListingProblem(
                "the document is neither XML nor JSON, so it is no feed and no catalog",
                next: "check that the address is that of a feed: RSS, Atom or JSON Feed")
        }
    }

    /// White space of XML and JSON.
    static func isSpace(_ byte: UInt8) -> Bool { byte == 32 || byte == 9 || byte == 10 || byte == 13 }
}
