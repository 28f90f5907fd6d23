import LedgerModel

/// The file name in a `Content-Disposition` field (RFC 6266, with RFC 8187 for names beyond ASCII).
package enum ContentDisposition {
    /// The name as the origin wrote it, decoded but not made safe: that is ``FileName/safe(_:bytesMax:)``'s work.
    ///
    /// `filename*` wins over `filename` when its charset is utf-8 or iso-8859-1 and its encoding holds. Broken forms in
    /// wide use are read as meant: no disposition type, no quotes round a name with spaces, RFC 2047 words left as they
    /// are, percent-encoding in a plain `filename`. Returns nil when no name is there.
    package static func fileName(_ text: String) -> String? {
        var plain: String?
        var extended: String?
        for (name, value) in parameters(text) {
            switch name {
            case "filename*": extended = extended ?? decodeExtended(value)
            case "filename": plain = plain ?? decodePlain(value)
            default: break
            }
        }
        return extended ?? plain
    }

    private static func parameters(_ text: String) -> [(name: String, value: [UInt8])] {
        var scanner = HeaderScanner(text)
        var result: [(name: String, value: [UInt8])] = []
        while !scanner.isAtEnd {
            scanner.skipSpace()
            let name = scanner.take(upTo: ";=").trimmedText.lowercased()
            guard scanner.take("=") else {
                _ = scanner.take(";")
                continue
            }
            scanner.skipSpace()
            if scanner.take("\"") {
                result.append((name, scanner.takeQuoted()))
                _ = scanner.take(upTo: ";")
            } else {
                let value = scanner.take(upTo: ";").trimmedText
                result.append((name, Array(value.utf8)))
            }
            _ = scanner.take(";")
        }
        return result
    }

    /// `charset'language'percent-encoded` (RFC 8187, section 3.2); nil when it is not that.
    private static func decodeExtended(_ value: [UInt8]) -> String? {
        let parts = value.split(separator: UInt8(ascii: "'"), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let bytes = percentDecoded(Array(parts[2])) else { return nil }
        switch String(decoding: parts[0], as: UTF8.self).lowercased() {
        case "utf-8", "utf8":
            return String(validating: bytes, as: UTF8.self)
        case "iso-8859-1", "latin1", "us-ascii":
            var text = ""
            for byte in bytes { text.unicodeScalars.append(Unicode.Scalar(byte)) }
            return text
        default:
            return nil
        }
    }

    /// Browsers undo percent-encoding here too when it gives valid UTF-8, and so do we.
    private static func decodePlain(_ value: [UInt8]) -> String? {
        guard !value.isEmpty else { return nil }
        if value.contains(UInt8(ascii: "%")), let bytes = percentDecoded(value),
            let text = String(validating: bytes, as: UTF8.self)
        {
            return text
        }
        return String(decoding: value, as: UTF8.self)
    }

    private static func percentDecoded(_ bytes: [UInt8]) -> [UInt8]? {
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "%") {
                guard index + 2 < bytes.count,
                    let byte = [UInt8](hex: String(decoding: bytes[index + 1...index + 2], as: UTF8.self))
                else { return nil }
                result.append(byte[0])
                index += 3
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return result
    }
}
