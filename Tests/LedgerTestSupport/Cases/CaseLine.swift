import FoundationEssentials

/// A case as one JSON object on a line, for judges outside: what is right can be read from it alone.
package struct CaseLine: Encodable {
    private let `case`: String
    private let row: Int
    private let path: String
    private let mirrors: [String]
    private let what: String
    private let right: String
    private let result: String
    private let entity: String?
    private let bytes: Int
    private let names: [String]
    private let waitSeconds: Int?
    private let requestsMax: Int?
    private let withholds: Bool
    private let tls: Bool
    private let tool: Bool
    private let client: String?

    /// The line of a case; paths have `TOKEN` where a token goes.
    package init(_ theCase: OriginCase) {
        `case` = theCase.slug
        row = theCase.row
        path = theCase.path("TOKEN")
        mirrors = theCase.mirrors.map { theCase.path("TOKEN", $0) }
        what = theCase.what
        right = theCase.right
        result = theCase.result.rawValue
        entity = theCase.result == .refused ? nil : theCase.file.name
        bytes = theCase.file.bytes.count
        names = theCase.names
        waitSeconds = theCase.waitSecondsMin
        requestsMax = theCase.requestsMax
        withholds = theCase.withholds
        tls = theCase.isSecureOnly
        tool = theCase.isForTools
        client = theCase.client
    }

    /// The text, without a line break.
    package var text: String { JSONLine.of(self) }
}

/// JSON on one line, its keys in order.
enum JSONLine {
    static func of(_ value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do { return String(decoding: try encoder.encode(value), as: UTF8.self) } catch {
            preconditionFailure("texts, numbers and lists of them are JSON: \(error)")
        }
    }
}
