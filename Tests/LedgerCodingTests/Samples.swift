import LedgerModel
import LedgerTestSupport

/// One event of each kind and shape, every field of every value set at least once.
enum Samples {
    static let sha256 = digest(.sha256)

    static let orders: [Order] = [
        Order(
            url: ResourceURL(recorded: "https://example.org/debian.iso"),
            destination: Destination(directory: "/srv/files", name: nil)),
        Order(
            url: ResourceURL(recorded: "http://example.org:8080/a/b?token=REDACTED"),
            destination: Destination(directory: "/", name: "ünï \"cödé\".bin", collision: .overwrite),
            secret: SecretReference(Array(0..<16)), expected: digest(.sha512),
            labels: Shared(Labels(group: "podcast", title: "Title", details: "Two\nlines", tags: ["a", "b", "a"])),
            options: Shared(options)),
        Order(
            url: ResourceURL(recorded: "http://[::1]/x"),
            destination: Destination(directory: "/d", name: "x", collision: .skip), expected: digest(.md5)),
    ]

    static let options: TransferOptions = {
        var options = TransferOptions()
        options.mirrors = [
            ResourceURL(recorded: "https://one.example/f"), ResourceURL(recorded: "https://two.example/f"),
        ]
        options.bytesPerSecondMax = 1_000_000
        options.retriesMax = 0
        options.silenceMillisecondsMax = 30_000
        options.notBefore = Timestamp(milliseconds: -5)
        options.userAgent = "agent/1"
        options.proxy = "http://proxy:3128"
        options.certificateAuthorityFile = "/etc/ca.pem"
        options.isInsecure = true
        options.headerNames = ["Authorization", "X-One"]
        options.forwardsHeaders = true
        options.allowsDowngrade = true
        options.resumesUnvalidated = true
        return options
    }()

    static let file = FileIdentity(length: 1 << 40, modifiedNanoseconds: 1_700_000_000_123_456_789, inode: .max)

    static let poison: Failure = {
        var failure = Failure(.disk, "the disk failed at 'x.1-0badcafe.1.part': EIO (fdatasync)", isRetryable: true)
        failure.poisonsPart = true
        return failure
    }()

    static let events: [Event] =
        orders.map { .enqueued($0, priority: -3, rank: 1 << 40) }
        + [
            .resolved(origin(.entityTag("\"v1\""), length: 7), generation: 3),
            .resolved(origin(.lastModified("Mon, 02 Mar 2026 10:11:12 GMT"), length: nil), generation: 0),
            .resolved(origin(nil, length: 0), generation: .max),
            .progressed(ByteRangeSet()),
            .progressed(ByteRangeSet(0..<1_048_576)),
            .progressed(ByteRangeSet([5..<9, 100..<101, (1 << 62)..<(1 << 62) + 1])),
            .verified(length: 1_048_576, sha256: sha256, path: "/srv/files/debian.iso"),
            .completed(file),
            .failed(Failure(.status, "404 Not Found", isRetryable: false, status: 404), retryAt: nil),
            .failed(
                Failure(.status, "503", isRetryable: true, status: 503, retryAfterSeconds: 30),
                retryAt: Timestamp(milliseconds: 1_772_446_272_345)),
            .paused, .resumed, .cancelled, .retried,
            .moved(priority: .max, rank: .min),
            .changed(orders[1]),
            .deleted(.keepFile), .deleted(.trash(path: "/home/trash/7-debian.iso")), .deleted(.purge),
            .restored(undoing: SequenceNumber(9)),
            .missing,
            .altered(file, sha256: nil), .altered(file, sha256: sha256),
            .found(file, sha256: sha256, path: "/srv/files/found.iso"),
            .compacted(through: SequenceNumber(1000), archived: true),
            .compacted(through: .zero, archived: false),
            .checkpointed(size: 12, root: sha256),
            .repaired(cut: 4096, reason: "the last batch fails its checksum"),
            .redacted(SequenceNumber(5), reason: "asked for by its owner"),
            .failed(poison, retryAt: Timestamp(milliseconds: 1_772_446_272_345)),
            .blamed(
                ResourceURL(recorded: "https://mirror.example/debian.iso"),
                Failure(.entityChanged, "another length", isRetryable: false)),
            .enqueued(everything, priority: 0, rank: 1),
            .resolved(talkative, generation: 1),
            .rechecked,
            .unchanged,
            .progressed(ByteRangeSet([0..<9, 100..<101]), sums: [0xE306_9283, 1]),
            .deleted(.expired(path: "/home/trash/7-debian.iso")),
            .deleted(.evicted), .used, .pinned(true), .pinned(false),
        ] + library.map { .library($0) } + [.enqueued(labelled, priority: 0, rank: 2)] + confined
        + [.enqueued(refusing, priority: 0, rank: 5), .resolved(begunAgain, generation: 4)]
        + [.resolved(packed, generation: 1), .enqueued(inNamedDirectory, priority: 0, rank: 6)]
        + [.relocated(Relocation(from: "/srv/files", to: "/mnt/disk 2/files"))]
        + [.found(file, sha256: sha256, path: "/srv/files/found.iso", isKnown: true)]

