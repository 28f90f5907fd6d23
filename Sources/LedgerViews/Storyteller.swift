import LedgerAPI
import LedgerCoding
package import LedgerModel

/// Tells the events of one download in a person's words, one after the other: what a later one means hangs on those
/// before it.
package struct Storyteller {
    /// The most ranges that are named one by one.
    package static let rangesMax = 8

    private var order: Order?
    private var origin: Origin?
    private var durable: ByteRangeSet
    private var failures: UInt32
    private var lastProgress: Timestamp?
    private var startedAt: Timestamp?
    /// Whether there ever was a finished file, which a deletion can do something with.
    private var hadFile: Bool
    private var told: [SequenceNumber: Event.Kind] = [:]
    /// What was asked for before each change, for one that is undone.
    private var replaced: [SequenceNumber: Order] = [:]

    /// A teller who begins with a download as it was, or before its first event.
    package init(before download: Download? = nil) {
        order = download?.order
        origin = download?.origin?.value
        durable = download?.durable ?? ByteRangeSet()
        failures = download?.failuresTotal ?? 0
        startedAt = download?.startedAt
        hadFile = download?.shownFile != nil
    }

    /// The event in words: a clause without a full stop, without secrets, on one line.
    package mutating func words(for event: Recorded) -> String {
        defer {
            told[event.sequence] = event.event.kind
            if [.verified, .completed, .found].contains(event.event.kind) { hadFile = true }
        }
        return TextWidth.printable(sentence(event))
    }

    private mutating func sentence(_ event: Recorded) -> String {
        let by = "by \(event.actor.name)"
        switch event.event {
        case .enqueued(let order, let priority, _): return asked(order, priority, by)
        case .resolved(let origin, let generation): return answered(origin, generation, event.time)
        case .progressed(let ranges, _): return progressed(ranges, event.time)
        case .verified(let length, let sha256, let path): return verified(length, sha256, path)
        case .completed(let identity): return completed(identity, event.time)
        case .failed(let failure, let retryAt): return failed(failure, retryAt, event.time)
        case .blamed(let source, let failure):
            let back = failure.isRetryable ? "" : ", and no later attempt asks it"
            return "the source \(source.text) was left out\(back): \(Self.words(failure)); the others went on"
        case .paused: return "paused \(by)"
        case .resumed: return "resumed \(by)"
        case .cancelled: return "cancelled \(by)"
        case .retried: return "to be tried again after all, asked \(by)"
        case .moved(let priority, _): return "moved in the queue \(by): priority \(priority)"
        case .changed(let order):
            replaced[event.sequence] = self.order
            return changed(order, by)
        case .deleted(let deletion):
            return "deleted \(by): " + (hadFile ? Self.words(deletion) : "there was no finished file")
        case .restored(let undone):
            order = replaced[undone] ?? order
            return "event \(undone)\(told[undone].map { " (\($0.name))" } ?? "") was undone \(by)"
        case .missing: return "the finished file was gone, or another download's took its place"
        case .altered(let identity, let sha256):
            let sum = sha256.map { ", \($0)" } ?? ""
            return "the finished file was found changed: now \(Figures.size(identity.length))\(sum)"
        case .found(let identity, _, _, true):
            return "the finished file was touched, or lies elsewhere on the disk, and holds what it did: "
                + Figures.size(identity.length)
        case .found(let identity, let sha256, let path, false):
            return "a file was found in its place and taken as the finished one: \(path), "
                + "\(Figures.size(identity.length)), \(sha256)"
        case .rechecked: return "the origin is to be asked for a newer file, \(by)"
        case .unchanged: return "the origin still has what the finished file holds"
        case .used: return "the finished file was used, \(by)"
        case .pinned(true): return "pinned \(by): it stays, whatever its group may hold"
        case .pinned(false): return "pinned no longer, \(by)"
        case .relocated(let relocation):
            if let place = order.flatMap({ relocation.moved($0.destination) }) { order?.destination = place }
            return "what stood in \(relocation.from) was moved to \(relocation.to), told \(by)"
        case .compacted, .checkpointed, .repaired, .redacted, .library: return EventLine.details(event.event)
        }
    }

    private mutating func asked(_ order: Order, _ priority: Int32, _ by: String) -> String {
        self.order = order
        let options = order.options.value
        var words = "asked for \(by): \(order.url.text), to be saved "
        words += order.destination.path.map { "as \($0)" } ?? "in \(order.destination.directory)"
        if let taken = Self.words(order.destination.collision) { words += ", \(taken)" }
        if !options.mirrors.isEmpty { words += ", \(Figures.counted(options.mirrors.count, "mirror")) besides" }
        if let expected = order.expected { words += ", expected to be \(expected)" }
        if priority != 0 { words += ", priority \(priority)" }
        if let instant = options.notBefore { words += ", not before \(Figures.moment(instant)) UTC" }
        if let window = options.window { words += ", in the hours \(window)" }
        if let rate = options.bytesPerSecondMax { words += ", at \(Figures.rate(rate)) at most" }
        if order.secret != nil { words += ", with secrets that are kept elsewhere" }
        if options.isInsecure { words += ", its certificate unchecked" }
        for option in options.fields.members where !Self.optionsTold.contains(option.name) {
            words += ", \(option.name)"
            if option.value != true { words += " \(FieldChange.text(option.value, of: option.name))" }
        }
        return words
    }

    /// What an order says about the way that has words of its own.
    private static let optionsTold: Set<String> = ["mirrors", "notBefore", "window", "bytesPerSecondMax", "isInsecure"]

    /// What is done with a file that stands under the name; nil where that is nothing.
    private static func words(_ collision: Destination.Collision) -> String? {
        switch collision {
        case .number: nil
        case .overwrite: "in place of a file that stands there"
        case .skip: "unless a file stands there"
        case .refuse: "where no file stands"
        }
    }

    private mutating func answered(_ origin: Origin, _ generation: UInt32, _ time: Timestamp) -> String {
        let old = self.origin
        self.origin = origin
        startedAt = startedAt ?? origin.answeredAt ?? time
        lastProgress = time
        var parts = [origin.length.map { Self.bytes($0) } ?? "length not told"]
        if let type = origin.mediaType { parts.append(type) }
        switch origin.validator {
        case .entityTag(let tag): parts.append("entity tag \(tag)")
        case .lastModified(let date): parts.append("last modified \(date)")
        case nil: parts.append("nothing to tell its versions apart by")
        }
        parts.append(origin.acceptsRanges ? "serves ranges" : "serves no ranges")
        if let digest = origin.digest { parts.append("says it is \(digest)") }
        if !origin.mirrors.isEmpty { parts.append("names \(Figures.counted(origin.mirrors.count, "mirror"))") }
        var words = "the origin answered: " + parts.joined(separator: ", ")
        if let order, order.url != origin.url {
            let mirrors = order.options.value.mirrors + (old?.mirrors ?? [])
            let isMirror = origin.source == nil && mirrors.contains(origin.url)
            words += isMirror ? "; it is the mirror \(origin.url.text)" : "; redirected to \(origin.url.text)"
        }
        if let old, old.validator != origin.validator || old.length != origin.length {
            words += "; another entity than before"
        }
        if generation > 1 { words += "; a part file is begun anew, number \(generation)" }
        if generation > 1 || old == nil { durable = ByteRangeSet() }
        return words
    }

    private mutating func progressed(_ ranges: ByteRangeSet, _ time: Timestamp) -> String {
        let (before, now) = (durable.count, ranges.count)
        durable = ranges
        var words = "\(Figures.size(now)) durable"
        if let percent = Figures.percent(now, of: origin?.length) { words += " (\(percent) %)" }
        if now >= before {
            words += ", \(Figures.size(now - before)) more"
            if let lastProgress, let rate = Self.rate(now - before, lastProgress.duration(to: time)) {
                words += " at \(Figures.rate(rate))"
            }
        } else {
            words += ", \(Figures.size(before - now)) less: what was held is not trusted any more"
        }
        lastProgress = time
        return ranges.ranges.count > 1 ? words + ", by connection: " + Self.list(ranges.ranges) : words
    }

    private func verified(_ length: UInt64, _ sha256: Digest, _ path: String) -> String {
        var words = "whole and durable: \(Self.bytes(length)), \(sha256)"
        if let expected = order?.expected { words += ", checked against \(expected)" }
        return words + "; to be renamed to \(path)"
    }

    private func completed(_ identity: FileIdentity, _ time: Timestamp) -> String {
        var words = "the file stands under its final name: \(Figures.size(identity.length))"
        if let startedAt {
            let taken = startedAt.duration(to: time)
            words += ", \(Self.span(taken)) after the origin's first answer"
            if let rate = Self.rate(identity.length, taken) { words += " (\(Figures.rate(rate)))" }
        }
        return words
    }

    private mutating func failed(_ failure: Failure, _ retryAt: Timestamp?, _ time: Timestamp) -> String {
        let what: String
        if failure.endsAttempt {
            failures += 1
            what = "attempt \(failures) failed: "
        } else {
            what = "put out of the queue: "
        }
        var words = what + Self.words(failure)
        if let wait = failure.retryAfterSeconds { words += "; the origin asked to wait \(wait) s" }
        if failure.isExcused { words += "; not counted as a failure of this download" }
        if failure.poisonsPart { words += "; what is durable moves to a new part file" }
        if let retryAt {
            return words
                + "; tried again in \(Self.span(time.duration(to: retryAt))), at \(Figures.moment(retryAt)) UTC"
        }
        return words + "; not tried again by itself"
    }

    private mutating func changed(_ order: Order, _ by: String) -> String {
        defer { self.order = order }
        guard let old = self.order else { return "changed \(by): \(EventLine.details(.changed(order)))" }
        var fields =
            FieldChange.between(old.labels.value.fields, order.labels.value.fields)
            + FieldChange.between(old.options.value.fields, order.options.value.fields)
        if old.url != order.url {
            fields.insert(
                FieldChange(name: "url", before: .string(old.url.text), after: .string(order.url.text)), at: 0)
        }
        var list = fields.map { "\($0.name) \($0.words)" }
        if old.destination.collision != order.destination.collision {
            list.append(Self.words(order.destination.collision) ?? "a file that stands there stays")
        }
        return "changed \(by): " + (list.isEmpty ? "what is secret in it" : list.joined(separator: ", "))
    }
}

