/// Tags, their attributes and namespaces.
extension XMLReader {
    /// `<?xml version="1.0" encoding="UTF-8"?>`, if it is there.
    mutating func takeDeclaration() throws(XMLProblem) {
        guard has("<?xml ") else {
            guard bytes.count < 2 || bytes[0] > 0 && bytes[1] > 0 && bytes[0] < 0xFE else {
                throw problem("the document is not in UTF-8")
            }
            return
        }
        let text = try string(try take("<?xml ", through: "?>")[...])
        guard let mark = text.firstRange(of: "encoding") else { return }
        let quoted = text[mark.upperBound...].drop { $0 != "\"" && $0 != "'" }.dropFirst()
        let encoding = quoted.prefix { $0 != "\"" && $0 != "'" }.lowercased()
        guard ["utf-8", "utf8", "us-ascii", "ascii"].contains(encoding) else {
            throw problem("the document is in '\(encoding)', and only UTF-8 is read")
        }
    }

    /// A start tag; its element is the innermost one then.
    mutating func takeStartTag() throws(XMLProblem) -> Element {
        let start = line
        guard open.count < Self.depthMax else { throw problem("more than \(Self.depthMax) elements in one another") }
        advance(by: 1)
        let qualifiedName = try takeName()
        var attributes: [String: String] = [:]
        while true {
            let hasSpace = takeSpace()
            if take("/>") {
                isEmptyElement = true
                break
            }
            if take(">") { break }
            guard hasSpace else { throw problem("the tag of '\(qualifiedName)' can not be read") }
            let name = try takeName()
            _ = takeSpace()
            guard take("=") else { throw problem("the attribute '\(name)' has no value") }
            _ = takeSpace()
            guard attributes[name] == nil else { throw problem("the attribute '\(name)' stands twice") }
            attributes[name] = try takeAttributeValue(of: name)
            guard attributes.count <= Self.attributesMax else {
                throw problem("more than \(Self.attributesMax) attributes of '\(qualifiedName)'")
            }
        }
        let (namespaces, plain) = try declared(attributes)
        open.append(Open(qualifiedName: qualifiedName, namespaces: namespaces, line: start))
        let (prefix, name) = Self.split(qualifiedName)
        guard let namespace = namespaces[prefix] ?? (prefix.isEmpty ? "" : nil) else {
            throw problem("the prefix '\(prefix)' is not declared")
        }
        return Element(name: name, namespace: namespace, attributes: plain, line: start)
    }

    /// The end tag of the innermost element.
    mutating func takeEndTag() throws(XMLProblem) {
        advance(by: 2)
        let name = try takeName()
        _ = takeSpace()
        guard take(">") else { throw problem("the end tag of '\(name)' can not be read") }
        guard let last = open.last else { throw problem("'</\(name)>' closes nothing") }
        guard last.qualifiedName == name else {
            throw problem("'</\(name)>' stands where '\(last.qualifiedName)' of line \(last.line) is to be closed")
        }
        open.removeLast()
    }

    /// The namespaces in force, and the attributes that declare none.
    private func declared(
        _ attributes: [String: String]
    ) throws(XMLProblem) -> (namespaces: [String: String], plain: [String: String]) {
        var namespaces = open.last?.namespaces ?? ["xml": "http://www.w3.org/XML/1998/namespace"]
        var plain: [String: String] = [:]
        for (name, value) in attributes {
            if name == "xmlns" {
                namespaces[""] = value
            } else if name.hasPrefix("xmlns:") {
                namespaces[String(name.dropFirst(6))] = value
            } else {
                plain[name] = value
            }
        }
        guard namespaces.count <= Self.namespacesMax else {
            throw problem("more than \(Self.namespacesMax) namespaces are in force")
        }
        return (namespaces, plain)
    }

    private static func split(_ name: String) -> (prefix: String, local: String) {
        guard let colon = name.firstIndex(of: ":") else { return ("", name) }
        return (String(name[..<colon]), String(name[name.index(after: colon)...]))
    }

    /// A name: letters, digits, `-`, `_`, `.`, `:` and whatever lies beyond ASCII; no digit or mark first.
    private mutating func takeName() throws(XMLProblem) -> String {
        let start = index
        while index < bytes.count, Self.isNameByte(bytes[index]) { index += 1 }
        guard index > start, index - start <= Self.nameBytesMax, !"-.0123456789".utf8.contains(bytes[start]) else {
            throw problem("a name is expected here")
        }
        return try string(bytes[start..<index])
    }

    private mutating func takeAttributeValue(of name: String) throws(XMLProblem) -> String {
        guard index < bytes.count, bytes[index] == UInt8(ascii: "\"") || bytes[index] == UInt8(ascii: "'") else {
            throw problem("the value of '\(name)' has no quotes")
        }
        let quote = bytes[index]
        index += 1
        var value: [UInt8] = []
        while index < bytes.count, bytes[index] != quote {
            guard value.count <= Self.textBytesMax else {
                throw problem("the value of '\(name)' is longer than \(Self.textBytesMax) bytes")
            }
            let byte = bytes[index]
            switch byte {
            case UInt8(ascii: "<"): throw problem("the value of '\(name)' holds '<'")
            case UInt8(ascii: "&"): value += try takeReference()
            default:
                value.append(Self.isSpace(byte) ? 32 : byte)
                advance(by: 1)
            }
        }
        guard index < bytes.count else { throw problem("the value of '\(name)' does not end") }
        index += 1
        return try string(value[...])
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 48...57, 65...90, 97...122, 128...: true
        default: "-_.:".utf8.contains(byte)
        }
    }
}
