import LedgerModel

extension Event {
    /// Writes the event's own fields, from number 4 upwards.
    func encode(into writer: inout FieldWriter) {
        switch self {
        case .enqueued(let order, let priority, let rank):
            writer.nested(4) { order.encode(into: &$0) }
            writer.int(5, priority)
            writer.int(6, rank)
        case .resolved(let origin, let generation):
            writer.nested(4) { origin.encode(into: &$0) }
            writer.uint(5, generation)
        case .progressed(let ranges, let sums):
            writer.ranges(4, ranges)
            writer.sums(5, sums)
        case .verified(let length, let sha256, let path):
            writer.uint(4, length)
            writer.sha256(5, sha256)
            writer.string(6, path)
        case .completed(let identity): writer.nested(4) { identity.encode(into: &$0) }
        case .failed(let failure, let retryAt):
            writer.nested(4) { failure.encode(into: &$0) }
            writer.int(5, ifPresent: retryAt?.milliseconds)
        case .paused, .resumed, .cancelled, .retried, .missing, .rechecked, .unchanged, .used: break
        case .pinned(let isPinned): writer.flag(4, isPinned)
        case .relocated(let relocation):
            writer.string(4, relocation.from)
            writer.string(5, relocation.to)
        case .library(let event): event.encode(into: &writer)
        case .moved(let priority, let rank):
            writer.int(4, priority)
            writer.int(5, rank)
        case .changed(let order): writer.nested(4) { order.encode(into: &$0) }
        case .deleted(let deletion): writer.nested(4) { deletion.encode(into: &$0) }
        case .restored(let sequence): writer.uint(4, sequence.rawValue)
        case .altered(let identity, let sha256):
            writer.nested(4) { identity.encode(into: &$0) }
            if let sha256 { writer.sha256(5, sha256) }
        case .found(let identity, let sha256, let path, let isKnown):
            writer.nested(4) { identity.encode(into: &$0) }
            writer.sha256(5, sha256)
            writer.string(6, path)
            writer.flag(7, isKnown)
        case .blamed(let source, let failure):
            writer.string(4, source.text)
            writer.nested(5) { failure.encode(into: &$0) }
        case .compacted, .checkpointed, .repaired, .redacted: encodeMaintenance(into: &writer)
        }
    }

    private func encodeMaintenance(into writer: inout FieldWriter) {
        switch self {
        case .compacted(let through, let archived):
            writer.uint(4, through.rawValue)
            writer.flag(5, archived)
        case .checkpointed(let size, let root):
            writer.uint(4, size)
            writer.sha256(5, root)
        case .repaired(let cut, let reason):
            writer.uint(4, cut)
            writer.string(5, reason)
        case .redacted(let sequence, let reason):
            writer.uint(4, sequence.rawValue)
            writer.string(5, reason)
        case .enqueued, .resolved, .progressed, .verified, .completed, .failed, .paused, .resumed, .cancelled, .retried,
            .moved, .changed, .deleted, .restored, .missing, .altered, .found, .blamed, .rechecked, .unchanged, .used,
            .pinned, .relocated, .library:
            preconditionFailure("only events about the log come here")
        }
    }
}