extension Storyteller {
    /// A size with its bytes.
    package static func bytes(_ count: UInt64) -> String {
        count < 1024 ? Figures.size(count) : "\(Figures.size(count)) (\(Figures.count(count)) bytes)"
    }

    /// A reason with its code, and the origin's status where that was it.
    package static func words(_ failure: Failure) -> String {
        // An answer is the reason of that name by its status alone.
        let status = failure.status.map { (failure.code == .status ? " " : ", status ") + "\($0)" } ?? ""
        return "\(failure.message) (\(failure.code.rawValue)\(status))"
    }

    /// `0 to 4 095, 8 192 to 12 287`: the first and the last byte of each range, the first few of many.
    package static func list(_ ranges: [Range<UInt64>]) -> String {
        let named = ranges.prefix(rangesMax).map {
            "\(Figures.count($0.lowerBound)) to \(Figures.count($0.upperBound - 1))"
        }
        let more = ranges.count - named.count
        return "bytes " + named.joined(separator: ", ") + (more > 0 ? " and \(more) more ranges" : "")
    }

    /// A length of time: to the millisecond below a minute.
    package static func span(_ duration: Duration) -> String {
        let milliseconds = max(0, duration / .milliseconds(1))
        guard milliseconds < 60_000 else { return Figures.time(seconds: UInt64((milliseconds / 1000).rounded(.up))) }
        let whole = UInt64(milliseconds)
        let fraction = String(whole % 1000)
        return "\(whole / 1000).\(String(repeating: "0", count: 3 - fraction.count))\(fraction) s"
    }

    /// Bytes a second; nil for less than a tenth of a second, which tells nothing.
    package static func rate(_ bytes: UInt64, _ duration: Duration) -> UInt64? {
        guard duration >= .milliseconds(100) else { return nil }
        return UInt64(min(Double(bytes) / (duration / .seconds(1)), Double(Int64.max)))
    }

    private static func words(_ deletion: Deletion) -> String {
        switch deletion {
        case .keepFile: "its file stays"
        case .trash(let path): "its file goes to \(path)"
        case .expired(let path): "its file is removed from the trash, where it was at \(path), for good"
        case .purge: "its file is removed for good"
        case .evicted: "its file is removed, for it was more than its group may hold"
        }
    }
}