    /// What a Metalink puts two directories deep.
    static var inNamedDirectory: Order {
        var options = TransferOptions()
        options.namedComponents = 2
        return Order(
            url: orders[0].url, destination: Destination(directory: "/srv/files/a/b", name: "x"),
            options: Shared(options))
    }

    /// What an aria2 client asked for, who wants no other name where one is taken.
    static var refusing: Order {
        Order(
            url: orders[0].url, destination: Destination(directory: "/d", name: "x", collision: .refuse),
            expected: digest(.md5))
    }

    /// What clients of the API asked for, who may not reach private networks.
    static var confined: [Event] {
        var (order, listing) = (orders[0], listing)
        listing.refusesPrivateAddresses = true
        order.confine(as: listing)
        let events: [Event] = [
            .enqueued(order, priority: 0, rank: 3), .library(.followed(listing, replacing: SequenceNumber(5))),
        ]
        listing.refusesLinks = true
        order.confine(as: listing)
        return events + [
            .enqueued(order, priority: 0, rank: 4), .library(.followed(listing, replacing: SequenceNumber(6))),
        ]
    }

    /// An order with every label.
    static var labelled: Order {
        var order = orders[0]
        order.labels = Shared(
            Labels(
                group: "radio", title: "One", details: "The first", tags: ["news"], identifier: "e-1",
                published: Timestamp(milliseconds: 1_772_446_272_345)))
        return order
    }

    static let library: [LibraryEvent] =
        [
            .limited(group: "radio", GroupLimits(newestMax: 10, sizeBytesMax: 1 << 33)),
            .limited(group: "", GroupLimits()),
            .followed(Listing(kind: .feed, source: .file("/srv/feed.xml"), directory: "/srv"), replacing: nil),
            .followed(listing, replacing: SequenceNumber(5)),
            .unfollowed(SequenceNumber(5)),
            .listed(SequenceNumber(5), [entry, ListedEntry(guid: "2", url: entry.url)]),
            .delisted(SequenceNumber(5), ["1", "2"]),
            .refreshed(SequenceNumber(5), Refresh(nextAt: Timestamp(milliseconds: 1_772_446_272_345))),
            .refreshed(SequenceNumber(5), refresh),
            .taken(SequenceNumber(5), guid: "2", DownloadID(7)),
            .hooked(name: "0badcafe", details: "/usr/bin/notify"),
            .delivered(hook: "0badcafe", through: SequenceNumber(12)),
        ]

    /// A listing with every field.
    static var listing: Listing {
        var listing = Listing(
            kind: .catalog, source: .url(ResourceURL(recorded: "https://host.example/feed?key=***")), directory: "/srv")
        listing.secret = SecretReference(Array(0..<16))
        listing.group = "radio"
        listing.newestMax = 10
        listing.filter = "news|talk"
        listing.isAutomatic = true
        listing.intervalSeconds = 900
        return listing
    }

