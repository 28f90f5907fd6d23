package import LedgerModel

extension FollowRequest {
    /// Parses the request into what may be written down and what may not.
    ///
    /// The listing's `secret` is nil: whoever keeps the secrets names them.
    package func listing() throws(RequestProblem) -> (listing: Listing, secrets: OrderSecrets) {
        var secrets = OrderSecrets()
        let from: Listing.Source
        if source.hasPrefix("/"), !refusesPrivateAddresses {
            from = .file(source)
        } else {
            let parsed = try EnqueueRequest.parse(source)
            if refusesPrivateAddresses { try EnqueueRequest.confine(parsed.url) }
            if parsed.url.redacted != parsed.url { secrets.url = parsed.url.text }
            if let credentials = parsed.credentials {
                try EnqueueRequest.check(credentials)
                secrets.credentials = credentials
            }
            from = .url(parsed.url.redacted)
        }
        let destination: Destination
        do throws(DestinationProblem) { destination = try Destination.parse(directory: directory, name: nil) } catch {
            throw .destination(error)
        }
        var listing = Listing(kind: kind, source: from, directory: destination.directory)
        try EnqueueRequest.check(Labels(group: group))
        listing.group = EnqueueRequest.word(group)
        listing.newestMax = newestMax
        listing.filter = filter
        listing.isAutomatic = isAutomatic
        listing.intervalSeconds = min(max(intervalSeconds, Listing.intervalSecondsMin), Listing.intervalSecondsMax)
        listing.refusesPrivateAddresses = refusesPrivateAddresses
        listing.refusesLinks = refusesLinks
        return (listing, secrets)
    }
}
