import LedgerModel

extension Assignment {
    /// Whether the order's headers and credentials go to where a URL is. What an origin named by itself, `isLearned`,
    /// gets none that are not its own, whatever is forwarded.
    func carriesSecrets(to url: ResourceURL, isLearned: Bool) -> Bool {
        url.hasOrigin(of: self.url) || !isLearned && order.options.value.forwardsHeaders
    }

    /// The same way to another document. The secrets of this order's origin go to no other, but for who forwards them
    /// to one that was not learned of on the way.
    func asking(for document: Mirror, isLearned: Bool) -> Assignment {
        var other = Assignment(lease: lease, order: order, ledgerPrefix: ledgerPrefix)
        other.order.url = document.url.redacted
        other.order.expected = nil
        other.order.pieces = nil
        var options = order.options.value
        (options.checksumFile, options.expectedType, options.expectedLength) = (nil, nil, nil)
        options.mirrors = []
        let carriesSecrets = carriesSecrets(to: document.url, isLearned: isLearned)
        if !carriesSecrets { (options.clientCertificateFile, options.clientKeyFile) = (nil, nil) }
        other.order.options = Shared(options)
        other.url = document.url
        other.mirrors = []
        other.proxy = proxy
        other.cookies = cookies
        if carriesSecrets { (other.headers, other.bearer) = (headers, bearer) }
        other.credentials = document.credentials ?? (carriesSecrets ? credentials : nil)
        if document.credentials != nil { other.bearer = nil }
        return other
    }

    /// The same for what is read as a whole, and kept as nothing: packed though nobody asked for that, it is the same
    /// document.
    var unpacking: Assignment {
        var (other, options) = (self, order.options.value)
        options.decompresses = true
        other.order.options = Shared(options)
        return other
    }
}
