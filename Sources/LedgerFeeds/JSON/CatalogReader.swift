import LedgerCoding
import LedgerModel

/// Reads a catalog: a list of objects in JSON, each of which says what to download and what it is.
///
/// The list is the document itself, or stands in an object under one of ``lists``, which may stand in one another.
/// Members are known by several names each (``Names``); case, `_` and `-` in them make no difference, so `videoURL`,
/// `video_url` and `VideoUrl` are one. What is not what it should be is taken for missing.
enum CatalogReader {
    /// Where a list is looked for, in this order.
    static let lists = ["items", "entries", "data", "lessons", "content", "catalog"]

    /// The names of each member, the best first.
    private enum Names {
        static let guid = ["id", "guid", "uuid", "identifier"]
        /// `url` alone is often the address of a page about it, so others come first.
        static let url = [
            "downloadurl", "fileurl", "videourl", "audiourl", "mediaurl", "contenturl", "url", "file", "href", "src",
        ]
        static let title = ["title", "name"]
        static let details = ["details", "description", "summary"]
        /// A `type` counts when it is a media type, and not a word like `video`.
        static let mediaType = ["mediatype", "mimetype", "contenttype", "type"]
        static let length = ["size", "length", "bytes", "filesize", "sizebytes", "sizeinbytes", "contentlength"]
        static let published = [
            "date", "published", "publishedat", "datepublished", "pubdate", "created", "createdat", "updated",
            "updatedat",
        ]
        static let group = ["group", "section", "module", "chapter", "category", "album", "playlist"]
        static let thumbnail = [
            "thumbnail", "thumbnailurl", "thumb", "thumburl", "image", "imageurl", "poster", "posterurl", "cover",
            "coverurl",
        ]
        static let order = ["order", "position", "index", "number", "sortorder"]
        static let duration = ["duration", "durationseconds", "durationinseconds"]
    }

    static func read(_ value: JSONValue, base: ResourceURL) throws(ListingProblem) -> ParsedListing {
        guard let list = list(in: value) else {
            throw ListingProblem(
                "this is JSON, but neither a JSON Feed nor a catalog: it holds no list of entries",
                next: "a catalog is a list of objects, or an object with that list under one of: "
                    + lists.joined(separator: ", "))
        }
        var listing = ListingDraft()
        let head = Members(value)
        listing.title.offer(head.plain(Names.title, bytesMax: ListingReader.titleBytesMax))
        listing.details.offer(head.plain(Names.details, bytesMax: ListingReader.detailsBytesMax))
        listing.image.offer(head.first(Names.thumbnail) { base.listed($0.word)?.text })
        for item in list { listing.add(listing.isFull ? nil : entry(Members(item), base: base)) }
        return listing.listing(.catalog)
    }

    private static func list(in value: JSONValue) -> [JSONValue]? {
        switch value {
        case .array(let list): return list
        case .object(let object):
            for name in lists {
                if let list = object[name].flatMap(list) { return list }
            }
            return nil
        case .null, .bool, .int, .uint, .double, .string: return nil
        }
    }

    private static func entry(_ item: Members, base: ResourceURL) -> ListedEntry? {
        guard let url = item.first(Names.url, { base.whole($0.word) }) else { return nil }
        var entry = EntryDraft()
        entry.guid = item.first(Names.guid) { $0.word }
        entry.title.offer(item.plain(Names.title, bytesMax: ListingReader.titleBytesMax))
        entry.details.offer(item.plain(Names.details, bytesMax: ListingReader.detailsBytesMax))
        entry.published.offer(item.first(Names.published, instant))
        entry.thumbnail.offer(item.first(Names.thumbnail) { base.listed($0.word)?.text })
        entry.durationSeconds.offer(item.first(Names.duration) { $0.playingSeconds })
        entry.group = item.plain(Names.group, bytesMax: ListingReader.titleBytesMax)
        entry.order = item.first(Names.order) { $0.whole() }
        entry.offer(
            url, mediaType: item.first(Names.mediaType) { PlainText.mediaType($0.word) },
            length: item.first(Names.length) { $0.length })
        return entry.entry()
    }

    /// A date in a text, or seconds or milliseconds since 1970: what is more than 10^11 is no number of seconds. None
    /// that no text can tell.
    private static func instant(_ value: JSONValue) -> Timestamp? {
        if case .string(let text) = value { return Timestamp(listed: text) }
        guard let number: Int64 = value.whole() else { return nil }
        let instant = Timestamp(milliseconds: number.magnitude > 100_000_000_000 ? number : number * 1000)
        return instant.written == instant ? instant : nil
    }
}

/// The members of an object by their names in lower case without `_` and `-`; of equal ones the first counts.
private struct Members {
    private var values: [String: JSONValue] = [:]

    /// The members of an object; none when the value is no object.
    init(_ value: JSONValue) {
        guard case .object(let object) = value else { return }
        for member in object.members {
            let name = member.name.lowercased().filter { $0 != "_" && $0 != "-" }
            if values[name] == nil { values[name] = member.value }
        }
    }

    /// The first member of these names that can be read.
    func first<Value>(_ names: [String], _ read: (JSONValue) -> Value?) -> Value? {
        for name in names {
            if let value = values[name].flatMap(read) { return value }
        }
        return nil
    }

    func plain(_ names: [String], bytesMax: Int) -> String? {
        first(names) { $0.html(bytesMax: bytesMax) }
    }
}
