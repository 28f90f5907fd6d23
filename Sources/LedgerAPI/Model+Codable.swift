package import LedgerModel

extension SequenceNumber: RawRepresentable, Codable {
    /// The place with this number; on the wire it is the number alone.
    package init(rawValue: UInt64) { self.init(rawValue) }
}

extension DownloadID: RawRepresentable, Codable {
    /// The download with this number; on the wire it is the number alone.
    package init(rawValue: UInt64) { self.init(rawValue) }
}

/// RFC 3339 in UTC with milliseconds.
extension Timestamp: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let value = Timestamp(rfc3339: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a time of RFC 3339")
        }
        self = value
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rfc3339)
    }
}

/// 32 hexadecimal digits.
extension CommandID: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let value = CommandID(parsing: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not 32 hexadecimal digits")
        }
        self = value
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

extension Kind: Codable {}
