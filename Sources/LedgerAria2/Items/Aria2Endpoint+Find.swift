import LedgerAPI
import LedgerHolder
import LedgerModel

/// What a GID names.
enum Found: Sendable {
    case download(Item)
    case foreign(ForeignResult)

    var gid: GID {
        switch self {
        case .download(let item): item.gid
        case .foreign(let result): result.gid
        }
    }
}

extension Aria2Endpoint {
    /// What a client's GID, or the start of one, names.
    /// - Throws: aria2's faults: it is no GID, it is not known, or it could be several.
    func find(_ text: String) async throws(Fault) -> Found {
        guard let prefix = GIDPrefix(text) else { throw Fault("Invalid GID \(text)") }
        if let gid = prefix.whole {
            if let result = stopped.now({ $0.foreign[gid] }) { return .foreign(result) }
            if let download = try await download(gid) { return .download(makeItem(download)) }
            throw Fault("GID \(text) is not found")
        }
        let results = stopped.now { list in list.foreign.values.filter { prefix.matches($0.gid) } }
        let downloads = try await downloads(matching: prefix, max: 2)
        guard results.count + downloads.count <= 1 else { throw Fault("GID \(text) is not unique") }
        if let result = results.first { return .foreign(result) }
        guard let download = downloads.first else { throw Fault("GID \(text) is not found") }
        return .download(makeItem(download))
    }

    /// The download of a GID, if it was not deleted.
    func download(_ gid: GID) async throws(Fault) -> Download? {
        let scheme = scheme
        return try await asked { () throws(Problem) in
            try await chosen.look { chosen, state in
                ((chosen.downloads[gid] ?? []).reversed() + [scheme.download(of: gid)]).compactMap { state.queue[$0] }
                    .first { $0.phase != .deleted && scheme.gid(of: $0) == gid }
            }
        }
    }

    /// Downloads whose GIDs begin so, that were not deleted. O(downloads): looked through here, for on the ledger's
    /// thread everybody would wait for it.
    private func downloads(matching prefix: GIDPrefix, max: Int) async throws(Fault) -> [Download] {
        guard !Task.isCancelled else { throw .stopping }
        let (scheme, downloads) = (scheme, try await look { $0.queue.downloads })
        return Array(
            downloads.lazy.filter { $0.phase != .deleted && prefix.matches(scheme.gid(of: $0)) }.prefix(max))
    }

    /// Makes items of downloads as they are at this instant.
    var makeItem: @Sendable (Download) -> Item {
        let (makeRow, running, scheme) = (service.makeRow, service.running, scheme)
        return { download in
            Item(
                scheme.gid(of: download), download, makeRow(download),
                isActive: running.contains(download.id) && download.phase.mayRun)
        }
    }
}
