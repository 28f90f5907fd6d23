import LedgerModel

/// An entry while it is read: of what is stated more than once, the best.
struct EntryDraft {
    /// The most things to download that are looked at in one entry; those behind them are left out.
    static let enclosuresMax = 20

    private struct Enclosure {
        let source: ResourceURL.Parsed
        let mediaType: String?
        let length: UInt64?
        let durationSeconds: UInt32?
    }

    /// As it was written; nil or blank when there is none.
    var guid: String?
    var title = Ranked<String>()
    var details = Ranked<String>()
    var published = Ranked<Timestamp>()
    var thumbnail = Ranked<String>()
    var durationSeconds = Ranked<UInt32>()
    var group: String?
    var order: Int64?
    /// 32 bits, so that ``order`` can not overflow.
    var season: UInt32?
    var episode: UInt32?
    private var enclosure = Ranked<Enclosure>()
    private var enclosures = 0

    /// Takes something to download, if it has a URL: the first that plays counts, or else the first; fallbacks only
    /// when there is no other.
    mutating func offer(
        _ source: @autoclosure () -> ResourceURL.Parsed?, mediaType: String?, length: UInt64?,
        durationSeconds: UInt32? = nil, isFallback: Bool = false
    ) {
        enclosures += 1
        guard enclosures <= Self.enclosuresMax, let source = source() else { return }
        let mediaType = PlainText.mediaType(mediaType)
        let kind = Kind(mediaType: mediaType, name: source.url.lastPathComponent)
        let plays = kind == .audio || kind == .video
        enclosure.offer(
            Enclosure(source: source, mediaType: mediaType, length: length, durationSeconds: durationSeconds),
            rank: (isFallback ? 2 : 0) + (plays ? 0 : 1))
    }

    /// The entry; nil when there is nothing to download, or its guid is too long.
    func entry() -> ListedEntry? {
        guard let enclosure = enclosure.value else { return nil }
        let guid = guid.flatMap { PlainText.plain($0, bytesMax: .max) } ?? enclosure.source.url.text
        guard guid.utf8.count <= ListingReader.guidBytesMax else { return nil }
        var entry = ListedEntry(guid: guid, url: enclosure.source.url)
        entry.credentials = enclosure.source.credentials
        entry.title = title.value
        entry.details = details.value
        entry.mediaType = enclosure.mediaType
        entry.length = enclosure.length.flatMap { $0 <= FileIdentity.lengthMax ? $0 : nil }
        entry.published = published.value
        entry.group = group
        entry.thumbnail = thumbnail.value
        entry.order = order ?? episode.map { Int64(season ?? 0) * 10_000 + Int64($0) }
        entry.durationSeconds = durationSeconds.value ?? enclosure.durationSeconds
        return entry
    }
}
