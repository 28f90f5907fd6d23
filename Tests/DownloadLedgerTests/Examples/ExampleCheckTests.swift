import FoundationEssentials
import Testing

/// What the documentation shows is compiled and run: every example stands in a file of this directory, line for line.
struct ExampleCheckTests {
    @Test func `every example of the documentation is compiled and run`() throws {
        let examples = try Documentation.examples()
        let code = try Documentation.code()
        #expect(examples.count > 80, "the documentation was not found")
        for example in examples where example.excuse == nil {
            #expect(code.contains { $0.holds(example.lines) }, "\(example.place): no test runs this example")
        }
    }

    @Test func `few examples can not be compiled here, and say so`() throws {
        let excuses = try Documentation.examples().compactMap(\.excuse)
        #expect(
            excuses.sorted() == ["// Package.swift", "// SwiftUI", "// SwiftUI", "// URLSession", "// UserDefaults"])
    }

    @Test func `an example that nothing runs is noticed`() {
        let text = """
                /// ```swift
                /// let handle = try await ledger.enqueue(url)
                ///
                ///     let file = try await handle.value
                /// ```
            func after() {}
            """
        let example = Documentation.examples(in: text, "File.swift")
        #expect(
            example.map(\.lines) == [
                ["let handle = try await ledger.enqueue(url)", "let file = try await handle.value"]
            ])
        let near = [
            "{", "let handle = try await ledger.enqueue(url)", "#expect(true)", "let file = try await handle.value",
        ]
        #expect(!near.holds(example[0].lines))
        #expect((near + example[0].lines + ["}"]).holds(example[0].lines))
        #expect(!near.holds([]))
    }

    @Test func `every public type is found from the first page, every call from the page of the ledger`() throws {
        let first = try Documentation.text("Sources/DownloadLedger/Documentation.docc/DownloadLedger.md")
        let calls = try Documentation.text("Sources/DownloadLedger/Documentation.docc/Ledger.md")
        var found = 0
        for path in try Documentation.paths("Sources/DownloadLedger", "swift") {
            var isInLedger = false
            for line in try Documentation.text(path).split(separator: "\n") {
                if !line.hasPrefix(" ") {
                    isInLedger = line.contains(/^(public final class|extension) DownloadLedger\b/)
                }
                if let type = line.firstMatch(of: /^public (?:final )?(?:class|struct|enum) (\w+)/)?.1 {
                    found += 1
                    #expect(first.contains("``\(type)``"), "\(type) is not on the first page")
                }
                guard isInLedger,
                    let name = line.firstMatch(of: /^    public (?:static )?(?:func|var) (\w+)/)?.1
                else { continue }
                found += 1
                #expect(
                    calls.contains("``\(name)(") || calls.contains("``\(name)``"), "\(name) is not on the ledger's page"
                )
            }
        }
        #expect(found > 60, "the sources were not found")
    }
}

/// The examples, and the code that has to hold them.
private enum Documentation {
    /// A block of code in the documentation.
    struct Example {
        /// Its lines without indentation and without empty ones.
        let lines: [String]
        /// The file and the line that it begins in.
        let place: String

        /// Why it is not compiled here, if it says so in its first line: a system's framework, another kind of file.
        var excuse: String? {
            let excuses = ["// Package.swift", "// SwiftUI", "// URLSession", "// UserDefaults"]
            return lines.first.flatMap { excuses.contains($0) ? $0 : nil }
        }
    }

    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// Every example of the doc comments and articles.
    static func examples() throws -> [Example] {
        let paths =
            try paths("Sources/DownloadLedger", "swift") + paths("Sources/DownloadLedger", "md")
            + paths("Sources/DownloadLedgerTesting", "swift") + paths("Sources/DownloadLedgerURLSession", "swift")
        return try paths.flatMap { examples(in: try text($0), $0) }
    }

    /// The lines of each file of examples.
    static func code() throws -> [[String]] {
        try paths("Tests/DownloadLedgerTests/Examples", "swift").map { normal(try text($0)) }
    }

    /// The examples of a text: what stands between the marks, in comments of a Swift file.
    static func examples(in text: String, _ path: String) -> [Example] {
        var examples: [Example] = []
        var block: (lines: [String], start: Int)?
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            var line = trimmed(line)
            if path.hasSuffix(".swift") {
                guard line.hasPrefix("///") else {
                    block = nil
                    continue
                }
                line = trimmed(line.dropFirst(3))
            }
            if line == "```swift" {
                block = ([], index + 1)
            } else if line == "```", let whole = block {
                examples.append(Example(lines: whole.lines, place: "\(path):\(whole.start)"))
                block = nil
            } else if !line.isEmpty {
                block?.lines.append(line)
            }
        }
        return examples
    }

    static func paths(_ directory: String, _ suffix: String) throws -> [String] {
        let below = try FileManager.default.subpathsOfDirectory(atPath: root.appending(path: directory).path)
        return below.filter { $0.hasSuffix("." + suffix) }.sorted().map { directory + "/" + $0 }
    }

    static func text(_ path: String) throws -> String {
        String(decoding: try Data(contentsOf: root.appending(path: path)), as: UTF8.self)
    }

    private static func normal(_ text: String) -> [String] {
        text.split(separator: "\n").map { trimmed($0) }.filter { !$0.isEmpty }
    }

    private static func trimmed(_ line: some StringProtocol) -> String {
        var line = line[...]
        while line.first?.isWhitespace ?? false { line = line.dropFirst() }
        while line.last?.isWhitespace ?? false { line = line.dropLast() }
        return String(line)
    }
}

extension [String] {
    /// Whether these lines stand here one after the other.
    fileprivate func holds(_ lines: [String]) -> Bool {
        guard let first = lines.first, lines.count <= count else { return false }
        return indices.dropLast(lines.count - 1).contains { self[$0] == first && self[$0...].starts(with: lines) }
    }
}
