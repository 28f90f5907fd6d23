/// Reads an XML document (XML 1.0, fifth edition, with namespaces) element by element, in one pass over its bytes.
///
/// Strict and bounded, for documents from anywhere: UTF-8 alone; a document type is refused, and with it every entity
/// that a document could define or fetch. Whoever reads names the children they want; the rest is checked and skipped.
package struct XMLReader {
    /// The longest document, in bytes.
    package static let bytesMax = 16 << 20
    /// How many elements may stand in one another.
    static let depthMax = 64
    /// The most attributes of one element.
    static let attributesMax = 64
    /// The longest name, in bytes.
    static let nameBytesMax = 256
    /// The most namespaces in force at one place.
    static let namespacesMax = 64
    /// The longest text of an element, and of an attribute, in bytes.
    static let textBytesMax = 64 << 10

    /// The start of an element.
    package struct Element: Hashable, Sendable {
        /// Its name without a prefix.
        package let name: String
        /// Its namespace; empty for none.
        package let namespace: String
        /// Its attributes by their names as written; those that declare namespaces are left out.
        package let attributes: [String: String]
        /// The line of its tag.
        package let line: Int
    }

    /// What an element holds that holds either a child or a text.
    package enum Content: Hashable, Sendable {
        /// The start of the first child, whose parent is still to be left.
        case child(Element)
        /// The text, as it stands; the element was left.
        case text(String)
    }

    /// An element that is not closed yet.
    struct Open {
        let qualifiedName: String
        /// Namespaces by prefix, the default one under the empty prefix.
        let namespaces: [String: String]
        let line: Int
    }

    /// What comes next.
    enum Token {
        case start(Element)
        case text([UInt8])
        case end
    }

    let bytes: [UInt8]
    var index = 0
    /// The line that is read, from 1.
    var line = 1
    var open: [Open] = []
    /// Whether the innermost element was `<a/>`, so that its end is next.
    var isEmptyElement = false

    /// A reader of a document.
    /// - Throws: ``XMLProblem``: it is longer than ``bytesMax``, or in another encoding than UTF-8.
    package init(_ bytes: [UInt8]) throws(XMLProblem) {
        guard bytes.count <= Self.bytesMax else {
            throw XMLProblem(line: 1, "the document is longer than \(Self.bytesMax) bytes")
        }
        self.bytes = bytes
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { index = 3 }
        try takeDeclaration()
    }

    /// The start of the outermost element.
    /// - Throws: ``XMLProblem``: there is none, or what stands before it is not XML that is taken here.
    package mutating func root() throws(XMLProblem) -> Element {
        guard let element = try nextChild() else { throw problem("the document holds no element") }
        return element
    }

    /// The start of the next child of the innermost element; nil at the end of that element, which is left then. Text
    /// between children is passed over.
    /// - Throws: ``XMLProblem``: what comes next is not XML that is taken here.
    package mutating func nextChild() throws(XMLProblem) -> Element? {
        while true {
            switch try next() {
            case .start(let element): return element
            case .text: continue
            case .end: return nil
            }
        }
    }

    /// The text of the innermost element, without white space at its ends and without what its children hold; leaves
    /// the element.
    mutating func text() throws(XMLProblem) -> String {
        var text: [UInt8] = []
        while true {
            switch try next() {
            case .start: try skip()
            case .text(let more): try append(more, to: &text, bytesMax: Self.textBytesMax)
            case .end: return try string(text[...]).trimmed
            }
        }
    }

    /// The first child of the innermost element, where text before it is passed over; or, when it has none, its text.
    /// - Parameter bytesMax: the longest text, in bytes.
    /// - Throws: ``XMLProblem``: the text is longer, or what comes next is not XML that is taken here.
    package mutating func content(bytesMax: Int) throws(XMLProblem) -> Content {
        var text: [UInt8] = []
        while true {
            switch try next() {
            case .start(let element): return .child(element)
            case .text(let more): try append(more, to: &text, bytesMax: bytesMax)
            case .end: return .text(try string(text[...]))
            }
        }
    }

    private func append(_ more: [UInt8], to text: inout [UInt8], bytesMax: Int) throws(XMLProblem) {
        text += more
        guard text.count <= bytesMax else { throw problem("a text is longer than \(bytesMax) bytes") }
    }

    /// Leaves the innermost element, whatever it still holds.
    mutating func skip() throws(XMLProblem) {
        let depth = open.count
        while open.count >= depth { _ = try next() }
    }

    /// Checks that nothing but comments and white space follows the outermost element, which was left.
    /// - Throws: ``XMLProblem``: something does.
    package mutating func finish() throws(XMLProblem) {
        while index < bytes.count {
            guard try takeMarkupWithoutContent() else {
                guard takeSpace() else { throw problem("something stands behind the outermost element") }
                continue
            }
        }
    }
}

extension XMLReader {
    private mutating func next() throws(XMLProblem) -> Token {
        if isEmptyElement {
            isEmptyElement = false
            open.removeLast()
            return .end
        }
        while true {
            guard index < bytes.count else {
                guard let last = open.last else { throw problem("the document holds no element") }
                throw problem("the document ends inside '\(last.qualifiedName)', which starts in line \(last.line)")
            }
            if try takeMarkupWithoutContent() { continue }
            if has("<![CDATA[") {
                guard !open.isEmpty else { throw problem("text stands outside of every element") }
                return .text(try take("<![CDATA[", through: "]]>"))
            }
            if has("</") {
                try takeEndTag()
                return .end
            }
            if bytes[index] == UInt8(ascii: "<") { return .start(try takeStartTag()) }
            return .text(try takeText())
        }
    }

    /// Comments and processing instructions: nothing for us. Whether there was one.
    private mutating func takeMarkupWithoutContent() throws(XMLProblem) -> Bool {
        if has("<!--") {
            _ = try take("<!--", through: "--")
            guard take(">") else { throw problem("a comment holds '--'") }
            return true
        }
        if has("<?") {
            if has("<?xml ") { throw problem("an XML declaration stands inside the document") }
            _ = try take("<?", through: "?>")
            return true
        }
        if has("<!DOCTYPE") { throw problem("a document type is not taken: it could define or fetch entities") }
        return false
    }
}

extension String {
    /// Without the white space of XML at either end.
    fileprivate var trimmed: String {
        var text = utf8[...]
        while let first = text.first, XMLReader.isSpace(first) { text.removeFirst() }
        while let last = text.last, XMLReader.isSpace(last) { text.removeLast() }
        return String(Substring(text))
    }
}
