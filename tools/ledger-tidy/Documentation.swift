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

    static func findings(in file: SourceFile, witnesses: Set<String>) -> [Finding] {
        file.code.indices.compactMap { index in
            guard let declaration = Declarations.parse(file.code[index]), declaration.isShared,
                !wellKnown.contains(declaration.name), !witnesses.contains(declaration.name),
                !isDocumented(index, in: file)
            else { return nil }
            return Finding(
                file.path, index + 1, "documentation",
                "'\(declaration.keyword) \(declaration.name)' is seen by other targets: say what it is in a '///' line")
        }
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
