import LedgerAPI
import LedgerEngine
import LedgerModel
import LedgerTransfer

/// What is ordered when an entry is enqueued.
struct OrderOfEntry {
    let order: Order
    let secrets: OrderSecrets

    init(_ entry: ListedEntry, of followed: FollowedListing, _ store: SecretStore, _ own: OwnDefaults) {
        let group = followed.group(of: entry)
        let directory = group.flatMap { FileName.safe(words: $0) }.map { followed.listing.directory + "/" + $0 }
        var order = Order(
            url: entry.url, destination: Destination(directory: directory ?? followed.listing.directory, name: nil),
            labels: Shared(
                Labels(
                    group: group, title: entry.title, details: entry.details, identifier: entry.guid,
                    published: entry.published)))
        order.confine(as: followed.listing)
        // What a group is called that nobody here named, a server said.
        if directory != nil, followed.listing.group == nil {
            var options = order.options.value
            options.namedComponents = 1
            order.options = Shared(options)
        }
        var secrets = entry.secret.flatMap { store.secrets(of: $0) } ?? OrderSecrets()
        // What opens a private feed opens its files, where they are at the same origin and say nothing else themselves.
        if secrets.credentials == nil, case .url(let url) = followed.listing.source, url.hasOrigin(of: entry.url),
            let ofFeed = followed.listing.secret.flatMap({ store.secrets(of: $0) })
        {
            (secrets.credentials, secrets.headers, secrets.bearer) = (ofFeed.credentials, ofFeed.headers, ofFeed.bearer)
        }
        own.apply(to: &order, &secrets)
        (self.order, self.secrets) = (order, secrets)
    }
}
