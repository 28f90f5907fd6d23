import LedgerModel
import LedgerTransfer

/// What a client is made for: requests with equal keys share its connections.
struct ClientKey: Hashable, Sendable {
    /// The way there.
    let route: TransferRequest.Route
    /// Whether the connection is encrypted up to the origin.
    let isSecure: Bool
    /// The one origin that its connections reach, when they go through a proxy or may speak HTTP/2, where one that is
    /// of no use keeps all others waiting; nil when they may go anywhere.
    let target: ResourceURL?
    /// Whether the paths that are asked for are escaped by ``PathBytes``, which takes that back.
    let sendsPathBytes: Bool
    /// Whether HTTP/2 is offered, before HTTP/1.1.
    let offersHTTP2: Bool

    /// The key for a request.
    /// - Parameter speaksOnlyHTTP2: whether its origin was seen to take nothing else.
    init(_ request: TransferRequest, speaksOnlyHTTP2: Bool) {
        route = request.route
        isSecure = request.url.isSecure
        sendsPathBytes = request.url.hasBinaryPath
        offersHTTP2 =
            isSecure && route.proxy == nil && !sendsPathBytes && (route.prefersHTTP2 || speaksOnlyHTTP2)
        let isBound = route.proxy != nil || offersHTTP2
        target = isBound ? ResourceURL(recorded: request.url.origin + "/") : nil
    }
}
