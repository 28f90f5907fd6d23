package import LedgerAPI
import LedgerEngine
package import LedgerModel

extension LedgerService {
    package func library(_ request: LibraryRequest) async throws(Problem) -> LibraryAnswer {
        try await library(request, as: configuration.actor)
    }

    func library(_ request: LibraryRequest, as actor: EventActor) async throws(Problem) -> LibraryAnswer {
        switch request {
        case .follow(let request): return try await follow(request, as: actor)
        case .unfollow(let id, let kind):
            try await check(ListingID(id), is: kind)
            try await decided([.library(.unfollow(ListingID(id)))], as: actor)
            return .done
        case .refresh(let ids, let kind): return try await refresh(ids, kind)
        case .take(let id, let guids, let kind, let command):
            try await check(ListingID(id), is: kind)
            return try await take(ListingID(id), guids, command, as: actor)
        case .limit(let group, let newest, let bytes):
            let limits = GroupLimits(newestMax: newest, sizeBytesMax: bytes)
            try await decided([.library(.limit(group: group, limits))], as: actor)
            try await settleLibrary()
            return .done
        }
    }

    /// Notes that finished files are of use now.
    package func use(_ ids: [DownloadID]) async throws(Problem) {
        try await decided(ids.map(Command.use), as: configuration.actor)
    }

    /// The rows of listings.
    package func listings(of kind: Listing.Kind?) async throws(Problem) -> [ListingRow] {
        try await read { $0.listingRows(of: kind) }
    }

    /// The entries of a listing, in its order.
    package func entries(of id: UInt64) async throws(Problem) -> [EntryRow] {
        let maker = rowMaker
        let rows = try await read { $0.entryRows(of: ListingID(id), row: maker.row) }
        guard let rows else { throw Problem(.noListing(ListingID(id))) }
        return rows
    }

    /// Where an entry of a listing comes from, with its secrets, and the download that it became; nil when there is no
    /// such entry any longer.
    package func source(
        of guid: String, in listing: UInt64
    ) async throws(Problem) -> (url: ResourceURL, download: DownloadID?)? {
        guard let entry = try await read({ $0.library.listings[ListingID(listing)]?.entries[guid] }) else { return nil }
        let whole = entry.listed.secret.flatMap { secrets.secrets(of: $0)?.url }
        return (whole.map { ResourceURL(recorded: $0) } ?? entry.listed.url, entry.download)
    }

    /// Executes commands that answer nothing but a refusal.
    func decided(_ commands: [Command], as actor: EventActor) async throws(Problem) {
        let outcomes = try await execute(commands.map { Submission($0, id: nil, actor: actor) })
        for case .refused(let rejection) in outcomes { throw Problem(rejection) }
    }

    /// Refuses a number that is one of another kind; nil is any.
    private func check(_ id: ListingID, is kind: Listing.Kind?) async throws(Problem) {
        let known = try await read { $0.library.listings[id]?.listing.kind }
        guard let known, kind == nil || known == kind else { throw Problem(.noListing(id)) }
    }

    private func settleLibrary() async throws(Problem) {
        do throws(LedgerError) { _ = try await keeper.settle() } catch { throw Problem(error) }
    }

    private func follow(_ request: FollowRequest, as actor: EventActor) async throws(Problem) -> LibraryAnswer {
        let parsed: (listing: Listing, secrets: OrderSecrets)
        do throws(RequestProblem) { parsed = try request.listing() } catch { throw Problem(error) }
        let references = try await keep([parsed.secrets])
        defer { secrets.release(references) }
        var listing = parsed.listing
        listing.secret = references[0]
        // Two private feeds may differ in nothing but what is not written down.
        let alike = try await read { [listing] state in
            state.library.listings.values.filter { $0.listing.source == listing.source }
        }
        let others = alike.filter { known in
            known.listing.secret.flatMap(secrets.secrets(of:))?.url != parsed.secrets.url
        }.map(\.id)
        try await decided([.library(.follow(listing, besides: Set(others)))], as: actor)
        let id = try await read { [listing] state in
            state.library.listings.values.filter { $0.listing == listing && !others.contains($0.id) }.map(\.id).max()
        }
        guard let id else { throw Problem(.internal, "the listing was followed and is not there") }
        return try await refresh([id.rawValue], request.kind)
    }

    private func refresh(_ ids: [UInt64], _ kind: Listing.Kind) async throws(Problem) -> LibraryAnswer {
        let known = try await listings(of: ids.isEmpty ? kind : nil)
        var chosen = known.map(\.id)
        if !ids.isEmpty {
            if let unknown = ids.first(where: { !chosen.contains($0) }) {
                throw Problem(.noListing(ListingID(unknown)))
            }
            chosen = ids
        }
        if let trouble = await keeper.refresh(chosen.map { ListingID($0) }) { throw Problem(trouble) }
        try await settleLibrary()
        let rows = try await listings(of: nil)
        return .listings(rows.filter { chosen.contains($0.id) })
    }

    private func take(
        _ id: ListingID, _ guids: [String], _ command: CommandID, as actor: EventActor
    ) async throws(Problem) -> LibraryAnswer {
        guard let followed = try await read({ $0.library.listings[id] }) else { throw Problem(.noListing(id)) }
        var entries: [ListedEntry] = []
        for guid in guids {
            guard let entry = followed.entries[guid] else { throw Problem(.noEntry(id, guid: guid)) }
            entries.append(entry.listed)
        }
        if guids.isEmpty { entries = followed.sortedEntries.filter { $0.download == nil }.map(\.listed) }
        var outcomes = try await take(entries, of: id, again: !guids.isEmpty, command, as: actor)
        if outcomes.contains(where: \.isRepeated) {
            // Who asks again under the same command, as the first answer was lost, is told what each became; what the
            // first time did not come to is done now.
            let known = try await read { $0.library.listings[id]?.entries } ?? [:]
            for (place, entry) in entries.enumerated() where outcomes[place].isRepeated {
                if let download = known[entry.guid]?.download {
                    outcomes[place] = .joined(download, [])
                } else {
                    outcomes[place] = try await take([entry], of: id, again: !guids.isEmpty, nil, as: actor)[0]
                }
            }
        }
        let rows = try await rows(of: outcomes.compactMap(\.download))
        return .taken(outcomes.map { outcome in EnqueueAnswer(outcome, outcome.download.flatMap { rows[$0] }) })
    }

    private func take(
        _ entries: [ListedEntry], of id: ListingID, again: Bool, _ command: CommandID?, as actor: EventActor
    ) async throws(Problem) -> [Outcome] {
        do throws(LedgerError) {
            return try await keeper.take(
                entries.map { LibraryPlan.Take(listing: id, entry: $0) }, again: again, id: command,
                actor: actor)
        } catch { throw Problem(error) }
    }
}
