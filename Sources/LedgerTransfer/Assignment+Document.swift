import LedgerModel

extension Assignment {
    /// The same way to another document. The secrets of this order's origin go to no other.
    func asking(for document: Mirror) -> Assignment {
        var other = Assignment(lease: lease, order: order, ledgerPrefix: ledgerPrefix)
        other.order.url = document.url.redacted
        other.order.expected = nil
        other.order.pieces = nil
        var options = order.options.value
        (options.checksumFile, options.expectedType, options.expectedLength) = (nil, nil, nil)
        options.mirrors = []
        let isSameOrigin = document.url.hasOrigin(of: url) || options.forwardsHeaders
        if !isSameOrigin { (options.clientCertificateFile, options.clientKeyFile) = (nil, nil) }
        other.order.options = Shared(options)
        other.url = document.url
        other.mirrors = []
        other.proxy = proxy
        other.cookies = cookies
        if isSameOrigin { (other.headers, other.bearer) = (headers, bearer) }
        other.credentials = document.credentials ?? (isSameOrigin ? credentials : nil)
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
