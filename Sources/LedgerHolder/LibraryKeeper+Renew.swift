import LedgerAPI
import LedgerEngine
import LedgerModel
import LedgerSystem

extension LibraryKeeper {
    /// Has fetched again what failed at an address, or with secrets, that its listing has replaced since: publishers
    /// sign their addresses anew each time they are asked, and the old ones are good for a while.
    nonisolated func renew(_ id: ListingID) async throws(LedgerError) {
        let (followed, failed) = try await ledger.read { state in
            (state.library.listings[id], state.failedEntries(of: id))
        }
        guard let followed, !failed.isEmpty else { return }
        var renewals = failed.compactMap { Renewal(of: $0.download, as: $0.entry, of: followed, secrets) }[...]
        while !renewals.isEmpty {
            let some = renewals.prefix(Self.takesMax)
            renewals = renewals.dropFirst(Self.takesMax)
            let references = try await ledger.keep(some.map(\.secrets), in: secrets)
            defer { secrets.release(references) }
            let commands = zip(some, references).flatMap { renewal, secret in
                [Command.change(renewal.id, renewal.change(secret)), .retry(renewal.id)]
            }
            _ = try await ledger.execute(commands.map { Submission($0, id: nil, actor: .feed) })
        }
    }
}

/// Where a download is to come from that was made of an entry.
private struct Renewal {
    let id: DownloadID
    let secrets: OrderSecrets
    private var source: OrderChange.Source

    /// Nil when it comes from there already.
    init?(of download: Download, as entry: ListedEntry, of followed: FollowedListing, _ store: SecretStore) {
        let wanted = OrderOfEntry(entry, of: followed, store, OwnDefaults())
        let held = download.order.secret.flatMap { store.secrets(of: $0) } ?? OrderSecrets()
        var secrets = held
        secrets.url = wanted.secrets.url
        secrets.credentials = wanted.secrets.credentials
        secrets.headers = wanted.secrets.headers
        secrets.bearer = wanted.secrets.bearer
        guard secrets != held || wanted.order.url != download.order.url else { return nil }
        (id, self.secrets) = (download.id, secrets)
        source = OrderChange.Source(url: wanted.order.url, headerNames: download.order.options.value.headerNames)
    }

    func change(_ secret: SecretReference?) -> OrderChange {
        var change = OrderChange()
        change.source = source
        change.source?.secret = secret
        return change
    }
}
