import LedgerModel
import LedgerTestSupport
import Testing

/// Directories and names that people and clients give.
struct DestinationTests {
    static let directories: [(String, String)] = [
        ("/data", "/data"), ("/data/", "/data"), ("/", "/"), ("//data//x//", "/data/x"), ("/a/./b", "/a/b"),
        ("/a/../b", "/b"), ("/a/../../b", "/b"), ("/..", "/"), ("/a b/ü", "/a b/ü"), ("/.hidden/...", "/.hidden/..."),
        ("/a/\u{301}b/..", "/a"),
    ]

    @Test(arguments: directories) func `a directory is made plain`(_ text: String, _ expected: String) throws {
        let destination = try Destination.parse(directory: text, name: "n")
        #expect(destination.directory == expected)
        #expect(destination.path(of: "n") == (expected == "/" ? "/n" : expected + "/n"))
    }

    static let refused: [(String, String?, DestinationProblem)] = [
        ("data", nil, .notAbsolute("data")), ("", nil, .notAbsolute("")), ("~/x", nil, .notAbsolute("~/x")),
        ("/a\u{0}b", nil, .badName("/a\u{0}b")), ("/d", "", .badName("")), ("/d", ".", .badName(".")),
        ("/d", "..", .badName("..")), ("/d", "a/b", .badName("a/b")), ("/d", "../x", .badName("../x")),
        ("/d", "/x", .badName("/x")), ("/d", "a\u{0}", .badName("a\u{0}")),
        ("/d", "../\u{301}x", .badName("../\u{301}x")),
        ("/d", String(repeating: "a", count: 256), .nameTooLong(bytes: 256)),
    ]

    @Test(arguments: refused) func `what leaves its directory is refused`(
        _ directory: String, _ name: String?, _ problem: DestinationProblem
    ) {
        #expect(throws: problem) { try Destination.parse(directory: directory, name: name) }
    }

    @Test func `a name a person chose is kept as it is`() throws {
        for name in [".hidden", "a:b", "-rf", "con", String(repeating: "a", count: 255)] {
            #expect(try Destination.parse(directory: "/d", name: name, collision: .skip).name == name)
        }
    }

    @Test func `the planned name is the user's, the URL's or download`() {
        #expect(Fixture.order("a%20b.iso", saveAs: "mine").plannedName == "mine")
        #expect(Fixture.order("a%20b.iso").plannedName == "a b.iso")
        #expect(Fixture.order("dir/").plannedName == "download")
        #expect(Fixture.order("%2e%2e").plannedName == "download")
    }
}
