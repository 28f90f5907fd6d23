import LedgerAPI
import LedgerEngine
import LedgerFeeds
import LedgerModel
import LedgerSystem
import LedgerTransfer
import SystemPackage

/// Reads a listing, from its origin or from its file, and what is to be recorded of it.
struct ListingFetch: Sendable {
    let documents: DocumentFetch
    let secrets: SecretStore
    let world: World
    let ledgerPrefix: String
    /// What the program itself says, as of now.
    let own: Watched<OwnDefaults>

    /// The longest pause after a listing could not be read, in seconds, unless its own interval is shorter or its
    /// origin asks for more.
    static let retrySecondsMax: UInt32 = 3600
    /// The pause after it could not be read once, in seconds; twice as long each time.
    static let retrySecondsMin: UInt32 = 60

    /// How many pages of one listing are read at once (RFC 5005, section 3): as far as there is anything new on them,
    /// and no more than these.
    static let pagesMax = 64
    /// How long all pages of one listing may be together, in bytes.
    static let pagesBytesMax = 64 << 20

    /// What relative addresses in a file are relative to: no host has this name (RFC 6761, section 6.4).
    static let nowhere = ResourceURL(recorded: "http://file.invalid/")

    /// What reading it came to.
    struct Result {
        /// Its entries, with their secrets; nil when it has not changed, or could not be read.
        var entries: [ListedEntry]?
        var refresh: Refresh
    }

    /// Reads a listing. What fails is part of the result.
    func read(_ followed: FollowedListing) async -> Result {
        let next = world.clock.now().advanced(by: .seconds(Int64(followed.listing.intervalSeconds)))
        var refresh = Refresh(nextAt: next)
        (refresh.entityTag, refresh.lastModified) = (followed.entityTag, followed.lastModified)
        do throws(Failure) {
            guard let document = try await document(of: followed) else { return Result(refresh: refresh) }
            let parsed = try parse(document)
            refresh.title = parsed.title
            let (entries, failure) = await pages(from: parsed, of: document, followed)
            refresh.failure = failure
            if let failure, failure.isRetryable {
                refresh.nextAt = retry(after: failure, followed, noLaterThan: next)
            }
            // What came in part is read anew the next time, changed or not; and of a catalog in pages the first says
            // nothing of the others.
            let isWhole = failure == nil && (parsed.next == nil || followed.listing.kind == .feed)
            (refresh.entityTag, refresh.lastModified) = isWhole ? document.origin?.stated ?? (nil, nil) : (nil, nil)
            return Result(entries: entries, refresh: refresh)
        } catch {
            refresh.failure = error
            refresh.nextAt = retry(after: error, followed, noLaterThan: next)
            return Result(refresh: refresh)
        }
    }

    /// The entries of a listing's first page and of those behind it, as far as there is anything new on them; and why
    /// some are missing, if so.
    private func pages(
        from first: ParsedListing, of document: Document, _ followed: FollowedListing
    ) async -> (entries: [ListedEntry], failure: Failure?) {
        var (page, entries, bytes) = (first, first.entries, document.bytes.count)
        // What was missing the last time may stand behind what is known.
        let goesOn = followed.listing.kind == .catalog || followed.failure.map { $0.code != .unsupported } ?? false
        var read = Set([document.url?.text].compactMap(\.self))
        do throws(Failure) {
            while true {
                if page.isCut { throw Self.tooMany("\(ListingReader.entriesMax) entries on one page") }
                let isNew = page.entries.contains { followed.entries[$0.guid] == nil }
                guard isNew || goesOn, let next = page.next, read.insert(next).inserted else { return (entries, nil) }
                if read.count > Self.pagesMax { throw Self.tooMany("\(Self.pagesMax) pages") }
                let document = try await self.document(at: next, followed.listing)
                bytes += document.bytes.count
                if bytes > Self.pagesBytesMax { throw Self.tooMany("\(Self.pagesBytesMax >> 20) MiB in its pages") }
                page = try parse(document)
                entries += page.entries
                if entries.count > Listing.entriesMax { throw Self.tooMany("\(Listing.entriesMax) entries") }
            }
        } catch { return (entries, error) }
    }

    private static func tooMany(_ what: String) -> Failure {
        Failure(
            .unsupported, "it has more than \(what), which are all that is read of it: the rest is passed over",
            isRetryable: false)
    }

