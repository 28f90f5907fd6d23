import LedgerCoding
import LedgerModel

/// Reads a JSON document: a JSON Feed when it says so, or else a catalog.
enum JSONListing {
    /// The most values in a document; one with more is refused before it takes a hundred times its room.
    static let valuesMax = 1_000_000

    static func read(_ text: [UInt8], base: ResourceURL) throws(ListingProblem) -> ParsedListing {
        guard hasFewValues(text) else {
            throw ListingProblem(
                "the JSON holds more than \(valuesMax) values",
                next: "ask its publisher for a listing in pages, or for a shorter one")
        }
        let value: JSONValue
        do throws(JSONProblem) { value = try JSONValue(parsing: text) } catch {
            throw ListingProblem(
                "the JSON can not be read: \(error.description)",
                next: "it may have been cut short on its way: try again; if it stays, tell its publisher")
        }
        if case .object(let feed) = value, feed["version"]?.word?.contains("jsonfeed.org/version/") == true {
            return JSONFeedReader.read(feed, base: base)
        }
        return try CatalogReader.read(value, base: base)
    }

    /// Counts what starts a value or parts two, outside of texts.
    private static func hasFewValues(_ text: [UInt8]) -> Bool {
        var count = 0
        var isInText = false
        var isEscaped = false
        for byte in text {
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = isInText
            } else if byte == UInt8(ascii: "\"") {
                isInText.toggle()
            } else if !isInText, byte == UInt8(ascii: ",") || byte == UInt8(ascii: "[") || byte == UInt8(ascii: "{") {
                count += 1
            }
        }
        return count <= valuesMax
    }
}

/// Values as publishers mean them, whichever way they wrote them.
extension JSONValue {
    /// A text, or a number as its text.
    var word: String? {
        switch self {
        case .string(let text): text
        case .int, .uint, .double: description
        case .null, .bool, .array, .object: nil
        }
    }

    /// A text without markup, or a number as its text.
    func plain(bytesMax: Int) -> String? { word.flatMap { PlainText.plain($0, bytesMax: bytesMax) } }

    /// A text in HTML, or a number as its text.
    func html(bytesMax: Int) -> String? { word.flatMap { PlainText.ofHTML($0, bytesMax: bytesMax) } }

    /// A whole number, which may stand in a text.
    func whole<Value: FixedWidthInteger>() -> Value? {
        switch self {
        case .int(let number): Value(exactly: number)
        case .uint(let number): Value(exactly: number)
        case .double(let number): Value(exactly: number)
        case .string(let text): Value(text.trimmingSpace())
        case .null, .bool, .array, .object: nil
        }
    }

    /// A length in bytes; nil for 0, which means that nobody knew.
    var length: UInt64? { whole().flatMap { $0 > 0 ? $0 : nil } }

    /// A time in seconds, as a number or as `HH:MM:SS`.
    var playingSeconds: UInt32? { word.flatMap(PlayingTime.seconds) }

    /// The elements of a list; empty for anything else.
    var elements: [JSONValue] {
        if case .array(let values) = self { values } else { [] }
    }
}
