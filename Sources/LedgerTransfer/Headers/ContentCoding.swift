package import HTTPTypes

/// What an origin did to the bytes of an entity before it sent them (`Content-Encoding`, RFC 9110, section 8.4).
package enum ContentCoding: Hashable, Sendable {
    /// Nothing.
    case identity
    /// RFC 1952; `x-gzip` is the same.
    case gzip
    /// RFC 1950, or RFC 1951 from those who read the RFC otherwise.
    case deflate
    /// Anything else, by its words.
    case other(String)

    /// The longest name, in bytes: what is longer is told apart by its beginning.
    private static let nameBytesMax = 128

    /// Its name, one for those that are the same; nil for nothing.
    var name: String? {
        switch self {
        case .identity: nil
        case .gzip: "gzip"
        case .deflate: "deflate"
        case .other(let words): String(decoding: words.utf8.prefix(Self.nameBytesMax), as: UTF8.self)
        }
    }

    /// The coding that the fields of an answer state.
    package init(_ fields: HTTPFields) {
        let words = fields[values: .contentEncoding].joined(separator: ",").lowercased().split(separator: ",")
            .map { $0.filter { $0 != " " && $0 != "\t" } }.filter { !$0.isEmpty && $0 != "identity" }
        switch words {
        case []: self = .identity
        case ["gzip"], ["x-gzip"]: self = .gzip
        case ["deflate"]: self = .deflate
        default: self = .other(words.joined(separator: ", "))
        }
    }
}