    /// An entry with every field.
    static var entry: ListedEntry {
        var entry = ListedEntry(guid: "1", url: ResourceURL(recorded: "https://host.example/1.mp3"))
        entry.secret = SecretReference(Array(0..<16))
        (entry.title, entry.details, entry.mediaType) = ("One", "The first", "audio/mpeg")
        (entry.length, entry.published) = (5, Timestamp(milliseconds: 1_772_446_272_345))
        (entry.group, entry.thumbnail) = ("season 1", "https://host.example/1.png")
        (entry.order, entry.durationSeconds) = (-3, 3600)
        return entry
    }

    /// A refresh with every field.
    static var refresh: Refresh {
        var refresh = Refresh(nextAt: Timestamp(milliseconds: 1_772_446_272_345))
        (refresh.entityTag, refresh.lastModified) = ("\"v1\"", "Mon, 02 Mar 2026 10:11:12 GMT")
        refresh.title = "Radio"
        refresh.failure = Failure(.unreachable, "no answer", isRetryable: true)
        return refresh
    }

    /// An origin with every field that the second schema added.
    static var talkative: Origin {
        var origin = origin(nil, length: 7)
        origin.digest = sha256
        origin.mirrors = [ResourceURL(recorded: "https://mirror.example/debian.iso")]
        origin.entityTag = "W/\"1\""
        origin.lastModified = "Sun, 01 Mar 2026 10:00:00 GMT"
        return origin
    }

    /// An origin behind a redirect, whose file was begun anew by two retries.
    static var begunAgain: Origin {
        var origin = origin(nil, length: nil)
        origin.answeredAt = Timestamp(milliseconds: 1_772_446_272_345)
        origin.source = ResourceURL(recorded: "https://host.example/latest")
        origin.beginnings = 2
        return origin
    }

    /// An origin whose bytes are kept packed as they came.
    static var packed: Origin {
        var origin = origin(.entityTag("\"1-gzip\""), length: 7)
        origin.contentCoding = "gzip"
        return origin
    }

    /// An order with every field that the second schema added.
    static var everything: Order {
        var options = TransferOptions()
        options.rangesMax = 8
        options.window = DailyWindow(start: 22 * 60, end: 6 * 60)
        options.keepsRemoteTime = true
        options.decompresses = true
        options.clientCertificateFile = "/etc/me.pem"
        options.clientKeyFile = "/etc/me.key"
        options.cookieFile = "/home/ada/cookies.txt"
        options.prefersHTTP2 = true
        options.noProxy = "localhost,.example"
        options.expectedType = "application/zip"
        options.checksumFile = ResourceURL(recorded: "https://host.example/SHA256SUMS")
        options.expectedLength = 5
        return Order(
            url: ResourceURL(recorded: "https://host.example/a.zip"),
            destination: Destination(directory: "/srv", name: nil),
            pieces: PieceHashes(.sha256, pieceLength: 4, bytes: sha256.bytes + sha256.bytes).map { Shared($0) },
            options: Shared(options))
    }

    /// The events in envelopes of every shape.
    static let recorded: [Recorded] = events.enumerated().map { index, event in
        let sequence = SequenceNumber(UInt64(100 + index))
        let id: DownloadID? =
            switch event {
            case .enqueued: DownloadID(sequence)
            case .compacted, .checkpointed, .repaired, .redacted, .library: nil
            default: DownloadID(7)
            }
        return Recorded(
            sequence: sequence, time: Timestamp(milliseconds: 1_772_446_272_345 + Int64(index)), id: id,
            command: index % 2 == 0 ? CommandID(high: 1, low: .max) : nil,
            actor: EventActor.allCases[index % EventActor.allCases.count], event: event)
    }

    static func digest(_ algorithm: Digest.Algorithm) -> Digest {
        Digest(algorithm, (0..<algorithm.byteCount).map { UInt8(truncatingIfNeeded: $0 &* 7) })!
    }

    static func origin(_ validator: Validator?, length: UInt64?) -> Origin {
        Origin(
            url: ResourceURL(recorded: "https://cdn.example/debian.iso"), length: length, validator: validator,
            acceptsRanges: length != nil, mediaType: validator == nil ? nil : "application/x-iso9660-image",
            suggestedName: "debian.iso")
    }
}
