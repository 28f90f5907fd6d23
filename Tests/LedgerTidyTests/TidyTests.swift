import Testing

@testable import ledger_tidy

struct TidyRow: Sendable, CustomTestStringConvertible {
    let path: String
    let text: String
    let findings: [String]
    let line: Int

    init(_ text: String, at path: String = "Sources/LedgerModel/File.swift", _ findings: String..., line: Int = #line) {
        self.path = path
        self.text = text
        self.findings = findings
        self.line = line
    }

    var testDescription: String { "line \(line)" }
}

/// Halves of words that this file may not hold itself.
private let unfinished = "TO" + "DO"

struct TidyTests {
    @Test(arguments: [
        TidyRow("/// Says.\npackage struct A {}\n"),
        TidyRow("package struct A {}\n", "1 documentation"),
        TidyRow("/// Says.\n@frozen\npackage enum A { case a }\n"),
        TidyRow("package import Swift\n"),
        TidyRow("package var description: String { \"\" }\n"),
        TidyRow("package static func < (one: A, other: A) -> Bool { true }\n"),
        TidyRow("package static func + (one: A, other: A) -> A { one }\n", "1 documentation"),
        TidyRow("package init(_ text: String) {}\n", "1 documentation"),
        TidyRow("package protocol P {\n    /// Needed.\n    func go()\n}\n", "1 documentation"),
        TidyRow("/// P.\nprotocol P {\n    func go()\n}\npackage func go() {}\n"),
        TidyRow("private struct A {}\nfunc b() {}\n"),
        TidyRow("// package struct A {}\nlet a = \"package struct A\"\n"),
    ])
    func `what other targets see is documented`(_ row: TidyRow) { check(row) }

    @Test(arguments: [
        TidyRow("/// Says.\npublic struct A {}\n"),
        TidyRow("public struct A {}\n", "1 documentation"),
        TidyRow("public init(from decoder: any Decoder) throws {}\n"),
        TidyRow("public var description: String { \"\" }\n"),
        TidyRow("public func next() {}\n", "1 documentation"),
        TidyRow("/// P.\nprotocol P {\n    func go()\n}\npublic func go() {}\n", "5 documentation"),
        TidyRow("/// Says.\npublic enum A {\n    /// One.\n    case one\n    case two\n}\n", "5 documentation"),
        TidyRow("/// Says.\npublic enum A {\n    /// Both.\n    case one, two\n}\n", "4 documentation"),
        TidyRow("/// Says.\npublic enum A {\n    /// It.\n    indirect case one(A, Int)\n}\n"),
        TidyRow("/// Says.\npublic indirect enum A:\n    B\n{\n    case one\n}\n", "5 documentation"),
        TidyRow(
            "/// Says.\npublic enum A {\n    /// It.\n    case one\n    var b: Int {\n        switch self {\n"
                + "        case .one: 1\n        }\n    }\n}\n"),
        TidyRow("/// Says.\npublic struct A {\n    enum B {\n        case one\n    }\n}\n"),
        TidyRow("/// Says.\npublic struct A {\n    /// B.\n    public enum B { case one }\n}\n"),
    ])
    func `what apps see is documented, each case of an enum too`(_ row: TidyRow) { check(row) }

    @Test(arguments: [
        TidyRow("let a = try? b()\n", "1 swallowed-error"),
        TidyRow("// try? is not code\nlet a = \"try? b\"\n"),
        TidyRow("let a = try? b()\n", at: "Tests/XTests/A.swift"),
        TidyRow("let a = \"\\(try? b())\"\n", "1 swallowed-error"),
        TidyRow("let a = #\"\"\"\n  \" try? \\(try? b)\n  \"\"\"#\n"),
        TidyRow("fatalError(\"x\")\n", "1 trap"),
        TidyRow("try await Task.sleep(for: .seconds(1))\n", at: "Tests/XTests/A.swift", "1 sleep"),
        TidyRow("try await Task.sleep(for: .seconds(1))\n"),
        TidyRow("// \(unfinished): more\n", "1 unfinished"),
        TidyRow("let a\(unfinished)b = 1\n"),
        TidyRow("do { try a() } catch {}\n", "1 empty-catch"),
        TidyRow("do { try a() } catch {\n}\n", "1 empty-catch"),
        TidyRow("do { try a() } catch {\n    // The file is gone already.\n}\n"),
        TidyRow("do { try a() } catch { b() }\n"),
        TidyRow("final class A: @unchecked Sendable {}\n", "1 unchecked"),
        TidyRow("// Guarded by the lock.\nfinal class A: @unchecked Sendable {}\n"),
        TidyRow("/* /* try? */ try? */ let a = 1\n"),
    ])
    func `words that this house does not use are found in code alone`(_ row: TidyRow) { check(row) }

    @Test(arguments: [
        TidyRow("import LedgerModel\n", at: "Sources/LedgerCoding/A.swift"),
        TidyRow("package import LedgerLog\n", at: "Sources/LedgerCoding/A.swift", "1 layer"),
        TidyRow("import Glibc\n", at: "Sources/LedgerLog/A.swift", "1 libc"),
        TidyRow("#if canImport(Glibc)\nimport Glibc\n#endif\n", at: "Sources/LedgerSystem/A.swift"),
        TidyRow("import Foundation\n", at: "Sources/LedgerSystem/A.swift", "1 libc"),
        TidyRow("@preconcurrency import struct NIOCore.ByteBuffer\n", at: "Sources/LedgerEngine/A.swift", "1 layer"),
        TidyRow("import LedgerEngine\n", at: "migrations/registry.swift", "1 layer"),
        TidyRow("import LedgerEngine\n", at: "Tests/LedgerCodingTests/A.swift"),
    ])
    func `imports point down`(_ row: TidyRow) { check(row) }

    @Test(arguments: [
        TidyRow(String(repeating: "a", count: 120) + "\n"),
        TidyRow(String(repeating: "a", count: 121) + "\n", "1 line-length"),
        TidyRow(String(repeating: "\n", count: 400)),
        TidyRow(String(repeating: "\n", count: 401), "401 file-length"),
        TidyRow("func a() {\n" + String(repeating: "\n", count: 68) + "}\n"),
        TidyRow("func a() {\n" + String(repeating: "\n", count: 69) + "}\n", "1 function-length"),
        TidyRow("init(\n    a: Int\n) {\n" + String(repeating: "\n", count: 69) + "}\n", "1 function-length"),
        TidyRow("protocol P {\n    func a()\n" + String(repeating: "\n", count: 90) + "}\n"),
        TidyRow("// MARK: 1\n// MARK: 2\n// MARK: 3\n", "3 marks"),
    ])
    func `lines, functions and files have their lengths`(_ row: TidyRow) { check(row) }

    @Test func `a directory of one machine is found in every text, with its place and what to do`() {
        let file = SourceFile(path: "README.md", text: "one\nsee /build/here/x\nsee /build/hereafter\n")
        let tree = Tree(sources: [], texts: [file], privatePaths: ["/build/here"])
        #expect(
            Rules.findings(in: tree).map(\.description) == [
                "README.md:2: machine-path: '/build/here' is a directory of one machine: name it relatively"
            ])
    }

    private func check(_ row: TidyRow) {
        let tree = Tree(sources: [SourceFile(path: row.path, text: row.text)])
        let found = Rules.findings(in: tree)
        #expect(found.map { "\($0.line) \($0.rule)" } == row.findings, "\(row.text)")
    }
}
