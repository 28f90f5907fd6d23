import LedgerModel
import LedgerSystem
import LedgerTestSupport
import SystemPackage
import Testing

@testable import LedgerLog

/// What the pages of Documentation.docc say is what the code does.
@Suite struct DocumentationTests {
    private static let root = FilePath(#filePath).removingLastComponent().removingLastComponent()
        .removingLastComponent()

    private static func text(_ path: String) throws -> String {
        let bytes = try RealFileSystem().contents(of: root.appending(path))
        return String(decoding: try #require(bytes), as: UTF8.self)
    }

    /// The bytes of each dump of a page: lines of an offset and pairs of hexadecimal digits, up to a semicolon.
    private static func dumps(_ page: String) -> [[UInt8]] {
        var dumps: [[UInt8]] = []
        for line in page.split(separator: "\n") {
            let words = line.prefix { $0 != ";" }.split(separator: " ")
            guard line.hasPrefix("    "), let offset = words.first, offset.count == 4,
                let place = Int(offset, radix: 16)
            else { continue }
            let bytes = words.dropFirst().compactMap { $0.count == 2 ? UInt8($0, radix: 16) : nil }
            if place == 0 { dumps.append([]) }
            guard place == dumps.last?.count, bytes.count == words.count - 1 else {
                Issue.record("'\(line)' does not follow the line before it")
                return []
            }
            dumps[dumps.count - 1] += bytes
        }
        return dumps
    }

    @Test func `the worked example is what is written, byte for byte`() throws {
        let disk = SimulatedDisk()
        var log = try openLog(disk)
        for (text, delay) in [("ledger", Int64(0)), ("knows", 250)] {
            let time = Timestamp(milliseconds: 1_750_000_000_000 + delay)
            _ = log.stage(LogRecord(type: 1, version: 1, time: time, payload: Array(text.utf8)))
        }
        try log.commit(at: .epoch)
        try log.rotate()
        try log.close()
        let names = ["log/0000000000000001.seg", "manifest-a", "head-a"]
        let written = try names.map { try disk.contents(of: home.appending($0)) ?? [] }
        let dumps = try Self.dumps(Self.text("Sources/LedgerLog/Documentation.docc/LogFormat.md"))
        #expect(dumps.map(\.hex) == written.map(\.hex))
    }

    @Test func `every test that a page names is there`() throws {
        var sources = ""
        for folder in ["Tests/LedgerLogTests", "Tests/LedgerEngineTests", "Tests/LedgerCommandsTests"] {
            for name in try RealFileSystem().list(Self.root.appending(folder)) where name.hasSuffix(".swift") {
                sources += try Self.text(folder + "/" + name)
            }
        }
        let page = try Self.text("Sources/LedgerLog/Documentation.docc/Recovery.md")
        let section = try #require(page.firstRange(of: "## Where each row is tested"))
        let names = page[section.upperBound...].split(separator: "\n").filter { $0.hasPrefix("| ") }
            .flatMap { $0.split(separator: "`").enumerated().filter { $0.offset % 2 == 1 }.map(\.element) }
        #expect(names.count > 20)
        for name in names { #expect(sources.contains("func `\(name)`"), "no test is called '\(name)'") }
    }
}
