package import LedgerModel

/// What holds for downloads that the program orders for others, feeds and clients of the API, where they say nothing
/// themselves: what its configuration and its environment say, which commands put into the orders that they make.
///
/// The proxies are trusted, where one that a client of the API names would be a way around the bounds of clients.
package struct OwnDefaults: Hashable, Sendable {
    /// The proxy for URLs of http; nil for none.
    package var http: String?
    /// The proxy for URLs of https; nil for none.
    package var https: String?
    /// The hosts that are reached without either.
    package var noProxy: String?
    /// The name that the program goes by.
    package var userAgent: String?
    /// The longest silence in milliseconds.
    package var silenceMillisecondsMax: UInt32?
    /// How often a failed attempt is made again, at most.
    package var retriesMax: UInt32?
    /// The highest rate of one download, in bytes a second.
    package var bytesPerSecondMax: UInt64?
    /// The file of authorities that are trusted, an absolute path.
    package var certificateAuthorityFile: String?

    /// Nothing.
    package init() {}

    /// Has a request of a client say it where it says nothing.
    package func apply(to request: inout EnqueueRequest) {
        request.userAgent = request.userAgent ?? userAgent
        request.silenceMillisecondsMax = request.silenceMillisecondsMax ?? silenceMillisecondsMax
        request.retriesMax = request.retriesMax ?? retriesMax
        request.bytesPerSecondMax = request.bytesPerSecondMax ?? bytesPerSecondMax
        request.certificateAuthorityFile = request.certificateAuthorityFile ?? certificateAuthorityFile
        guard request.proxy == nil, let proxy = request.isSecure ? https : http else { return }
        request.proxy = proxy
        request.noProxy = request.noProxy ?? noProxy
        request.trustsProxy = true
    }

    /// The same of an order that a listing makes, whose secrets these are. A proxy that can not be parsed is passed
    /// over; what is configured was checked.
    package func apply(to order: inout Order, _ secrets: inout OrderSecrets) {
        var options = order.options.value
        options.userAgent = options.userAgent ?? userAgent
        options.silenceMillisecondsMax = options.silenceMillisecondsMax ?? silenceMillisecondsMax
        options.retriesMax = options.retriesMax ?? retriesMax
        options.bytesPerSecondMax = options.bytesPerSecondMax ?? bytesPerSecondMax
        options.certificateAuthorityFile = options.certificateAuthorityFile ?? certificateAuthorityFile
        if options.proxy == nil, let proxy = order.url.isSecure ? https : http {
            do throws(RequestProblem) {
                (options.proxy, secrets.proxyCredentials) = try EnqueueRequest.parse(proxy: proxy)
                options.noProxy = options.noProxy ?? noProxy
            } catch {
                // Left to the origin itself, as for what the environment names and is none.
            }
        }
        if options != order.options.value { order.options = Shared(options) }
    }
}
