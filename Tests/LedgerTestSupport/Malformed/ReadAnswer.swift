/// An answer as RFC 9112 reads it: a second reader, written to be obvious, that judges what the program made of bytes.
package struct ReadAnswer: Sendable {
    /// The status code.
    package let status: Int
    /// The fields in order, names in lower case.
    package let fields: [(name: String, value: String)]
    /// What there is of the content.
    package private(set) var body: [UInt8] = []
    /// Whether the framing says that it is all of it.
    package private(set) var isWhole = false
    /// The length that the head states; nil for none.
    package private(set) var length: UInt64?

    /// Reads the first answer that is not an interim one.
    ///
    /// Takes what the RFC lets a recipient take: a line that ends in LF alone, folded fields, several equal lengths.
    /// Returns nil where the RFC wants an answer refused: it then says nothing about any file.
    /// - Parameter isClosed: whether the connection was closed in order behind these bytes.
    package init?(_ bytes: [UInt8], isClosed: Bool) {
        var lines = WireLines(bytes[...])
        var head: (status: Int, fields: [(name: String, value: String)])
        repeat {
            guard let next = lines.head() else { return nil }
            head = next
        } while (100..<200).contains(head.status) && head.status != 101
        (status, fields) = head
        guard status >= 200 else { return nil }
        if status == 204 || status == 304 {
            isWhole = true
            return
        }
        let codings = values("transfer-encoding").filter { !$0.isEmpty }
        let lengths = values("content-length").flatMap { $0.split(separator: ",", omittingEmptySubsequences: false) }
            .map { $0.trimmingBlanks() }
        let coding = codings.joined(separator: ",").lowercased()
        if coding == "chunked" {
            (body, isWhole) = lines.chunks()
        } else if !codings.isEmpty {
            // What RFC 2616 called the identity ends with the connection; other codings leave their bytes in the body.
            guard coding == "identity" else { return nil }
            (body, isWhole) = (Array(lines.rest), isClosed)
        } else if let first = lengths.first {
            guard Set(lengths).count == 1, let length = UInt64(digits: first) else { return nil }
            self.length = length
            body = Array(lines.rest.prefix(Int(clamping: length)))
            isWhole = UInt64(body.count) == length
        } else {
            body = Array(lines.rest)
            isWhole = isClosed
        }
    }

    /// The values of a field.
    package func values(_ name: String) -> [String] { fields.filter { $0.name == name }.map(\.value) }

    /// The slice that a `Content-Range` names, and the whole length when it names that; nil when it can not be read.
    package var slice: (range: Range<UInt64>, total: UInt64?)? {
        guard values("content-range").count == 1, let text = values("content-range").first?.lowercased(),
            text.hasPrefix("bytes")
        else { return nil }
        let parts = text.dropFirst(5).drop { " \t=".contains($0) }.split { "-/".contains($0) }
            .map { $0.trimmingBlanks() }
        guard parts.count == 3, let first = UInt64(digits: parts[0]), let last = UInt64(digits: parts[1]),
            first <= last, last < .max
        else { return nil }
        if parts[2] == "*" { return (first..<last + 1, nil) }
        guard let total = UInt64(digits: parts[2]), last < total else { return nil }
        return (first..<last + 1, total)
    }
}

/// The bytes of an answer, taken line by line.
private struct WireLines {
    var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    /// The next line without its end; nil when none ends.
    mutating func line() -> ArraySlice<UInt8>? {
        guard let end = rest.firstIndex(of: 10) else { return nil }
        let line = rest[..<end]
        rest = rest[(end + 1)...]
        return line.last == 13 ? line.dropLast() : line
    }

    mutating func head() -> (status: Int, fields: [(name: String, value: String)])? {
        guard let first = line(), let status = Self.status(first) else { return nil }
        var fields: [(name: String, value: String)] = []
        while let line = line() {
            if line.isEmpty { return (status, fields) }
            guard !line.contains(0), !line.contains(13) else { return nil }
            if line.first == 32 || line.first == 9 {
                guard let last = fields.popLast() else { return nil }
                let more = String(decoding: line, as: UTF8.self).trimmingBlanks()
                fields.append((last.name, (last.value + " " + more).trimmingBlanks()))
                continue
            }
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex,
                line[..<colon].allSatisfy(Self.isToken)
            else { return nil }
            let value = String(decoding: line[(colon + 1)...], as: UTF8.self).trimmingBlanks()
            fields.append((String(decoding: line[..<colon], as: UTF8.self).lowercased(), value))
        }
        return nil
    }

    /// `HTTP/D.D SP DDD [SP words]`; the words mean nothing, whatever they are.
    private static func status(_ line: ArraySlice<UInt8>) -> Int? {
        let line = Array(line)
        guard line.count >= 12, line.starts(with: "HTTP/".utf8), isDigit(line[5]), line[6] == UInt8(ascii: "."),
            isDigit(line[7]), line[8] == 32, line[9...11].allSatisfy(isDigit), line.count == 12 || line[12] == 32
        else { return nil }
        return Int(String(decoding: line[9...11], as: UTF8.self))
    }

    /// The content of the chunks that are whole, with what there is of the last, and whether the last chunk came.
    mutating func chunks() -> (body: [UInt8], isWhole: Bool) {
        var body: [UInt8] = []
        while let line = line() {
            let digits = String(decoding: line.prefix { $0 != UInt8(ascii: ";") }, as: UTF8.self).trimmingBlanks()
            guard !digits.isEmpty, digits.allSatisfy({ $0.isASCII && $0.isHexDigit }), !line.contains(13),
                let size = UInt64(digits, radix: 16)
            else { return (body, false) }
            if size == 0 {
                while let trailer = self.line() { if trailer.isEmpty { return (body, true) } }
                return (body, false)
            }
            let data = rest.prefix(Int(clamping: size))
            body += data
            rest = rest.dropFirst(data.count)
            guard UInt64(data.count) == size, self.line()?.isEmpty == true else { return (body, false) }
        }
        return (body, false)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }

    private static func isToken(_ byte: UInt8) -> Bool {
        isDigit(byte) || (65...90).contains(byte) || (97...122).contains(byte) || "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
}

extension UInt64 {
    /// A number of decimal digits alone.
    fileprivate init?(digits: String) {
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        self.init(digits)
    }
}

extension StringProtocol {
    fileprivate func trimmingBlanks() -> String {
        var text = Substring(self)
        while text.utf8.first == 32 || text.utf8.first == 9 { text = Substring(text.utf8.dropFirst()) }
        while text.utf8.last == 32 || text.utf8.last == 9 { text = Substring(text.utf8.dropLast()) }
        return String(text)
    }
}
