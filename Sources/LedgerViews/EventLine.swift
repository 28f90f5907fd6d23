import LedgerAPI
package import LedgerModel

/// An event as a line for people.
package enum EventLine {
    /// `seq  time  #id  type  what it says`.
    package static func text(_ event: Recorded) -> String {
        let id = event.id.map { "#\($0)" } ?? "-"
        let columns = [
            TextWidth.fitted(event.sequence.description, to: 8, rightAligned: true),
            String(event.time.rfc3339.prefix(23)).replacing("T", with: " "), TextWidth.fitted(id, to: 7),
            TextWidth.fitted(event.event.kind.name, to: 12), TextWidth.printable(details(event.event)),
        ]
        var line = columns.joined(separator: "  ")
        while line.last == " " { line.removeLast() }
        return line
    }

    /// What an event says, without who and when; empty when its type says it all.
    package static func details(_ event: Event) -> String {
        switch event {
        case .enqueued(let order, let priority, _):
            return text(order) + (priority == 0 ? "" : ", priority \(priority)")
        case .resolved(let origin, let generation):
            return text(origin) + (generation > 1 ? ", part file \(generation)" : "")
        case .progressed(let ranges, _):
            let holes = ranges.ranges.count > 1 ? " in \(ranges.ranges.count) ranges" : ""
            return "\(Figures.size(ranges.count)) durable" + holes
        case .verified(let length, let sha256, let path):
            return "\(Figures.size(length)), \(short(sha256)), to be \(path)"
        case .completed(let identity): return Figures.size(identity.length)
        case .failed(let failure, let retryAt):
            return "\(failure.message) (\(failure.code.rawValue))"
                + (retryAt.map { ", again at \(Figures.moment($0))" } ?? "")
        case .paused, .resumed, .cancelled, .retried, .missing, .rechecked, .unchanged, .used: return ""
        case .pinned(let isPinned): return isPinned ? "stays, whatever its group may hold" : "may be evicted"
        case .relocated(let relocation): return "from \(relocation.from) to \(relocation.to)"
        case .library(let event): return text(event)
        case .moved(let priority, _): return "priority \(priority)"
        case .changed(let order): return text(order)
        case .deleted(.keepFile): return "file kept"
        case .deleted(.trash(let path)): return "file to \(path)"
        case .deleted(.purge): return "file removed"
        case .deleted(.evicted): return "file removed: more than its group may hold"
        case .deleted(.expired(let path)): return "left the trash for good: \(path)"
        case .restored(let undoing): return "undoes \(undoing)"
        case .altered(let identity, let sha256):
            return "now \(Figures.size(identity.length))" + (sha256.map { ", \(short($0))" } ?? "")
        case .found(let identity, let sha256, let path, _):
            return "\(path), \(Figures.size(identity.length)), \(short(sha256))"
        case .compacted(let through, let archived):
            return "up to \(through)" + (archived ? ", archived" : ", dropped")
        case .checkpointed(let size, let root): return "size \(size), root \(short(root))"
        case .repaired(let cut, let reason): return "\(Figures.size(cut)) cut: \(reason)"
        case .redacted(let sequence, let reason): return "event \(sequence)" + (reason.isEmpty ? "" : ": " + reason)
        case .blamed(let source, let failure): return "\(source.text): \(failure.message) (\(failure.code.rawValue))"
        }
    }

    private static func text(_ event: LibraryEvent) -> String {
        switch event {
        case .limited(let group, let limits):
            let parts = [
                limits.newestMax.map { "the newest \($0)" }, limits.sizeBytesMax.map { "\(Figures.size($0)) at most" },
            ].compactMap(\.self)
            return "'\(group)' keeps " + (parts.isEmpty ? "everything" : parts.joined(separator: ", "))
        case .followed(let listing, let replaced):
            return "\(listing.kind.name) \(listing.source.text)" + (replaced.map { ", listing \($0) until now" } ?? "")
        case .unfollowed(let id): return "listing \(id)"
        case .listed(let id, let entries): return "listing \(id) offers \(entries.count) new or changed"
        case .delisted(let id, let guids): return "listing \(id) offers \(guids.count) no longer"
        case .refreshed(let id, let refresh):
            let words = refresh.failure.map { "\($0.message) (\($0.code.rawValue))" } ?? "read"
            return "listing \(id): \(words), again at \(Figures.moment(refresh.nextAt))"
        case .taken(let id, let guid, let download): return "'\(guid)' of listing \(id) became download \(download)"
        case .hooked(let name, let details): return "\(details), as \(name)"
        case .delivered(let name, let through): return "\(name) was told of everything up to \(through)"
        }
    }

    private static func text(_ order: Order) -> String {
        let labels = order.labels.value
        var parts = [order.url.text + " -> " + order.destination.path(of: order.destination.name ?? "")]
        parts += [
            order.expected.map { "to be \(short($0))" }, labels.group.map { "group \($0)" },
            labels.title.map { "title \($0)" }, labels.details.map { "details \($0)" },
            labels.tags.isEmpty ? nil : "tags " + labels.tags.joined(separator: " "),
            order.options.value.isInsecure ? "insecure" : nil,
        ].compactMap(\.self)
        return (parts + order.asked.flatMap(\.lines)).joined(separator: ", ")
    }

    private static func text(_ origin: Origin) -> String {
        var parts = [origin.length.map(Figures.size) ?? "length not known"]
        switch origin.validator {
        case .entityTag(let tag): parts.append("entity tag \(tag)")
        case .lastModified(let date): parts.append("last modified \(date)")
        case nil: parts.append("no validator")
        }
        return parts.joined(separator: ", ")
    }

    private static func short(_ digest: Digest) -> String {
        digest.algorithm.rawValue + ":" + digest.hex.prefix(16) + "…"
    }
}
