extension Queue {
    /// Believes a worker whose lease is current and whose report fits the phase.
    func accept(_ report: Report, under lease: Lease) throws(Rejection) -> Decision {
        guard let download = downloads[lease.id] else { throw .notFound(lease.id) }
        guard download.epoch == lease.epoch, download.phase.mayRun else { throw .stale(lease) }
        let isPublishing = download.phase == .publishing
        let event: Event
        switch report {
        case .resolved(let origin, let generation):
            guard !isPublishing, generation >= download.generation else { throw .outOfOrder(lease) }
            event = .resolved(origin, generation: generation)
        case .progressed(let ranges):
            guard !isPublishing, download.generation > 0 else { throw .outOfOrder(lease) }
            if download.durable.isSuperset(of: ranges) { return Decision([]) }
            event = .progressed(ranges)
        case .verified(let length, let sha256, let path):
            event = .verified(length: length, sha256: sha256, path: path)
        case .completed(let identity):
            guard isPublishing else { throw .outOfOrder(lease) }
            event = .completed(identity)
        case .failed(let failure, let retryAt):
            event = .failed(failure, retryAt: retryAt)
        case .found(let identity, let sha256, let path):
            guard !isPublishing else { throw .outOfOrder(lease) }
            event = .found(identity, sha256: sha256, path: path)
        }
        return Decision([.init(lease.id, event)])
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
            return Decision([.init(id, .found(identity, sha256: sha256, path: path))])
        }
    }
}
