import LedgerModel

/// A listing while it is read.
struct ListingDraft {
    var title = Ranked<String>()
    var details = Ranked<String>()
    var image = Ranked<String>()
    var next = Ranked<String>()
    private var entries: [ListedEntry] = []
    private var passedOver = 0
    private var isCut = false
    private var guids: Set<String> = []

    /// Whether no more entries are kept: the rest need not be read.
    var isFull: Bool { entries.count == ListingReader.entriesMax }

    /// Takes what an entry came to; nil is one that can not be used.
    mutating func add(_ entry: ListedEntry?) {
        if isFull { isCut = true }
        guard let entry, !isFull, guids.insert(entry.guid).inserted else {
            passedOver += 1
            return
        }
        entries.append(entry)
    }

    func listing(_ format: ParsedListing.Format) -> ParsedListing {
        ParsedListing(
            format: format, title: title.value, details: details.value, image: image.value, entries: entries,
            passedOver: passedOver, isCut: isCut, next: next.value)
    }
}

extension ResourceURL {
    /// What a reference in a document means; nil when it can not be fetched. User information is dropped.
    func listed(_ reference: String?) -> ResourceURL? { whole(reference)?.url }

    /// The same with its user information, for what is to be downloaded.
    func whole(_ reference: String?) -> Parsed? {
        guard let reference else { return nil }
        do throws(URLProblem) { return try resolving(reference) } catch {
            // A reference that leads nowhere is one that is not there: other entries count all the same.
            return nil
        }
    }
}
