import LedgerModel

extension Event {
    /// Reads the own fields of an event of `kind` at its present schema version.
    static func decode(
        _ kind: Kind, _ reader: inout FieldReader, _ interner: inout Interner
    ) throws(CodingError) -> Event {
        switch kind {
        case .enqueued:
            .enqueued(
                try Order.decode(try reader.required(4).nested(), &interner), priority: try reader.required(5).int(),
                rank: try reader.required(6).int())
        case .resolved:
            .resolved(
                try Origin.decode(try reader.required(4).nested(), &interner),
                generation: try reader.required(5).uint())
        case .progressed: try progress(&reader)
        case .verified:
            .verified(
                length: try reader.required(4).count(), sha256: try reader.required(5).sha256(),
                path: try reader.required(6).path())
        case .completed: .completed(try FileIdentity.decode(try reader.required(4).nested()))
        case .failed:
            .failed(
                try Failure.decode(try reader.required(4).nested(), &interner),
                retryAt: try reader.optional(5)?.timestamp())
        case .paused: .paused
        case .resumed: .resumed
        case .cancelled: .cancelled
        case .retried: .retried
        case .moved: .moved(priority: try reader.required(4).int(), rank: try reader.required(5).int())
        case .changed: .changed(try Order.decode(try reader.required(4).nested(), &interner))
        case .deleted: .deleted(try Deletion.decode(try reader.required(4).nested(), &interner))
        case .restored: .restored(undoing: try reader.required(4).sequence())
        case .missing: .missing
        case .altered:
            .altered(
                try FileIdentity.decode(try reader.required(4).nested()), sha256: try reader.optional(5)?.sha256())
        case .found:
            .found(
                try FileIdentity.decode(try reader.required(4).nested()), sha256: try reader.required(5).sha256(),
                path: try reader.required(6).path(&interner), isKnown: try reader.flag(7))
        case .compacted:
            .compacted(through: SequenceNumber(try reader.required(4).count()), archived: try reader.flag(5))
        case .checkpointed:
            .checkpointed(size: try reader.required(4).count(), root: try reader.required(5).sha256())
        case .repaired:
            .repaired(cut: try reader.required(4).count(), reason: try reader.required(5).string(&interner))
        case .redacted:
            .redacted(try reader.required(4).sequence(), reason: try reader.required(5).string(&interner))
        case .blamed:
            .blamed(
                try reader.required(4).url(), try Failure.decode(try reader.required(5).nested(), &interner))
        case .rechecked: .rechecked
        case .unchanged: .unchanged
        case .used: .used
        case .pinned: .pinned(try reader.flag(4))
        case .relocated:
            .relocated(
                Relocation(from: try reader.required(4).path(&interner), to: try reader.required(5).path(&interner)))
        case .limited, .followed, .unfollowed, .listed, .delisted, .refreshed, .taken, .hooked, .delivered:
            .library(try LibraryEvent.decode(kind, &reader, &interner))
        }
    }

    private static func progress(_ reader: inout FieldReader) throws(CodingError) -> Event {
        let ranges = try reader.required(4).ranges()
        return .progressed(ranges, sums: try reader.optional(5)?.sums(of: ranges) ?? [])
    }
}
