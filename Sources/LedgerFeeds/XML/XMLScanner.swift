import LedgerModel

/// Reads XML (1.0, with namespaces) element by element, in one pass over its bytes, which are UTF-8.
///
/// Bounded, and free of what makes XML dangerous: a document type is passed over unread, so no entity is ever defined,
/// expanded or fetched. Mild where feeds are often wrong and nothing is lost by it: a lone `&`, names of HTML's
/// characters, undeclared prefixes, `--` in comments, space before the declaration, anything behind the last tag. Tags
/// that do not match, or do not end, are an error: what follows could be anything.
struct XMLScanner {
    /// How many elements may stand in one another; a document with more is refused.
    static let depthMax = 64
    /// The most attributes of one element; a document with more is refused.
    static let attributesMax = 64
    /// The longest name, in bytes; a document with a longer one is refused.
    static let nameBytesMax = 256
    /// The most prefixes in force at one place; a document with more is refused.
    static let prefixesMax = 64
    /// The longest text of an element, in bytes; the rest is left out, since no field keeps as much.
    static let textBytesMax = 256 << 10

    /// The start of an element.
    struct Element {
        /// Its name without a prefix.
        let name: String
        let namespace: Namespace
        /// Its attributes by their names without a prefix; those that declare namespaces are left out.
        let attributes: [String: String]
        /// What URLs in it are relative to: `xml:base`, if there is one.
        let base: ResourceURL
    }

    /// An element that is not closed yet.
    struct Open {
        let qualifiedName: String
        let namespaces: [String: Namespace]
        let base: ResourceURL
        /// Where its tag stands.
        let place: Int
    }

    private enum Token {
        case start(Element)
        case text(ArraySlice<UInt8>, isLiteral: Bool)
        case end(qualifiedName: String)
    }

    let bytes: [UInt8]
    var index = 0
    var open: [Open] = []
    /// Whether the innermost element was `<a/>`, so that its end is next.
    var isEmptyElement = false
    private let base: ResourceURL

    /// A scanner of a document whose URLs are relative to `base`.
    init(_ bytes: [UInt8], base: ResourceURL) {
        self.bytes = bytes
        self.base = base
    }

    /// The problem of a document without an element.
    static var noElement: ListingProblem {
        ListingProblem("the XML holds no element", next: "try again later, or check the address")
    }

    /// What is in force at this place.
    var scope: (namespaces: [String: Namespace], base: ResourceURL) {
        open.last.map { ($0.namespaces, $0.base) } ?? (Namespace.usual, base)
    }

    /// The start of the next child of the innermost element; nil at the end of that element, which is left then. Text
    /// between children is passed over.
    mutating func nextChild() throws(ListingProblem) -> Element? {
        while true {
            switch try next() {
            case .start(let element): return element
            case .text: continue
            case .end: return nil
            }
        }
    }

    /// The text of the innermost element and of all in it; leaves the element. Tags in it part words, but for those
    /// that stand inside of words.
    mutating func text() throws(ListingProblem) -> String {
        let depth = open.count
        var text: [UInt8] = []
        while open.count >= depth {
            let token = try next()
            guard text.count < Self.textBytesMax else { continue }
            switch token {
            case .start(let element): if !PlainText.isInline(element.name) { text.append(UInt8(ascii: " ")) }
            case .text(let more, isLiteral: true): text += more
            case .text(let more, isLiteral: false): CharacterReference.resolve(more, into: &text)
            case .end(let name): if !PlainText.isInline(name) { text.append(UInt8(ascii: " ")) }
            }
        }
        return String(decoding: text.prefix(Self.textBytesMax), as: UTF8.self)
    }

    /// Leaves the innermost element, whatever it still holds.
    mutating func skip() throws(ListingProblem) {
        let depth = open.count
        while open.count >= depth { _ = try next() }
    }

    private mutating func next() throws(ListingProblem) -> Token {
        if isEmptyElement {
            isEmptyElement = false
            return .end(qualifiedName: open.removeLast().qualifiedName)
        }
        while index < bytes.count {
            if bytes[index] != UInt8(ascii: "<") {
                let text = bytes[index...].prefix { $0 != UInt8(ascii: "<") }
                index = text.endIndex
                return .text(text, isLiteral: false)
            } else if has("</") {
                return .end(qualifiedName: try takeEndTag())
            } else if has("<!--") {
                _ = try take("<!--", through: "-->")
            } else if has("<?") {
                _ = try take("<?", through: "?>")
            } else if has("<![CDATA[") {
                return .text(try take("<![CDATA[", through: "]]>"), isLiteral: true)
            } else if has("<!DOCTYPE"), open.isEmpty {
                try skipDocumentType()
            } else {
                return .start(try takeStartTag())
            }
        }
        guard let last = open.last else {
            throw Self.noElement
        }
        throw cutShort("inside '\(last.qualifiedName)', which starts in line \(bytes.line(at: last.place))")
    }
}
