package import LedgerModel

// By hand: to the compiler, what is coded as its raw value (its number in the log) and what is a `TextCodable` are
// equal.
extension Listing.Kind: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let kind = Self.allCases.first(where: { $0.name == text }) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a sort of listing")
        }
        self = kind
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(name)
    }
}

/// A value that is one text on the wire.
package protocol TextCodable: Codable {
    /// What the text has to be, for the error about another one.
    static var wireName: String { get }
    /// The value that a text means; nil when it means none.
    init?(wireText: String)
    /// The text that means it.
    var wireText: String { get }
}

extension TextCodable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let value = Self(wireText: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not " + Self.wireName)
        }
        self = value
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(wireText)
    }
}

extension Timestamp: TextCodable {
    package static var wireName: String { "a time of RFC 3339" }
    package init?(wireText: String) { self.init(rfc3339: wireText) }
    package var wireText: String { rfc3339 }
}

extension CommandID: TextCodable {
    package static var wireName: String { "32 hexadecimal digits" }
    package init?(wireText: String) { self.init(parsing: wireText) }
    package var wireText: String { description }
}

extension Digest: TextCodable {
    package static var wireName: String { "a digest" }
    package init?(wireText: String) { self.init(parsing: wireText) }
    package var wireText: String { description }
}

extension Kind: Codable {}
