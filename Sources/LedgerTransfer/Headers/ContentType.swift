/// A `Content-Type` field (RFC 9110, section 8.3).
package enum ContentType {
    /// The media type in lower case without its parameters; nil when the field holds none.
    package static func mediaType(_ text: String) -> String? {
        var scanner = HeaderScanner(text)
        let type = scanner.take(upTo: ";,").trimmedText.lowercased()
        let parts = type.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy(isToken) }) else { return nil }
        return type
    }

    private static func isToken(_ byte: UInt8) -> Bool {
        switch byte {
        case 48...57, 65...90, 97...122: true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}
