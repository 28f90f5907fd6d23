import LedgerAPI

/// The proxies of the program itself, by its configuration or its environment: they are trusted, where one that an API
/// client names would be a way around the bounds of clients.
package struct OwnProxies: Hashable, Sendable {
    /// The one for URLs of http; nil for none.
    package var http: String?
    /// The one for URLs of https; nil for none.
    package var https: String?
    /// The hosts that are reached without either.
    package var noProxy: String?

    /// None.
    package init() {}

    /// Has a request of a client that names no proxy go by the program's own.
    func apply(to request: inout EnqueueRequest) {
        guard request.proxy == nil, let proxy = request.isSecure ? https : http else { return }
        request.proxy = proxy
        request.noProxy = request.noProxy ?? noProxy
        request.trustsProxy = true
    }
}
