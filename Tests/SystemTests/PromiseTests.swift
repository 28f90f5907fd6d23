import FoundationEssentials
import Testing

/// Promises.md and the tests agree.
struct PromiseTests {
    private let directory = URL(filePath: #filePath).deletingLastPathComponent()

    private func text(_ name: String) throws -> String {
        String(decoding: try Data(contentsOf: directory.appending(component: name)), as: UTF8.self)
    }

    /// What stands between pairs of backquotes and has spaces in it.
    private func names(in text: String, after words: String = "") -> Set<String> {
        let parts = text.split(separator: "`", omittingEmptySubsequences: false)
        return Set(
            parts.indices.filter { $0 % 2 == 1 && parts[$0 - 1].hasSuffix(words) && parts[$0].contains(" ") }
                .map { String(parts[$0]) })
    }

    @Test func `every test that is named exists, and every test is named`() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: directory.path)
            .filter { $0.hasSuffix(".swift") && $0 != "PromiseTests.swift" }
        #expect(files.count > 5)
        let tests = try files.reduce(into: Set<String>()) { $0.formUnion(names(in: try text($1), after: "func ")) }
        let promised = names(in: try text("Promises.md"))
        #expect(promised.subtracting(tests) == [] && tests.subtracting(promised) == [])
        #expect(tests.count > 40)
    }

    @Test func `every promise has a test or a sentence`() throws {
        let rows = try text("Promises.md").split(separator: "\n").filter { $0.hasPrefix("| ") }
        #expect(rows.count > 80)
        for row in rows {
            let cells = row.split(separator: "|").map { $0.drop { $0 == " " } }
            #expect(cells.count == 2 && cells.allSatisfy { $0.count > 5 }, "\(row)")
        }
    }
}
