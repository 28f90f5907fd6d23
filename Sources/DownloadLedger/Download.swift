public import FoundationEssentials
import LedgerAPI
import LedgerModel

/// A download as the ledger knew it at one instant.
///
/// ```swift
/// for download in try await ledger.downloads() {
///     switch download.state {
///     case .running: show("\(download.name): \(download.received) of \(download.size ?? 0) bytes")
///     case .failed: show("\(download.name): \(download.error?.message ?? "failed")")
///     default: show("\(download.name): \(download.state.rawValue)")
///     }
/// }
/// ```
///
/// A value: it does not change behind your back. Ask ``DownloadLedger/download(_:)`` for a newer one, or follow
/// ``DownloadHandle/progress`` or ``DownloadLedger/changes``.
public struct Download: Hashable, Sendable, Identifiable {
    /// Which download, for ever: the number of the event that enqueued it.
    public let id: ID
    /// Where it comes from, without the secrets that may have stood in the URL.
    public let url: URL
    /// Where its file stands, or will stand as far as is known now. Only ``localURL`` says whether it is there.
    public let fileURL: URL
    /// Where it is on its way.
    public let state: State
    /// What sort of content it holds, by media type or name.
    public let kind: Kind
    /// Its length in bytes; nil when unknown.
    public internal(set) var size: UInt64?
    /// The bytes held: while it runs those received, else those that are durable.
    public internal(set) var received: UInt64
    /// Its rate in bytes a second over the last seconds; nil unless it runs and was measured.
    public internal(set) var bytesPerSecond: UInt64?
    /// How many bytes were there already when the running attempt began; nil unless it runs.
    public internal(set) var resumedFrom: UInt64?
    /// The SHA-256 of the finished file in 64 hexadecimal digits, as it was hashed on its way; nil before the end.
    public let sha256: String?
    /// The group it belongs to (a podcast, a course); nil for none.
    public let group: String?
    /// A title shown instead of the file name.
    public let title: String?
    /// Words about it.
    public let details: String?
    /// Words to find it by.
    public let tags: [String]
    /// Higher comes first; 0 unless someone said otherwise.
    public let priority: Int32
    /// How many attempts were begun.
    public let attempts: Int
    /// Why the last attempt ended; nil when none failed, or once a later one did not.
    public let error: DownloadError?
    /// When it was enqueued.
    public let addedAt: Date
    /// When the origin first answered.
    public internal(set) var startedAt: Date?
    /// When the file stood under its final name.
    public let completedAt: Date?
    /// The app's or the publisher's own name for it.
    public let identifier: String?
    /// When it was published.
    public let published: Date?
    /// When the finished file was last of use: played, or touched.
    public let usedAt: Date?
    /// Whether the finished file stays, whatever its group may hold.
    public let isPinned: Bool
    /// When it will be tried again; only while ``State/waiting``.
    public let retryAt: Date?

    /// What people call it: the title, else the file's name.
    public var name: String { title ?? fileURL.lastPathComponent }

    /// The file, if it is there and whole as far as the ledger knows; nil otherwise. It is not looked at:
    /// ``DownloadLedger/localURL(for:)`` does.
    public var localURL: URL? { state == .completed ? fileURL : nil }

    /// The number of a download: the one that the program `ledger` shows, too.
    ///
    /// ```swift
    /// let saved = handle.id.rawValue
    /// let handle = ledger.handle(for: Download.ID(saved))
    /// ```
    public struct ID: RawRepresentable, Hashable, Comparable, Sendable, Codable, CustomStringConvertible {
        /// 1 or more.
        public let rawValue: UInt64

        /// The download with this number.
        public init(rawValue: UInt64) { self.rawValue = rawValue }

        /// The download with this number.
        public init(_ rawValue: UInt64) { self.init(rawValue: rawValue) }

        public static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }

