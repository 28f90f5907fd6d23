/// A Swift file as the rules see it.
package struct SourceFile: Sendable {
    /// The path relative to the root, with `/`.
    package let path: String
    /// The lines as they are, without their ends.
    package let lines: [String]
    /// The same lines with comments and the insides of string literals blanked: what is code.
    package let code: [String]

    /// Reads a file's text.
    package init(path: String, text: String) {
        self.path = path
        var lines = Self.split(Array(text.utf8))
        var code = Self.split(Blanking.blank(Array(text.utf8)))
        if lines.last == "" {
            lines.removeLast()
            code.removeLast()
        }
        self.lines = lines
        self.code = code
    }

    /// Whether it belongs to the tests.
    package var isTest: Bool { path.hasPrefix("Tests/") }

    /// The module it is compiled into; nil for files of no module, such as Package.swift.
    package var module: String? {
        let parts = path.split(separator: "/")
        if parts.first == "migrations" { return "LedgerMigrations" }
        return parts.count > 2 && ["Sources", "Tests", "tools"].contains(parts[0]) ? String(parts[1]) : nil
    }

    private static func split(_ bytes: [UInt8]) -> [String] {
        bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
    }
}
