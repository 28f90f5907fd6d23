/// Words that say a thing is not done, or done in a way this house does not do it.
enum Words {
    /// A word that may not stand in code, where, and what to do instead.
    private struct Banned {
        let word: String
        let rule: String
        let advice: String
        var inTests = true
        var outsideTests = true
    }

    private static let inCode = [
        Banned(word: "try?", rule: "swallowed-error", advice: "handle the error, or throw it on", inTests: false),
        Banned(
            word: "fatalError(", rule: "trap", advice: "throw, or state the invariant in a precondition",
            inTests: false),
        Banned(word: "Thread.sleep", rule: "sleep", advice: "wait for the event itself, or advance a ManualClock"),
        Banned(
            word: "Task.sleep", rule: "sleep", advice: "wait for the event itself, or advance a ManualClock",
            outsideTests: false),
        Banned(
            word: "usleep(", rule: "sleep", advice: "wait for the event itself, or advance a ManualClock",
            outsideTests: false),
    ]
    /// Written in two halves, so that this file does not hold them.
    private static let unfinished = ["TO" + "DO", "FIX" + "ME", "XX" + "X"]
    private static let unchecked = ["@unchecked Sendable", "nonisolated(unsafe)"]

    static func findings(in file: SourceFile) -> [Finding] {
        var findings: [Finding] = []
        for (index, code) in file.code.enumerated() {
            for banned in inCode where stands(banned.word, in: code) {
                guard file.isTest ? banned.inTests : banned.outsideTests else { continue }
                findings.append(Finding(file.path, index + 1, banned.rule, "'\(banned.word)': \(banned.advice)"))
            }
            for word in unchecked where code.contains(word) && !isExplained(index, in: file) {
                findings.append(
                    Finding(file.path, index + 1, "unchecked", "'\(word)' wants the comment above it that proves it"))
            }
            for word in unfinished where contains(file.lines[index], word: word) {
                findings.append(Finding(file.path, index + 1, "unfinished", "'\(word)': finish it, or leave it out"))
            }
            if isEmptyCatch(index, in: file) {
                findings.append(
                    Finding(file.path, index + 1, "empty-catch", "an error that needs no answer says why in a comment"))
            }
        }
        return findings
    }

    /// Paths of the machine a file was written on.
    static func paths(in file: SourceFile, privatePaths: [String]) -> [Finding] {
        file.lines.enumerated().flatMap { index, line in
            privatePaths.filter { line.contains($0 + "/") || line.hasSuffix($0) }.map {
                Finding(
                    file.path, index + 1, "machine-path",
                    "'\($0)' is a directory of one machine: name it relatively")
            }
        }
    }

    private static func isExplained(_ index: Int, in file: SourceFile) -> Bool {
        file.lines[index].contains("//") || index > 0 && file.lines[index - 1].contains("//")
    }

    private static func isEmptyCatch(_ index: Int, in file: SourceFile) -> Bool {
        guard let range = file.code[index].firstRange(of: "catch"), file.code[index][range.upperBound...].contains("{")
        else { return false }
        let body = file.lines[index][range.upperBound...].drop { $0 != "{" }.dropFirst()
        if let close = body.firstIndex(of: "}") { return body[..<close].allSatisfy(\.isWhitespace) }
        guard body.allSatisfy(\.isWhitespace), index + 1 < file.lines.count else { return false }
        return file.lines[index + 1].drop(while: \.isWhitespace).hasPrefix("}")
    }

    /// Whether code holds a word that does not end a longer name.
    private static func stands(_ word: String, in code: String) -> Bool {
        var rest = code[...]
        while let range = rest.firstRange(of: word) {
            let before = code[..<range.lowerBound].last
            if before.map({ !$0.isLetter && !$0.isNumber && $0 != "_" }) ?? true { return true }
            rest = rest[range.upperBound...]
        }
        return false
    }

    private static func contains(_ line: String, word: String) -> Bool {
        line.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.contains { $0 == word }
    }
}
