/// The number of a listing: the sequence of the event that followed it first.
package typealias ListingID = SequenceNumber

/// A list of things to download that someone else keeps: a feed, or a catalog.
package struct Listing: Hashable, Sendable {
    /// What sort of list it is.
    package enum Kind: UInt8, Hashable, Sendable, CaseIterable {
        /// RSS, Atom or JSON Feed: what is new comes to the front, what is old leaves it, and is remembered.
        case feed = 1
        /// A JSON list: what it holds is what there is.
        case catalog = 2

        /// The word for it.
        package var name: String { String(describing: self) }
    }

    /// Where a listing is read from.
    package enum Source: Hashable, Sendable {
        /// As it may be written down.
        case url(ResourceURL)
        /// A file on this machine, by its absolute path.
        case file(String)

        /// What it may be called as long as it says nothing itself: the host, or the name of the file.
        var name: String {
            switch self {
            case .url(let url): url.host
            case .file(let path): String(path.split(separator: "/").last ?? "file")
            }
        }

        /// The URL or the path.
        package var text: String {
            switch self {
            case .url(let url): url.text
            case .file(let path): path
            }
        }
    }

    /// What sort of list it is.
    package var kind: Kind
    /// Where it is read from.
    package var source: Source
    /// Names the entry of the secrets file that holds the whole URL and its credentials; nil when nothing is secret.
    package var secret: SecretReference?
    /// The group of its downloads; nil takes that of each entry, else the listing's title.
    package var group: String?
    /// How many of its newest files stay in each of its groups, and are enqueued by themselves; nil for all.
    package var newestMax: UInt32?
    /// The directory of its downloads; absolute.
    package var directory: String
    /// A regular expression (``TitlePattern``) that the title of an entry must hold to be enqueued by itself; nil for
    /// all.
    package var filter: String?
    /// Whether new entries are enqueued by themselves.
    package var isAutomatic = false
    /// How long after a refresh the next one is due, in seconds.
    package var intervalSeconds: UInt32 = 3600
    /// Whether neither it nor its downloads may reach a private network: who follows it is not who owns this machine.
    package var refusesPrivateAddresses = false
    /// Whether a symbolic link in the path of a download's directory ends that; see ``TransferOptions/refusesLinks``.
    package var refusesLinks = false

    /// The shortest ``intervalSeconds``.
    package static let intervalSecondsMin: UInt32 = 60
    /// The longest ``intervalSeconds``: a year.
    package static let intervalSecondsMax: UInt32 = 366 * 86_400
    /// The longest filter in bytes.
    package static let filterBytesMax = 1024
    /// How long all texts of how a listing is followed may be together, in bytes.
    package static let textBytesMax = 64 << 10
    /// How many listings may be followed at once; one more is refused.
    package static let listingsMax = 10_000
    /// How many entries of one listing are remembered; of those beyond it nothing is taken in.
    package static let entriesMax = 100_000

    /// A listing of which nothing else is said.
    package init(kind: Kind, source: Source, directory: String) {
        self.kind = kind
        self.source = source
        self.directory = directory
    }

    /// ``filter`` as it is matched; nil for all. One that is none is refused where it is given; here it lets all
    /// through.
    var pattern: TitlePattern? {
        guard let filter else { return nil }
        do throws(PatternProblem) { return try TitlePattern(filter) } catch { return nil }
    }

    /// What it is known by when it is followed no longer: its kind and where it was read from.
    var formerKey: String { kind.name + " " + source.text }

    /// The same for where its directory, or its file, is since another one was moved.
    func moved(by relocation: Relocation) -> Listing {
        var moved = self
        moved.directory = relocation.moved(directory) ?? directory
        if case .file(let path) = source { moved.source = .file(relocation.moved(path) ?? path) }
        return moved
    }

    /// How long its texts are, in bytes.
    var textBytes: Int {
        [source.text, group, directory, filter].reduce(0) { $0 + ($1?.utf8.count ?? 0) }
    }
}

/// How an attempt to read a listing ended.
package struct Refresh: Hashable, Sendable {
    /// The entity tag of what was read, for the next question; nil when there is none.
    package var entityTag: String?
    /// The `Last-Modified` of what was read; nil when there is none.
    package var lastModified: String?
    /// The listing's own title; nil when it says none, or was not read.
    package var title: String?
    /// Why it could not be read; nil when it could, or has not changed.
    package var failure: Failure?
    /// When it is to be read again.
    package var nextAt: Timestamp

    /// A listing that has not changed.
    package init(nextAt: Timestamp) { self.nextAt = nextAt }
}
