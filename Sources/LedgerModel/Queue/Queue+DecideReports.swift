extension Queue {
    /// Believes a worker whose lease is current and whose reports fit the phase, each after the one before it.
    func accept(_ reports: [Report], under lease: Lease) throws(Rejection) -> Decision {
        guard let download = downloads[lease.id] else { throw .notFound(lease.id) }
        guard download.epoch == lease.epoch, download.phase.mayRun else { throw .stale(lease) }
        var progress = ReportedProgress(download)
        var events: [Decision.Proposed] = []
        for report in reports {
            if case .verified(_, _, let path) = report, let other = publisher(of: path), other != lease.id {
                throw .destinationTaken(path: path, by: other)
            }
            guard progress.isInOrder(report) else { throw .outOfOrder(lease) }
            if let event = progress.take(report) { events.append(.init(lease.id, event)) }
        }
        return Decision(events)
    }

    /// The download whose verified file is about to stand under this path.
    private func publisher(of path: String) -> DownloadID? {
        publishing.first { downloads[$0]?.file.map { DiskName($0.value.path) } == DiskName(path) }
    }

    /// Records what reconciling saw of a finished file, when it is news.
    func accept(_ observation: Observation, of id: DownloadID) throws(Rejection) -> Decision {
        guard let download = downloads[id] else { throw .notFound(id) }
        guard download.phase.isFinished else { throw .notCompleted(id) }
        switch observation {
        case .missing:
            return Decision(download.phase == .missing ? [] : [.init(id, .missing)])
        case .altered(let identity, let sha256):
            let isKnown = download.phase == .altered && download.file?.value.identity == identity
            return Decision(isKnown ? [] : [.init(id, .altered(identity, sha256: sha256))])
        case .found(let identity, let sha256, let path):
            let whole = PublishedFile(path: path, length: identity.length, sha256: sha256, identity: identity)
            let known = download.phase == .completed ? download.file?.value : nil
            if known == whole { return Decision([]) }
            let isKnown = known?.sha256 == sha256 && known?.path == path
            return Decision([.init(id, .found(identity, sha256: sha256, path: path, isKnown: isKnown))])
        }
    }
}

/// How far an attempt has come, report by report: what decides whether the next report fits.
private struct ReportedProgress {
    private var isPublishing: Bool
    private var isOver = false
    private var generation: UInt32
    private var durable: ByteRangeSet
    private var sums: RangeSums
    private let isStanding: Bool
    private let origin: Origin?

    init(_ download: Download) {
        origin = download.origin?.value
        isPublishing = download.phase == .publishing
        generation = download.generation
        durable = download.durable
        sums = download.sums
        isStanding = download.standing != nil
    }

    func isInOrder(_ report: Report) -> Bool {
        if isOver { return false }
        return switch report {
        case .resolved(let origin, let next):
            !isPublishing
                && (next > generation
                    || next == generation && next > 0 && (durable.isEmpty || isBegunAgain(origin)))
        case .progressed: !isPublishing && generation > 0
        case .verified: generation > 0
        case .failed: true
        case .blamed: !isPublishing
        case .completed: isPublishing
        case .found: !isPublishing
        case .unchanged: !isPublishing && isStanding
        }
    }

    /// Whether it is the entity of the part on record, of which only more is known to have been in vain.
    private func isBegunAgain(_ next: Origin) -> Bool {
        guard var known = origin else { return false }
        known.beginnings = next.beginnings
        return known == next
    }

    /// The event that records a report; nil when it is no news.
    mutating func take(_ report: Report) -> Event? {
        switch report {
        case .resolved(let origin, let generation):
            if generation != self.generation { (durable, sums) = (ByteRangeSet(), []) }
            self.generation = generation
            return .resolved(origin, generation: generation)
        case .progressed(let ranges, let sums):
            if durable == ranges, self.sums == sums { return nil }
            (durable, self.sums) = (ranges, sums)
            return .progressed(ranges, sums: sums)
        case .verified(let length, let sha256, let path):
            isPublishing = true
            return .verified(length: length, sha256: sha256, path: path)
        case .completed(let identity):
            isOver = true
            return .completed(identity)
        case .failed(let failure, let retryAt):
            isOver = true
            return .failed(failure, retryAt: retryAt)
        case .blamed(let source, let failure):
            return .blamed(source, failure)
        case .found(let identity, let sha256, let path):
            isOver = true
            return .found(identity, sha256: sha256, path: path)
        case .unchanged:
            isOver = true
            return .unchanged
        }
    }
}
