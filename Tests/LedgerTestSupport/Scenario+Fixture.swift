package import LedgerModel

/// A few values that tests of the model, the coding and the engine speak in.
package enum Fixture {
    /// When the first event of a scenario is recorded, less a second: 2026-01-01T00:00:00Z.
    package static let start = Timestamp(milliseconds: 1_767_225_600_000)
    /// When the command of a scenario comes: a day later.
    package static let now = start.advanced(by: .seconds(86_400))

    /// An order for `http://HOST/NAME` into `/data`, the name left to the origin.
    package static func order(
        _ name: String = "file.iso", host: String = "example.org", directory: String = "/data", saveAs: String? = nil,
        on collision: Destination.Collision = .number, notBefore: Timestamp? = nil, group: String? = nil,
        window: DailyWindow? = nil
    ) -> Order {
        var options = TransferOptions()
        options.notBefore = notBefore
        options.window = window
        return Order(
            url: ResourceURL(recorded: "http://\(host)/\(name)"),
            destination: Destination(directory: directory, name: saveAs, collision: collision),
            labels: group.map { Shared(Labels(group: $0)) } ?? Labels.none,
            options: options == TransferOptions() ? TransferOptions.standard : Shared(options))
    }

    /// A change of what `body` sets.
    package static func change(_ body: (inout OrderChange) -> Void) -> OrderChange {
        var change = OrderChange()
        body(&change)
        return change
    }

    /// What the origin of `file.iso` says: 1,000 bytes under an entity tag.
    package static func origin(length: UInt64? = 1000, tag: String = "\"a\"") -> Origin {
        Origin(
            url: ResourceURL(recorded: "http://example.org/file.iso"), length: length, validator: .entityTag(tag),
            acceptsRanges: true, mediaType: "application/octet-stream", suggestedName: "file.iso")
    }

    /// A SHA-256 sum whose bytes are all the same.
    package static func digest(_ byte: UInt8 = 7) -> Digest {
        guard let digest = Digest(.sha256, [UInt8](repeating: byte, count: 32)) else {
            preconditionFailure("a SHA-256 has 32 bytes")
        }
        return digest
    }

    /// What `stat(2)` said of a published file.
    package static func identity(length: UInt64 = 1000, inode: UInt64 = 1) -> FileIdentity {
        FileIdentity(length: length, modifiedNanoseconds: 5, inode: inode)
    }

    /// An attempt that ended for a passing reason.
    package static let lost = Failure(.connectionLost, "the connection was lost", isRetryable: true)

    /// The rank of the `index`-th download enqueued, 1-based.
    package static func rank(_ index: Int64) -> Rank { index * Queue.rankStep }
}
