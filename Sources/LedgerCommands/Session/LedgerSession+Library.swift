import LedgerAPI
import LedgerCoding
import LedgerEngine
import LedgerHolder
import LedgerModel
import LedgerSystem
import LedgerViews
import SystemPackage

// Feeds and catalogs.
extension LedgerSession {
    /// Follows a listing and says what it holds.
    func follow(_ kind: Listing.Kind, _ source: String, _ options: FollowOptions) async throws {
        let directory = try context.directoryPath(options.dir ?? (try settings).directory ?? ".")
        guard directory.hasPrefix("/") else { throw Problem.nowhere(directory, flag: "-d") }
        var request = FollowRequest(kind: kind, source: try await place(of: source), directory: directory)
        request.group = options.group
        request.newestMax = options.keep.map { UInt32(clamping: $0) }
        request.filter = options.filter
        request.isAutomatic = options.auto
        if let every = options.every { request.intervalSeconds = every.seconds }
        let before = try await stateIfAny()?.listingRows(of: kind) ?? []
        let answer = try await withClient(creating: true) { [request] client throws(Problem) in
            try await client.library(.follow(request))
        }
        if case .listings(let rows) = answer {
            for row in rows { noteChanges(of: row, since: before.first { $0.id == row.id }) }
        }
        try show(answer)
    }

    /// Says how a listing was followed otherwise before: what is not said again holds no more.
    private func noteChanges(of row: ListingRow, since old: ListingRow?) {
        guard let old, !isJSON else { return }
        func shown(_ row: ListingRow) -> [(what: String, value: String)] {
            [
                ("--auto", row.isAutomatic ? "yes" : "no"), ("--keep", row.newestMax.map { "\($0)" } ?? "all"),
                ("--filter", row.filter.map { "'\($0)'" } ?? "none"),
                ("--group", row.group.map { "'\($0)'" } ?? "its own"),
                ("--every", "\(row.intervalSeconds) s"), ("-d", "'\(row.directory)'"),
            ]
        }
        let changes = zip(shown(old), shown(row)).filter { $0.value != $1.value }
            .map { "\($0.what) is \($1.value), was \($0.value)" }
        guard !changes.isEmpty else { return }
        console.note(
            TextWidth.printable("\(row.kind.name) \(row.id) is followed in another way now: ")
                + TextWidth.printable(changes.joined(separator: "; ")))
    }

    /// A URL, or a file as it is seen from here.
    private func place(of source: String) async throws(Problem) -> String {
        if source.contains("://") { return source }
        let path = context.path(source).lexicallyNormalized()
        guard !source.isEmpty, try context.namedKind(of: path) == .regular else {
            throw Problem(
                .usage, "'\(source)' is neither a URL nor a file", next: "give it as https://host/path",
                exitCode: .usage)
        }
        return path.string
    }

    /// Reads listings now.
    func refresh(_ kind: Listing.Kind, _ ids: [UInt64]) async throws {
        let answer = try await withClient { client throws(Problem) in try await client.library(.refresh(ids, kind)) }
        try show(answer)
    }

    /// Follows a listing no longer.
    func unfollow(_ kind: Listing.Kind, _ id: UInt64) async throws {
        _ = try await withClient { client throws(Problem) in try await client.library(.unfollow(id, kind)) }
        console.note("\(id) is followed no longer; what was downloaded stays")
    }

    /// Enqueues entries and prints their numbers.
    func take(_ kind: Listing.Kind, _ options: TakeOptions) async throws {
        let command = context.newCommand()
        let answer = try await withClient { client throws(Problem) in
            try await client.library(.take(options.id, guids: options.guids, kind, command))
        }
        guard case .taken(let answers) = answer else { return }
        var isRefused = false
        var lines: [String] = []
        for answer in answers {
            switch answer {
            case .accepted(let row, let joined):
                lines.append(isJSON ? row.json(joined: joined).description : row.id.description)
            case .refused(let problem):
                isRefused = true
                report(problem)
            }
        }
        try console.printLast(lines)
        let ids = answers.compactMap { if case .accepted(let row, _) = $0 { row.id } else { nil } }
        for id in ids.isEmpty ? [] : try await state(at: nil).tooOld(among: ids) {
            console.note(
                "\(id) is older than what its group keeps, and goes once it is there: 'ledger pin \(id)' keeps it")
        }
        if isRefused { throw Exit(code: .failed) }
    }

    /// Shows what comes behind an entry in its group.
    func showNext(_ kind: Listing.Kind, after guid: String, in id: UInt64) async throws {
        let rows = try await entryRows(kind, of: id)
        guard let place = rows.firstIndex(where: { $0.guid == guid }) else {
            throw Problem(.noEntry(ListingID(id), guid: guid))
        }
        // A feed goes from the newest: what comes next there is what is newer.
        let later = kind == .feed ? Array(rows[..<place].reversed()) : Array(rows[(place + 1)...])
        guard let next = later.first(where: { $0.group == rows[place].group && $0.isOffered }) else {
            return console.note("'\(guid)' is the last of its group")
        }
        try console.print(isJSON ? [next.json.description] : EntryTable.lines([next], console))
    }

    /// The entries of one listing of a kind.
    private func entryRows(_ kind: Listing.Kind, of id: UInt64) async throws -> [EntryRow] {
        let state = try await state(at: nil)
        let clock = context.world.clock
        let (now, local) = (clock.now(), clock.local)
        let isOther = state.library.listings[ListingID(id)].map { $0.listing.kind != kind } ?? false
        let rows = state.entryRows(of: ListingID(id)) { download in
            DownloadRow(download, opening: download.opening(under: nil, at: now, local))
        }
        guard let rows, !isOther else { throw Problem(.noListing(ListingID(id))) }
        return rows
    }

    /// Shows what is followed, or the entries of one listing: from the log, so without a network and beside any holder.
    func showListings(_ kind: Listing.Kind, _ options: ListingListOptions) async throws {
        guard let id = options.id else {
            let state = try await state(at: nil)
            let rows = state.listingRows(of: kind)
                .filter { options.finds([$0.title, $0.source, $0.group]) }
                .prefix(options.limit ?? .max)
            return try console.print(isJSON ? rows.map(\.json.description) : ListingTable.lines(Array(rows), console))
        }
        let rows = try await entryRows(kind, of: id)
        let shown = rows.filter { row in
            if options.available, row.download != nil { return false }
            return options.finds([row.title, row.details, row.group, row.guid])
        }.prefix(options.limit ?? .max)
        try console.print(isJSON ? shown.map(\.json.description) : EntryTable.lines(Array(shown), console))
    }

    private func show(_ answer: LibraryAnswer) throws {
        guard case .listings(let rows) = answer else { return }
        for row in rows {
            guard let error = row.error else { continue }
            report(
                Problem(
                    .missing, "\(row.kind.name) \(row.id) could not be read as a whole: \(error.message)",
                    next: "it is followed, and read again at \(row.nextAt.rfc3339)"))
        }
        try console.printLast(isJSON ? rows.map(\.json.description) : rows.map(\.id.description))
        if !isJSON {
            for row in rows where row.error == nil {
                console.note("\(row.title ?? row.source): entries: \(Figures.count(UInt64(row.entries)))")
            }
        }
        if rows.contains(where: { $0.error != nil }) { throw Exit(code: .failed) }
    }
}