        public var description: String { String(rawValue) }
    }

    /// Where a download is on its way. The raw values are the words of the log and never change.
    ///
    /// ```swift
    /// let open = try await ledger.downloads().filter { !$0.state.isEnd }
    /// ```
    public enum State: String, Hashable, Sendable, Codable, CaseIterable {
        /// It waits for its turn.
        case queued
        /// A worker fetches it.
        case running
        /// It will be tried again at ``Download/retryAt``.
        case waiting
        /// It waits for `resume`.
        case paused
        /// Its file is whole, hashed and durable.
        case completed
        /// It will not be tried again by itself.
        case failed
        /// Someone gave it up.
        case cancelled
        /// Someone removed it; it can be brought back for as long as its file is in the trash.
        case deleted
        /// The finished file is gone.
        case missing
        /// The finished file is not the one that was fetched.
        case altered

        /// Whether nothing more will happen by itself.
        public var isEnd: Bool {
            switch self {
            case .queued, .running, .waiting, .paused: false
            case .completed, .failed, .cancelled, .deleted, .missing, .altered: true
            }
        }
    }

    /// What sort of content a file holds.
    ///
    /// ```swift
    /// var query = DownloadQuery()
    /// query.kinds = [.video, .audio]
    /// ```
    public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        /// `video/*`, or a name that ends as those of films do: `mp4`, `mkv`, `webm`.
        case video
        /// `audio/*`, or a name that ends as those of sounds do: `mp3`, `m4a`, `flac`.
        case audio
        /// `image/*`, or a name that ends as those of pictures do: `jpg`, `png`, `svg`.
        case image
        /// Something to read: PDF, EPUB, HTML, office formats, plain text.
        case document
        /// Something packed: `zip`, `tar`, disk images, packages.
        case archive
        /// Anything else, and what nothing is known of.
        case other
    }
}

extension Download {
    init(_ row: DownloadRow) {
        id = ID(row.id.rawValue)
        url = URL(ofLedger: row.url)
        fileURL = URL(filePath: row.path, directoryHint: .notDirectory)
        state = State(row.state)
        kind = Kind(row.kind)
        size = row.size
        received = row.received
        bytesPerSecond = row.rate
        resumedFrom = row.resumedFrom
        sha256 = row.digest.map { String($0.drop { $0 != ":" }.dropFirst()) }
        (group, title, details, tags) = (row.group, row.title, row.details, row.tags)
        priority = row.priority
        attempts = Int(row.attempts)
        error = row.error.map(DownloadError.init)
        addedAt = Date(row.addedAt)
        startedAt = row.startedAt.map(Date.init)
        completedAt = row.completedAt.map(Date.init)
        retryAt = row.retryAt.map(Date.init)
        (identifier, published, usedAt) = (row.identifier, row.published.map(Date.init), row.usedAt.map(Date.init))
        isPinned = row.pinned
    }
}

extension Download.State {
    init(_ state: DownloadState) {
        self =
            switch state {
            case .queued: .queued
            case .running: .running
            case .waiting: .waiting
            case .paused: .paused
            case .completed: .completed
            case .failed: .failed
            case .cancelled: .cancelled
            case .deleted: .deleted
            case .missing: .missing
            case .altered: .altered
            }
    }
}

extension Download.Kind {
    init(_ kind: LedgerModel.Kind) {
        self =
            switch kind {
            case .video: .video
            case .audio: .audio
            case .image: .image
            case .document: .document
            case .archive: .archive
            case .other: .other
            }
    }
}

extension URL {
    /// A URL that the ledger took: normal as it is, it is one to Foundation, character for character.
    init(ofLedger text: String) {
        guard let url = URL(string: text) else { preconditionFailure("'\(text)' is in the ledger and no URL") }
        self = url
    }
}

extension Date {
    init(_ timestamp: Timestamp) { self.init(timeIntervalSince1970: Double(timestamp.milliseconds) / 1000) }
}

extension Timestamp {
    /// To the millisecond; what is before the year 0 or behind 9999 is the first or the last that can be written down.
    init(_ date: Date) {
        let milliseconds = Int128(exactly: (date.timeIntervalSince1970 * 1000).rounded()) ?? 0
        self = Timestamp(milliseconds: Int64(clamping: milliseconds)).written
    }
}
