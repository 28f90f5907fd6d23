/// Tags, and the steps over bytes.
extension XMLScanner {
    /// A start tag; its element is the innermost one then.
    mutating func takeStartTag() throws(ListingProblem) -> Element {
        let place = index
        index += 1
        let qualifiedName = try takeName()
        guard open.count < Self.depthMax else { throw problem("more than \(Self.depthMax) elements in one another") }
        var (namespaces, base) = scope
        var names: Set<String> = []
        var attributes: [String: String] = [:]
        while !has(">"), !has("/>") {
            guard takeSpace() else { throw problem("the tag of '\(qualifiedName)' can not be read") }
            if has(">") || has("/>") { break }
            let name = try takeName()
            let value = try takeValue(of: name)
            guard names.insert(name).inserted else { throw problem("the attribute '\(name)' stands twice") }
            guard names.count <= Self.attributesMax else {
                throw problem("more than \(Self.attributesMax) attributes of '\(qualifiedName)'")
            }
            let (prefix, local) = Self.split(name)
            if prefix == "xmlns" || name == "xmlns" {
                namespaces[prefix.isEmpty ? "" : local] = Namespace(value)
            } else if name == "xml:base" {
                base = base.listed(value) ?? base
            } else if attributes[local] == nil || prefix.isEmpty {
                attributes[local] = value
            }
        }
        guard namespaces.count <= Self.prefixesMax else { throw problem("more than \(Self.prefixesMax) prefixes") }
        isEmptyElement = has("/>")
        index += isEmptyElement ? 2 : 1
        open.append(Open(qualifiedName: qualifiedName, namespaces: namespaces, base: base, place: place))
        let (prefix, name) = Self.split(qualifiedName)
        return Element(name: name, namespace: namespaces[prefix] ?? .other, attributes: attributes, base: base)
    }

    /// The end tag of the innermost element, whose name it gives.
    mutating func takeEndTag() throws(ListingProblem) -> String {
        let place = index
        index += 2
        let name = try takeName()
        _ = takeSpace()
        guard has(">") else { throw problem("the end tag of '\(name)' can not be read") }
        guard let last = open.last else { throw problem("'</\(name)>' closes nothing", at: place) }
        guard last.qualifiedName == name else {
            let line = bytes.line(at: last.place)
            throw problem(
                "'</\(name)>' stands where '\(last.qualifiedName)' of line \(line) is to be closed", at: place)
        }
        index += 1
        return open.removeLast().qualifiedName
    }

    /// Goes behind `<!DOCTYPE ...>`. What it declares is not looked at.
    mutating func skipDocumentType() throws(ListingProblem) {
        var isInBrackets = false
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "<") where has("<!--"):
                _ = try take("<!--", through: "-->")
                continue
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                let quote = bytes[index]
                index = bytes[(index + 1)...].firstIndex(of: quote) ?? bytes.count - 1
            case UInt8(ascii: "["): isInBrackets = true
            case UInt8(ascii: "]"): isInBrackets = false
            case UInt8(ascii: ">") where !isInBrackets:
                index += 1
                return
            default: break
            }
            index += 1
        }
        throw cutShort("inside its document type")
    }

    /// What stands between two marks, the first of which is next; goes behind the second.
    mutating func take(_ start: String, through end: String) throws(ListingProblem) -> ArraySlice<UInt8> {
        let place = index
        let first = index + start.utf8.count
        let last = Array(end.utf8)
        index = first
        while index < bytes.count {
            // Most bytes are not the first of the mark, and need no closer look.
            if bytes[index] == last[0], bytes[index...].starts(with: last) {
                let inside = bytes[first..<index]
                index += last.count
                return inside
            }
            index += 1
        }
        throw cutShort("inside what '\(start)' starts in line \(bytes.line(at: place))")
    }

    /// Whether a mark is next.
    func has(_ mark: String) -> Bool { bytes[index...].starts(with: mark.utf8) }

    /// A problem at a place, or at the one that is read: behind the last byte there is but one.
    func problem(_ reason: String, at place: Int? = nil) -> ListingProblem {
        guard place != nil || index < bytes.count else { return cutShort("inside a tag") }
        return ListingProblem(
            "the XML can not be read: line \(bytes.line(at: place ?? index)): \(reason)",
            next: "try again later; if it stays, tell its publisher")
    }

    /// The problem of a document that ends where it must not.
    func cutShort(_ place: String) -> ListingProblem {
        ListingProblem(
            "the XML ends in line \(bytes.line(at: bytes.count)), \(place)",
            next: "it may have been cut short on its way: try again; if it stays, tell its publisher")
    }

    private mutating func takeValue(of name: String) throws(ListingProblem) -> String {
        _ = takeSpace()
        guard has("=") else { throw problem("the attribute '\(name)' has no value") }
        index += 1
        _ = takeSpace()
        guard has("\"") || has("'") else { throw problem("the value of '\(name)' has no quotes") }
        let quote = bytes[index]
        let inside = bytes[(index + 1)...].prefix { $0 != quote && $0 != UInt8(ascii: "<") }
        guard inside.endIndex < bytes.count else { throw cutShort("inside the value of '\(name)'") }
        guard bytes[inside.endIndex] == quote else { throw problem("the value of '\(name)' holds '<'") }
        index = inside.endIndex + 1
        var value: [UInt8] = []
        CharacterReference.resolve(inside, into: &value)
        // A line may be broken within a value, which means no more than a space.
        return String(decoding: value.map { ListingReader.isSpace($0) ? 32 : $0 }, as: UTF8.self)
    }

    /// Goes over white space; whether there was any.
    private mutating func takeSpace() -> Bool {
        let start = index
        while index < bytes.count, ListingReader.isSpace(bytes[index]) { index += 1 }
        return index > start
    }

    /// A name: letters, digits, `-`, `_`, `.`, `:` and whatever lies beyond ASCII; no digit or mark first.
    private mutating func takeName() throws(ListingProblem) -> String {
        let name = bytes[index...].prefix(while: Self.isNameByte)
        guard name.endIndex < bytes.count else { throw cutShort("inside a tag") }
        guard let first = name.first, name.count <= Self.nameBytesMax, !"-.0123456789".utf8.contains(first) else {
            throw problem("a name is expected here")
        }
        index = name.endIndex
        return String(decoding: name, as: UTF8.self)
    }

    private static func split(_ name: String) -> (prefix: String, local: String) {
        guard let colon = name.firstIndex(of: ":") else { return ("", name) }
        return (String(name[..<colon]), String(name[name.index(after: colon)...]))
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 48...57, 65...90, 97...122, 128...: true
        default: "-_.:".utf8.contains(byte)
        }
    }
}
