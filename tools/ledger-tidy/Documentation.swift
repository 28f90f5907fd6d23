/// What other targets can see says what it is.
enum Documentation {
    /// Names that protocols of the standard library and of the frameworks ask for: their witnesses need no comment.
    private static let wellKnown: Set<String> = [
        "description", "debugDescription", "hash", "encode", "rawValue", "next", "body", "makeIterator", "run",
        "validate", "configuration", "errorDescription", "customMirror", "testDescription", "==", "<", "<=", ">", ">=",
        "allCases", "startIndex", "endIndex", "index", "count", "underestimatedCount", "advanced", "distance",
        "init(from", "init(nilLiteral", "init(stringLiteral", "init(booleanLiteral", "init(integerLiteral",
        "init(arrayLiteral", "init(dictionaryLiteral", "init(floatLiteral", "enqueue", "asUnownedSerialExecutor",
        "unownedExecutor", "isIsolatingCurrentContext", "checkIsolated", "allValueStrings", "init?(argument",
        "Element", "Failure", "makeAsyncIterator",
    ]

    /// The few of them that apps see as well: no more is taken on trust of what is public.
    private static let wellKnownToApps: Set<String> = [
        "description", "debugDescription", "hash", "encode", "==", "<", "init(from",
    ]

    static func findings(in file: SourceFile, witnesses: Set<String>) -> [Finding] {
        let cases = publicCases(in: file.code)
        return file.code.indices.compactMap { index in
            if cases.contains(index) { return finding(ofCase: index, in: file) }
            guard let declaration = Declarations.parse(file.code[index]), declaration.isShared,
                !isWitness(declaration, witnesses), !isDocumented(index, in: file)
            else { return nil }
            return Finding(
                file.path, index + 1, "documentation",
                "'\(declaration.keyword) \(declaration.name)' is seen by other targets: say what it is in a '///' line")
        }
    }

    private static func isWitness(_ declaration: Declaration, _ witnesses: Set<String>) -> Bool {
        declaration.isPublic
            ? wellKnownToApps.contains(declaration.name)
            : wellKnown.contains(declaration.name) || witnesses.contains(declaration.name)
    }

    private static func finding(ofCase index: Int, in file: SourceFile) -> Finding? {
        var depth = 0
        let isAlone = file.code[index].allSatisfy { character in
            if character == "(" { depth += 1 }
            if character == ")" { depth -= 1 }
            return character != "," || depth > 0
        }
        if isAlone, isDocumented(index, in: file) { return nil }
        return Finding(
            file.path, index + 1, "documentation",
            "a case of a public enum stands on a line of its own: say what it is in a '///' line")
    }

    /// The lines of cases that stand in the body of a public enum itself.
    private static func publicCases(in code: [String]) -> Set<Int> {
        var lines: Set<Int> = []
        // For each open brace, whether it is that of a public enum.
        var bodies: [Bool] = []
        var isEnumNext = false
        for (index, line) in code.enumerated() {
            let words = line.split(separator: " ").drop { $0 == "indirect" }
            if words.first == "case", bodies.last ?? false { lines.insert(index) }
            if let declaration = Declarations.parse(line), declaration.keyword == "enum" {
                isEnumNext = declaration.isPublic
            }
            for character in line {
                if character == "{" {
                    bodies.append(isEnumNext)
                    isEnumNext = false
                } else if character == "}" {
                    bodies.removeLast(min(1, bodies.count))
                }
            }
        }
        return lines
    }

    /// The names that the tree's own protocols require.
    static func requirements(in files: [SourceFile]) -> Set<String> {
        var names: Set<String> = []
        for file in files {
            var depth = 0
            for code in file.code {
                if depth == 0 {
                    guard Declarations.parse(code)?.keyword == "protocol" else { continue }
                } else if let declaration = Declarations.parse(code), !declaration.name.isEmpty {
                    names.insert(declaration.name)
                }
                depth += code.count { $0 == "{" } - code.count { $0 == "}" }
            }
        }
        return names
    }

    private static func isDocumented(_ index: Int, in file: SourceFile) -> Bool {
        var above = index - 1
        while above >= 0 {
            let line = file.lines[above].drop(while: \.isWhitespace)
            if line.hasPrefix("///") || line.hasSuffix("*/") { return true }
            // Attributes stand between a comment and its declaration; they may go over several lines.
            guard line.hasPrefix("@") || line.hasPrefix(")") || line.hasPrefix("#if") else { return false }
            above -= 1
        }
        return false
    }
}
