/// One link of a `Link` field (RFC 8288), with the parameters of Metalink over HTTP (RFC 6249).
package struct Link: Hashable, Sendable {
    /// The most links that are read of one answer.
    package static let linksMax = 100
    /// The priority of a link that states none: the last there is (RFC 6249, section 3.1).
    package static let priorityLast: UInt32 = 999_999

    /// Where it leads, as it was written: absolute, or relative to the URL of the answer.
    package let target: String
    /// What stands there to the entity of the answer; in lower case.
    package let relations: [String]
    /// The media type that is to be expected there, without its parameters; nil when none is stated.
    package let mediaType: String?
    /// Lower comes first; 1 to ``priorityLast``.
    package let priority: UInt32
    /// The country of a mirror, two letters in lower case; nil when none is stated.
    package let location: String?

    /// A link of these parts.
    package init(
        _ target: String, relations: [String], mediaType: String? = nil, priority: UInt32 = Link.priorityLast,
        location: String? = nil
    ) {
        self.target = target
        self.relations = relations
        self.mediaType = mediaType
        self.priority = priority
        self.location = location
    }

    /// The links of a field, or of several joined by commas, in the order they stand; at most ``linksMax``.
    ///
    /// A link about something else than the answer (`anchor`), or without a relation, is left out; what stands behind
    /// something that is no link is not read.
    package static func parse(_ text: String) -> [Link] {
        var scanner = HeaderScanner(text)
        var links: [Link] = []
        while links.count < linksMax {
            scanner.skipSpace()
            while scanner.take(",") { scanner.skipSpace() }
            guard scanner.take("<") else { break }
            let target = scanner.take(upTo: ">").trimmedText
            guard scanner.take(">") else { break }
            let parameters = parameters(&scanner)
            guard parameters["anchor"] == nil, let relations = parameters["rel"] else { continue }
            let priority = parameters["pri"].flatMap { UInt32($0) }.flatMap { 1...priorityLast ~= $0 ? $0 : nil }
            links.append(
                Link(
                    target, relations: relations.lowercased().split(separator: " ").map(String.init),
                    mediaType: parameters["type"].flatMap(ContentType.mediaType), priority: priority ?? priorityLast,
                    location: parameters["geo"]?.lowercased()))
        }
        return links
    }

    /// The parameters up to the comma that ends the link; of equal names the first counts (RFC 8288, section 3.3).
    private static func parameters(_ scanner: inout HeaderScanner) -> [String: String] {
        var parameters: [String: String] = [:]
        scanner.skipSpace()
        while scanner.take(";") {
            scanner.skipSpace()
            let name = scanner.take(upTo: "=;,").trimmedText.lowercased()
            var value = ""
            if scanner.take("=") {
                scanner.skipSpace()
                if scanner.take("\"") {
                    value = scanner.takeQuoted().trimmedText
                    scanner.skipSpace()
                } else {
                    value = scanner.take(upTo: ";,").trimmedText
                }
            }
            if !name.isEmpty, parameters[name] == nil { parameters[name] = value }
        }
        return parameters
    }
}