    /// When it is read again that could not be read, or not to its end: soon, then later and later, no later than it
    /// would be anyhow, and never before its origin asked for it.
    private func retry(after failure: Failure, _ followed: FollowedListing, noLaterThan next: Timestamp) -> Timestamp {
        let (now, doubled) = (world.clock.now(), Self.retrySecondsMin << min(followed.failuresInRow, 10))
        let backoff = now.advanced(by: .seconds(Int64(min(doubled, Self.retrySecondsMax))))
        return max(min(next, backoff), now.advanced(by: .seconds(Int64(failure.retryAfterSeconds ?? 0))))
    }

    private struct Document {
        var bytes: [UInt8]
        var mediaType: String?
        /// Where it was; nil for a file.
        var url: ResourceURL?
        var origin: Origin?

        init(bytes: [UInt8]) { self.bytes = bytes }

        init(_ document: DocumentFetch.Document) {
            (bytes, mediaType) = (document.bytes, document.contentType)
            (url, origin) = (document.url, document.origin)
        }
    }

    /// The document; nil when it is what it was.
    private func document(of followed: FollowedListing) async throws(Failure) -> Document? {
        switch followed.listing.source {
        case .file(let path):
            let fileSystem = world.fileSystem
            let bytes: [UInt8]?
            do throws(FileError) {
                bytes = try await world.blocking.run { () throws(FileError) in
                    try fileSystem.contents(of: FilePath(path), bytesMax: ListingReader.documentBytesMax)
                }
            } catch { throw Failure(.disk, "'\(path)' can not be read: \(error.errno)", isRetryable: true) }
            guard let bytes else { throw Failure(.disk, "there is no file '\(path)'", isRetryable: true) }
            return Document(bytes: bytes)
        case .url(let url):
            let assignment = try assignment(for: url, followed.listing)
            let document = try await documents.fetch(
                assignment, bytesMax: ListingReader.documentBytesMax, unless: known(of: followed, url))
            return document.map(Document.init)
        }
    }

    /// A page behind the first.
    private func document(at address: String, _ listing: Listing) async throws(Failure) -> Document {
        let url: ResourceURL
        do throws(URLProblem) { url = try ResourceURL.parse(address).url } catch {
            throw Failure(.protocolViolation, "its next page has no address that can be read", isRetryable: true)
        }
        let assignment = try assignment(for: url, listing)
        return Document(try await documents.fetch(assignment, bytesMax: ListingReader.documentBytesMax))
    }

    private func assignment(for url: ResourceURL, _ listing: Listing) throws(Failure) -> Assignment {
        var order = Order(url: url, destination: Destination(directory: listing.directory, name: nil))
        order.confine(as: listing)
        var secret = OrderSecrets()
        // What opens the listing is not shown to others that its pages name.
        if let reference = listing.secret, case .url(let first) = listing.source, first.hasOrigin(of: url) {
            guard let kept = secrets.secrets(of: reference) else {
                throw Failure(
                    .secretsMissing, "the secrets file does not hold what this listing needs", isRetryable: false)
            }
            secret = kept
        }
        own.withLock { $0 }.apply(to: &order, &secret)
        let plain = Assignment(lease: Lease(DownloadID(0), epoch: 0), order: order, ledgerPrefix: ledgerPrefix)
        return try AssignmentMaker.adding(secret, to: plain)
    }

    /// What the origin said of what was read last.
    private func known(of followed: FollowedListing, _ url: ResourceURL) -> Origin? {
        guard followed.entityTag != nil || followed.lastModified != nil else { return nil }
        return Origin(
            url: url, length: nil, validator: nil, acceptsRanges: false, mediaType: nil, suggestedName: "",
            entityTag: followed.entityTag, lastModified: followed.lastModified)
    }

    private func parse(_ document: Document) throws(Failure) -> ParsedListing {
        do throws(ListingProblem) {
            var parsed = try ListingReader.read(
                document.bytes, mediaType: document.mediaType, base: document.url ?? Self.nowhere)
            // What is relative in a file leads nowhere.
            parsed.entries.removeAll { $0.url.hasOrigin(of: Self.nowhere) }
            if parsed.next?.hasPrefix(Self.nowhere.origin) ?? false { parsed.next = nil }
            parsed.entries = parsed.entries.withoutSecretTexts
            parsed.title = parsed.title?.withoutSecrets
            return parsed
        } catch {
            let words = error.message + (error.next.map { "; " + $0 } ?? "")
            throw Failure(.protocolViolation, words, isRetryable: true)
        }
    }
}
