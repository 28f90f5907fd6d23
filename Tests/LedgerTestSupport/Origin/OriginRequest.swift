/// A request as an origin saw it.
package struct OriginRequest: Hashable, Sendable {
    /// The method.
    package let method: String
    /// The request target with its query.
    package let target: String
    /// The fields in the order they came, names in lower case.
    package let fields: [Field]
    /// The number of the connection it came over: unlike those of all other connections of this process.
    package var connection = 0

    /// A name and a value.
    package struct Field: Hashable, Sendable {
        /// In lower case.
        package let name: String
        /// As it came.
        package let value: String
    }

    /// The first value of a field; nil when it was not sent.
    package subscript(_ name: String) -> String? { fields.first { $0.name == name }?.value }

    /// The path without its query; of the absolute form, which a proxy is sent (RFC 9112, 3.2.2), the path in it.
    package var path: String {
        var rest = target.prefix { $0 != "?" }
        if rest.hasPrefix("http://") { rest = rest.dropFirst(7).drop { $0 != "/" } }
        return String(rest)
    }

    /// The first byte of `Range: bytes=N-` or `bytes=N-M`; nil without such a range.
    package var rangeStart: Int? { range?.start }

    /// The last byte of `Range: bytes=N-M`; nil when none is named.
    package var rangeLast: Int? { range?.last }

    private var range: (start: Int, last: Int?)? {
        guard let range = self["range"], range.hasPrefix("bytes=") else { return nil }
        let ends = range.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let start = Int(ends[0]) else { return nil }
        return (start, Int(ends[1]))
    }

    /// A request of parts.
    package init(method: String, target: String, fields: [Field]) {
        self.method = method
        self.target = target
        self.fields = fields
    }

    /// Parses a head without its last empty line.
    init?(head: String) {
        let lines = head.split(separator: "\r\n", omittingEmptySubsequences: true)
        guard let words = lines.first?.split(separator: " "), words.count == 3 else { return nil }
        method = String(words[0])
        target = String(words[1])
        fields = lines.dropFirst().compactMap { line in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            return Field(name: line[..<colon].lowercased(), value: String(value))
        }
    }
}
