import LedgerCoding
import LedgerModel

/// Reads a JSON Feed, version 1.0 or 1.1 (jsonfeed.org). A member that is not what it should be is one that is missing.
enum JSONFeedReader {
    static func read(_ feed: JSONObject, base: ResourceURL) -> ParsedListing {
        var listing = ListingDraft()
        listing.title.offer(feed["title"]?.plain(bytesMax: ListingReader.titleBytesMax))
        listing.details.offer(feed["description"]?.plain(bytesMax: ListingReader.detailsBytesMax))
        listing.image.offer(base.listed(feed["icon"]?.word)?.text)
        listing.image.offer(base.listed(feed["favicon"]?.word)?.text, rank: 1)
        listing.next.offer(base.listed(feed["next_url"]?.word)?.text)
        for item in feed["items"]?.elements ?? [] {
            listing.add(listing.isFull ? nil : entry(item, base: base))
        }
        return listing.listing(.jsonFeed)
    }

    private static func entry(_ item: JSONValue, base: ResourceURL) -> ListedEntry? {
        guard case .object(let item) = item else { return nil }
        var entry = EntryDraft()
        entry.guid = item["id"]?.word
        entry.title.offer(item["title"]?.plain(bytesMax: ListingReader.titleBytesMax))
        for (rank, name) in ["summary", "content_text"].enumerated() {
            entry.details.offer(item[name]?.plain(bytesMax: ListingReader.detailsBytesMax), rank: rank)
        }
        entry.details.offer(item["content_html"]?.html(bytesMax: ListingReader.detailsBytesMax), rank: 2)
        for (rank, name) in ["image", "banner_image"].enumerated() {
            entry.thumbnail.offer(base.listed(item[name]?.word)?.text, rank: rank)
        }
        for (rank, name) in ["date_published", "date_modified"].enumerated() {
            entry.published.offer(item[name]?.word.flatMap { Timestamp(listed: $0) }, rank: rank)
        }
        for case .object(let attachment) in item["attachments"]?.elements ?? [] {
            entry.offer(
                base.whole(attachment["url"]?.word), mediaType: attachment["mime_type"]?.word,
                length: attachment["size_in_bytes"]?.length,
                durationSeconds: attachment["duration_in_seconds"]?.playingSeconds)
        }
        return entry.entry()
    }
}
