import LedgerModel
import NIOHTTP1

/// Has a path that stands for bytes which are no UTF-8 sent as it was written.
///
/// The engine reads a path as text and asks for `/` where it can not. So such a path is given to it with every `%`
/// escaped once more, and that is taken back in the connections that such requests have for themselves.
enum PathBytes {
    /// What the engine is given for a URL.
    static func escaped(_ url: ResourceURL) -> String {
        url.origin + url.path.replacing("%", with: "%25") + (url.query.map { "?" + $0 } ?? "")
    }

    /// Takes it back in a head that the engine made.
    static func restore(_ head: inout HTTPRequestHead) {
        let query = head.uri.firstIndex(of: "?") ?? head.uri.endIndex
        head.uri = String(head.uri[..<query].replacing("%25", with: "%") + head.uri[query...])
    }
}

extension ResourceURL {
    /// Whether the path stands for bytes that are no UTF-8, as those of old file systems do.
    var hasBinaryPath: Bool {
        let path = path
        guard path.utf8.contains(UInt8(ascii: "%")) else { return false }
        return String(validating: ResourceURL.percentDecoded(Array(path.utf8)[...]), as: UTF8.self) == nil
    }
}
