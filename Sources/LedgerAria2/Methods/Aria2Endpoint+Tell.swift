import LedgerAPI
import LedgerHolder
import LedgerModel

extension Aria2Endpoint {
    /// The methods that look at downloads.
    func tell(
        _ method: Method, _ parameters: Parameters, _ room: AnswerRoom
    ) async throws(Fault) -> WireValue {
        let makeItem = makeItem
        switch method {
        case .tellActive:
            let keys = Keys(try parameters.optionalTexts(0))
            let running = service.running
            let active = try await look { $0.queue.active(running) }
            return try .list(of: active, in: room) { makeItem($0).value(keys) }
        case .tellWaiting:
            let page = try Page(parameters)
            return try .list(of: try await waiting(page), in: room) { makeItem($0).value(page.keys) }
        case .tellStopped: return try await tellStopped(try Page(parameters), room)
        case .tellStatus:
            let (gid, keys) = (try parameters.text(0), Keys(try parameters.optionalTexts(1)))
            switch try await find(gid) {
            case .download(let item): return item.value(keys)
            case .foreign(let result): return result.value(keys)
            }
        default:
            let found = try await find(try parameters.text(0))
            return try tell(method, of: found)
        }
    }

    private func tell(_ method: Method, of found: Found) throws(Fault) -> WireValue {
        let item: Item? = if case .download(let item) = found { item } else { nil }
        let isStopped = item?.isStopped ?? true
        switch method {
        case .getFiles:
            if case .foreign(let result) = found { return result.files }
            guard let item else { throw .about(found.gid) { "No file data is available for \($0)" } }
            return item.files
        case .getURIs:
            guard let item, !isStopped else { throw .about(found.gid) { "No URI data is available for \($0)" } }
            return item.uris
        case .getServers:
            guard let item, item.status == .active else {
                throw .about(found.gid) { "No active download for \($0)" }
            }
            return item.servers
        default:
            // Peers are of torrents.
            guard !isStopped else { throw .about(found.gid) { "No peer data is available for \($0)" } }
            return .list([])
        }
    }

    /// A page of what waits and what is paused, in the order of the queue. It costs what is on it, not what waits.
    private func waiting(_ page: Page) async throws(Fault) -> [Download] {
        let running = service.running
        return try await look { state -> [Download] in
            let active = Set(state.queue.active(running).map(\.id))
            guard let range = page.range(of: state.queue.liveCount - active.count) else { return [] }
            let downloads = state.queue.livePage(skipping: active, from: range.lowerBound, count: range.count)
            return page.isReversed ? downloads.reversed() : downloads
        }
    }

    private func tellStopped(_ page: Page, _ room: AnswerRoom) async throws(Fault) -> WireValue {
        enum Shown: Sendable {
            case download(Download)
            case foreign(ForeignResult)
        }
        let max = memory.resultsMax
        let results = try await asked { () throws(Problem) in
            try await stopped.look { list, state -> [Shown] in
                let newest = list.newest(max)
                guard let range = page.range(of: newest.count) else { return [] }
                let results = newest[range].compactMap { entry -> Shown? in
                    switch entry {
                    case .download(let id): state.queue[id].map { .download($0) }
                    case .foreign(let gid): list.foreign[gid].map { .foreign($0) }
                    }
                }
                return page.isReversed ? results.reversed() : results
            }
        }
        let makeItem = makeItem
        return try .list(of: results, in: room) { result in
            switch result {
            // One that was begun again a moment ago has no result.
            case .download(let download): download.phase.isResult ? makeItem(download).value(page.keys) : nil
            case .foreign(let result): result.value(page.keys)
            }
        }
    }
}

extension Queue {
    /// The downloads that are active: those that a worker has, and those that are just getting their names; in the
    /// order of the queue.
    func active(_ running: Set<DownloadID>) -> [Download] {
        var active = running.compactMap { self[$0] }.filter(\.phase.mayRun)
        if counts[.publishing] > active.count(where: { $0.phase == .publishing }) {
            // A moment's business: one that no worker has yet.
            let known = Set(active.map(\.id))
            active += liveDownloads.filter { $0.phase == .publishing && !known.contains($0.id) }
        }
        return active.sorted { $0.key < $1.key }
    }
}

/// A stretch of a list, as a client asks for it: a negative offset counts from the end, and turns the list round.
struct Page: Sendable {
    let offset: Int64
    let count: Int64
    let keys: Keys

    init(_ parameters: Parameters) throws(Fault) {
        offset = try parameters.number(0)
        count = try parameters.number(1, min: 0)
        keys = Keys(try parameters.optionalTexts(2))
    }

    init(offset: Int64, count: Int64, keys: Keys = Keys([])) {
        (self.offset, self.count, self.keys) = (offset, count, keys)
    }

    var isReversed: Bool { offset < 0 }

    /// The places of a list of `total` that are meant; nil when there is none.
    func range(of total: Int) -> Range<Int>? {
        guard count > 0, offset < Int64(total) else { return nil }
        guard offset < 0 else {
            let end = offset.addingReportingOverflow(count)
            return Int(offset)..<(end.overflow ? total : min(total, Int(end.partialValue)))
        }
        let last = Int64(total) + max(offset, -Int64(total) - 1)
        guard last >= 0 else { return nil }
        return Int(max(0, last - count + 1))..<Int(last + 1)
    }
}
