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

    /// The longest pause after a listing could not be read, in seconds, unless its own interval is longer.
    static let retrySecondsMax: UInt32 = 3600
    /// The pause after it could not be read once, in seconds; twice as long each time.
    static let retrySecondsMin: UInt32 = 60

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
            (refresh.entityTag, refresh.lastModified) = document.origin?.stated ?? (nil, nil)
            return Result(entries: parsed.entries, refresh: refresh)
        } catch {
            refresh.failure = error
            refresh.nextAt = min(next, retry(after: error, followed))
            return Result(refresh: refresh)
        }
    }

    private func retry(after failure: Failure, _ followed: FollowedListing) -> Timestamp {
        let doubled = Self.retrySecondsMin << min(followed.failuresInRow, 10)
        let seconds = max(min(doubled, Self.retrySecondsMax), failure.retryAfterSeconds ?? 0)
        return world.clock.now().advanced(by: .seconds(Int64(seconds)))
    }

    private struct Document {
        var bytes: [UInt8]
        var mediaType: String?
        /// Where it was; nil for a file.
        var url: ResourceURL?
        var origin: Origin?
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
            return document.map {
                Document(bytes: $0.bytes, mediaType: $0.mediaType, url: $0.url, origin: $0.origin)
            }
        }
    }

    private func assignment(for url: ResourceURL, _ listing: Listing) throws(Failure) -> Assignment {
        let order = Order(url: url, destination: Destination(directory: listing.directory, name: nil))
        let plain = Assignment(lease: Lease(DownloadID(0), epoch: 0), order: order, ledgerPrefix: ledgerPrefix)
        guard let reference = listing.secret else { return plain }
        guard let secret = secrets.secrets(of: reference) else {
            throw Failure(
                .secretsMissing, "the secrets file does not hold what this listing needs", isRetryable: false)
        }
        return try AssignmentMaker.adding(secret, to: plain)
    }

    /// What the origin said of what was read last.
    private func known(of followed: FollowedListing, _ url: ResourceURL) -> Origin? {
        guard followed.entityTag != nil || followed.lastModified != nil else { return nil }
        var origin = Origin(
            url: url, length: nil, validator: nil, acceptsRanges: false, mediaType: nil, suggestedName: "")
        (origin.entityTag, origin.lastModified) = (followed.entityTag, followed.lastModified)
        return origin
    }

    private func parse(_ document: Document) throws(Failure) -> ParsedListing {
        do throws(ListingProblem) {
            return try ListingReader.read(
                document.bytes, mediaType: document.mediaType, base: document.url ?? Self.nowhere)
        } catch {
            let words = error.message + (error.next.map { "; " + $0 } ?? "")
            throw Failure(.protocolViolation, words, isRetryable: true)
        }
    }
}

extension Origin {
    /// What a later question whether it is still the same needs.
    fileprivate var stated: (entityTag: String?, lastModified: String?) {
        switch validator {
        case .entityTag(let tag): (tag, lastModified)
        case .lastModified(let date): (entityTag, date)
        case nil: (entityTag, lastModified)
        }
    }
}
