import LedgerModel
import NIOHTTP1

/// A request as a proxy wants it: with the whole URL (RFC 9112, section 3.2.2), and who we are to it.
struct AbsoluteForm {
    /// The proxy.
    let proxy: Proxy
    /// A URL of the origin behind it.
    let target: ResourceURL

    /// Writes a head so.
    func apply(to head: inout HTTPRequestHead) {
        head.uri = target.origin + head.uri
        if let authorization = proxy.authorization {
            head.headers.replaceOrAdd(name: "Proxy-Authorization", value: authorization)
        }
    }
}
