/// Nothing is longer than a reader's patience: lines, functions, files.
enum Lengths {
    static let fileLinesMax = 400
    static let functionLinesMax = 70
    static let lineCharactersMax = 120
    static let marksMax = 2

    static func findings(in file: SourceFile) -> [Finding] {
        var findings: [Finding] = []
        if file.lines.count > fileLinesMax {
            findings.append(
                Finding(
                    file.path, fileLinesMax + 1, "file-length",
                    "\(file.lines.count) lines, at most \(fileLinesMax): one type or one aspect of it a file"))
        }
        for (index, line) in file.lines.enumerated() where line.count > lineCharactersMax {
            findings.append(
                Finding(
                    file.path, index + 1, "line-length",
                    "\(line.count) characters, at most \(lineCharactersMax): run 'swift format', or break the text"))
        }
        let marks = file.lines.enumerated().filter { $0.element.contains("// MARK:") }
        if marks.count > marksMax, file.path != "Package.swift" {
            findings.append(
                Finding(
                    file.path, marks[marksMax].offset + 1, "marks",
                    "when a second MARK wants a third, it is two files"))
        }
        for function in functions(in: file.code) where function.count > functionLinesMax {
            findings.append(
                Finding(
                    file.path, function.lowerBound + 1, "function-length",
                    "\(function.count) lines, at most \(functionLinesMax): a part of it wants a name"))
        }
        return findings
    }

    /// The lines of each function and initializer with a body, from its keyword to its closing brace.
    static func functions(in code: [String]) -> [Range<Int>] {
        code.indices.compactMap { start in
            guard code[start].firstRange(of: "func ") != nil || startsInitializer(code[start]) else { return nil }
            guard let end = end(ofBodyFrom: start, in: code) else { return nil }
            return start..<end + 1
        }
    }

    private static func startsInitializer(_ line: String) -> Bool {
        let words = line.split(separator: " ")
        guard let word = words.first(where: { !Declarations.modifiers.contains(String($0)) }) else { return false }
        return word.hasPrefix("init(") || word.hasPrefix("init?(") || word.hasPrefix("init<") || word == "deinit"
    }

    /// The line of the brace that closes the body; nil for a requirement, which has none.
    private static func end(ofBodyFrom start: Int, in code: [String]) -> Int? {
        var braces = 0
        var brackets = 0
        for index in start..<code.count {
            for character in code[index].utf8 {
                switch character {
                case UInt8(ascii: "("), UInt8(ascii: "["): brackets += 1
                case UInt8(ascii: ")"), UInt8(ascii: "]"): brackets -= 1
                case UInt8(ascii: "{"): braces += 1
                case UInt8(ascii: "}"):
                    braces -= 1
                    if braces == 0 { return index }
                    if braces < 0 { return nil }
                default: break
                }
            }
            if braces == 0, brackets == 0, !continues(after: index, in: code) { return nil }
        }
        return nil
    }

    private static func continues(after index: Int, in code: [String]) -> Bool {
        guard let next = code[(index + 1)...].first(where: { !$0.allSatisfy(\.isWhitespace) }) else { return false }
        let word = next.drop(while: \.isWhitespace)
        return ["{", "throws", "async", "->", "where", ")", "rethrows"].contains { word.hasPrefix($0) }
    }
}
