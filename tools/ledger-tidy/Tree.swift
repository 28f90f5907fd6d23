import FoundationEssentials

/// The files that the rules look at.
package struct Tree: Sendable {
    /// Every Swift file, ordered by path.
    package let sources: [SourceFile]
    /// Every other text: scripts, documents, data. Only their words are checked.
    package let texts: [SourceFile]
    /// Directories of this machine that no file may name.
    package let privatePaths: [String]

    /// The folders and files of the top level that are read.
    private static let tops = [
        "Package.swift", "README.md", "Sources", "Tests", "migrations", "tools", ".ci", ".swift-format",
        ".editorconfig",
    ]

    /// Reads a repository.
    package init(root: String) throws {
        let base = URL(filePath: root, directoryHint: .isDirectory).standardizedFileURL.path
        let home = ProcessInfo.processInfo.environment["HOME"] ?? "/"
        var sources: [SourceFile] = []
        var texts: [SourceFile] = []
        for path in try Self.paths(below: base) {
            let text = String(decoding: try Data(contentsOf: URL(filePath: base + "/" + path)), as: UTF8.self)
            let file = SourceFile(path: path, text: text)
            if path.hasSuffix(".swift") { sources.append(file) } else { texts.append(file) }
        }
        self.init(sources: sources, texts: texts, privatePaths: [base, home].filter { $0.utf8.count > 1 })
    }

    /// A tree of given files.
    package init(sources: [SourceFile], texts: [SourceFile] = [], privatePaths: [String] = []) {
        self.sources = sources
        self.texts = texts
        self.privatePaths = privatePaths
    }

    private static func paths(below base: String) throws -> [String] {
        let files = FileManager.default
        var paths: [String] = []
        for top in tops where files.fileExists(atPath: base + "/" + top) {
            var isDirectory = false
            _ = files.fileExists(atPath: base + "/" + top, isDirectory: &isDirectory)
            if !isDirectory { paths.append(top) }
            guard isDirectory else { continue }
            for below in try files.subpathsOfDirectory(atPath: base + "/" + top) {
                let path = top + "/" + below
                _ = files.fileExists(atPath: base + "/" + path, isDirectory: &isDirectory)
                if !isDirectory, isText(path) { paths.append(path) }
            }
        }
        return paths.sorted()
    }

    /// Logs and other bytes are not read; neither is what Python leaves beside a script.
    private static func isText(_ path: String) -> Bool {
        ![".seg", ".snap", ".bin", ".gz", ".png", ".pyc", ".gitkeep"].contains { path.hasSuffix($0) }
    }
}
