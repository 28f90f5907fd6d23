import LedgerSystem
import LedgerTestSupport
import SystemPackage
import Testing

/// The catalogue itself: no row without a case, no case without a test.
@Suite struct CatalogueTests {
    @Test(arguments: Catalogue.rows) func `every row of the table has a case`(row: Int) {
        #expect(!Catalogue.slugs(row: row).isEmpty)
    }

    @Test func `a case has a slug of its row and words, and says what is right`() {
        #expect(Set(Catalogue.cases.map(\.slug)).count == Catalogue.cases.count)
        for theCase in Catalogue.cases {
            #expect(Catalogue.rows.contains(theCase.row), "\(theCase.slug)")
            #expect(theCase.slug.wholeMatch(of: /[0-9]{2}-[a-z0-9-]+/) != nil, "\(theCase.slug)")
            #expect(!theCase.what.isEmpty && !theCase.right.isEmpty, "\(theCase.slug)")
            #expect(theCase.result != .waits || theCase.waitSecondsMin != nil, "\(theCase.slug)")
        }
    }

    @Test func `every case is named by a test`() throws {
        let tests = FilePath(#filePath).removingLastComponent().removingLastComponent()
        let text = try source(below: tests)
        let unused = Catalogue.cases.filter { theCase in
            !text.contains("\"\(theCase.slug)\"") && !text.contains("slugs(row: \(theCase.row))")
        }
        #expect(unused.map(\.slug) == [])
    }

    @Test func `what a judge outside reads is one line, and as long as the list`() {
        for theCase in Catalogue.cases {
            let line = CaseLine(theCase).text
            #expect(line.hasPrefix("{") && line.hasSuffix("}") && !line.contains("\n"))
            #expect(line.contains("\"path\":\"/\(theCase.slug)/TOKEN/"))
        }
    }

    /// The text of all tests, without the catalogue's own.
    private func source(below directory: FilePath) throws -> String {
        let disk = RealFileSystem()
        var text = ""
        for name in try disk.list(directory) where name != "LedgerTestSupport" {
            let path = directory.appending(name)
            switch try disk.status(of: path)?.kind {
            case .directory: text += try source(below: path)
            case .regular where name.hasSuffix(".swift"):
                text += String(decoding: try disk.contents(of: path) ?? [], as: UTF8.self)
            default: continue
            }
        }
        return text
    }
}
